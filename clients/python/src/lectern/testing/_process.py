"""The sandbox as a process: found, started, ended."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from typing import IO

from ..errors import LecternError
from ._sandbox import Sandbox

#: The environment variable that names the program.
COMMAND = "LECTERN_COMMAND"
#: At the first start on a machine the components are compiled, which takes minutes on a slow one.
START_SECONDS = 300.0
#: How long a sandbox may take to end before it is killed.
END_SECONDS = 10.0

_HOW = (
    f"Put `lectern` of a release on the PATH, or name it: the environment variable {COMMAND}, with pytest also the "
    "option --lectern-command or the setting `lectern_command`."
)


class SandboxFailed(LecternError):
    """There is no sandbox: its program is missing, or ended before it served."""


def start(command: str | None = None, *, timeout: float = START_SECONDS) -> Sandbox:
    """Starts a sandbox on a free port of this machine. It ends with `close`, or with this process, however that ends.

    `command` is the program, with options of its own if it needs some; without it `LECTERN_COMMAND` says it, or else it
    is `lectern` on the `PATH`.
    """
    words = [*_program(command), "sandbox", "--json", "--listen", "127.0.0.1:0", "--with-parent"]
    process = _Process(words)
    try:
        address = process.address(timeout)
        return Sandbox(address, end=process.end)
    except BaseException:
        process.end()
        raise


def connect(address: str) -> Sandbox:
    """A sandbox that others have started, and end."""
    sandbox = Sandbox(address)
    try:
        sandbox.state()
    except LecternError as error:
        sandbox.close()
        raise SandboxFailed(f"no sandbox answers at {address}: {error}") from error
    return sandbox


def _program(command: str | None) -> list[str]:
    named = command or os.environ.get(COMMAND)
    words = shlex.split(named) if named else ["lectern"]
    program = shutil.which(words[0])
    if program is None:
        where = f"`{words[0]}` is no program" if named else "there is no `lectern` on the PATH"
        raise SandboxFailed(f"no sandbox can be started: {where}. {_HOW}")
    return [program, *words[1:]]


class _Process:
    """A process whose standard input tells it that we live."""

    def __init__(self, words: list[str]) -> None:
        self._shown = shlex.join(words)
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        # Ctrl-C is for the tests, and they end the sandbox. Its group has what a script in between started, too.
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True
            )
        except OSError as error:
            self._errors.close()
            raise SandboxFailed(f"no sandbox can be started: {error}. {_HOW}") from error
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Goes on after the line that is waited for: a pipe that nobody reads would stop the process."""
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put(None)

    def address(self, timeout: float) -> str:
        """Where it serves, once it does."""
        end = time.monotonic() + timeout
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise SandboxFailed(f"`{self._shown}` does not serve after {timeout:.0f} s{self._said()}") from None
            if line is None:
                status = self._process.wait()
                raise SandboxFailed(f"`{self._shown}` ended with {status} before it served{self._said()}")
            with contextlib.suppress(ValueError):
                ready = json.loads(line)
                if isinstance(ready, dict) and isinstance(ready.get("address"), str):
                    return ready["address"]

    def _said(self) -> str:
        """The end of what it wrote to its standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return "".join(f"\n    {line}" for line in ["", *lines[-20:]]) if lines else "; it gave no reason"

    def end(self) -> None:
        """Returns when it is gone."""
        if self._errors.closed:
            return
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        # What a script in between has started may have outlived it.
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._errors.close()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
