"""The example for logrotate, on logs of its own: what is in them is compressed, and who writes goes on."""

import grp
import gzip
import os
import pwd
import subprocess
from collections.abc import Callable
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "deploy/lectern.logrotate"


def test_logs_are_rotated_under_a_process_that_writes_to_them(installed: Callable[[str], str], tmp_path: Path) -> None:
    program = installed("logrotate")
    log, config = tmp_path / "logs/polls_stdout.txt", tmp_path / "lectern.logrotate"
    log.parent.mkdir()
    (log.parent / "polls_stderr.txt").touch()
    user, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
    text = EXAMPLE.read_text()
    for place, other in {"/var/lib/lectern/logs": str(log.parent), "su lectern lectern": f"su {user} {group}"}.items():
        assert text.count(place) == 1
        text = text.replace(place, other)
    config.write_text(text)
    config.chmod(0o644)

    def rotate(*words: str) -> None:
        command = [program, "--state", str(tmp_path / "state"), *words, str(config)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0 and "error:" not in done.stdout, done.stdout

    # As the host does it (`host/src/logs.rs`).
    with log.open("ab", buffering=0) as written:
        written.write(b"first\n")
        rotate("--debug")
        assert log.read_bytes() == b"first\n"
        rotate("--force")
        written.write(b"second\n")
    names = sorted(path.name for path in log.parent.iterdir())
    assert names == ["polls_stderr.txt", "polls_stdout.txt", "polls_stdout.txt.1.gz"], "an empty log is left alone"
    assert gzip.decompress((log.parent / names[2]).read_bytes()) == b"first\n"
    assert log.read_bytes() == b"second\n"
