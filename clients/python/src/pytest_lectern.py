"""The sandbox of Lectern in pytest: fixtures `lectern_sandbox` and `lectern`, the marker `lectern_scenario`.

It imports what it needs when a test asks for it: who does not use it does not wait for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from lectern.testing import Sandbox

#: The environment variable that names a sandbox that runs already.
ADDRESS = "LECTERN_SANDBOX_ADDRESS"
_SHOWN_CALLS = 50
_sandbox_of = pytest.StashKey["Sandbox"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("lectern", "Lectern's sandbox")
    group.addoption(
        "--lectern-command",
        metavar="COMMAND",
        help="the program that starts a sandbox; else LECTERN_COMMAND says it, or `lectern` on the PATH",
    )
    group.addoption(
        "--lectern-address",
        metavar="URL",
        help=f"a sandbox that runs already; else {ADDRESS} says it, or one is started",
    )
    group.addoption("--lectern-scenario", metavar="FILE", help="the scenario that every test begins with")
    parser.addini("lectern_command", "the program that starts a sandbox of Lectern")
    parser.addini("lectern_scenario", "the scenario that every test begins with, from the folder of this file")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "lectern_scenario(*scenarios, **scenario): what is in Lectern's sandbox when the test begins: paths from the "
        "folder of the test, or scenarios as dictionaries; keywords are one scenario",
    )


@pytest.fixture(scope="session")
def lectern_sandbox(pytestconfig: pytest.Config) -> Iterator[Sandbox]:
    """A sandbox for the session; with pytest-xdist for the worker."""
    from lectern.testing._process import SandboxFailed, connect, start

    address = pytestconfig.getoption("--lectern-address") or os.environ.get(ADDRESS)
    if address and int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) > 1:
        pytest.fail(
            f"workers cannot share the sandbox at {address}: leave --lectern-address and {ADDRESS} out", pytrace=False
        )
    command = pytestconfig.getoption("--lectern-command") or os.environ.get("LECTERN_COMMAND")
    try:
        sandbox = connect(address) if address else start(command or pytestconfig.getini("lectern_command"))
    except SandboxFailed as error:
        pytest.fail(str(error), pytrace=False)
    with sandbox:
        yield sandbox


@pytest.fixture
def lectern(lectern_sandbox: Sandbox, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """The sandbox as it was at its start, with the scenarios of the test."""
    lectern_sandbox.begin(*_of_session(request.config), *_of_markers(request))
    request.node.stash[_sandbox_of] = lectern_sandbox
    yield lectern_sandbox
    lectern_sandbox.close_clients()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """A test that has failed shows what it has called."""
    report = yield
    sandbox = item.stash.get(_sandbox_of, None)
    if report.when == "call" and report.failed and sandbox is not None:
        report.sections.append(("Calls to Lectern", _last_calls(sandbox)))
    return report


def _last_calls(sandbox: Sandbox) -> str:
    from lectern import LecternError

    try:
        return "\n".join(str(call) for call in sandbox.calls()[-_SHOWN_CALLS:]) or "none"
    except LecternError as error:  # The sandbox may be what has failed.
        return f"they cannot be read: {error}"


def _of_session(config: pytest.Config) -> list[Path]:
    """The scenario of the command line, or else of the configuration."""
    option = config.getoption("--lectern-scenario")
    if option:
        return [config.invocation_params.dir / option]
    setting = config.getini("lectern_scenario")
    return [(config.inipath.parent if config.inipath else config.rootpath) / setting] if setting else []


def _of_markers(request: pytest.FixtureRequest) -> list[Mapping[str, Any] | Path]:
    """Those of the module first, and those of the function last."""
    markers = list(request.node.iter_markers("lectern_scenario"))
    found: list[Mapping[str, Any] | Path] = []
    for marker in reversed(markers):
        for scenario in marker.args:
            found.append(scenario if isinstance(scenario, Mapping) else request.path.parent / scenario)
        if marker.kwargs:
            found.append(marker.kwargs)
    return found
