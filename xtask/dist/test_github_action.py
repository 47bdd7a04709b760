"""The action for GitHub: its files against the published schemas, and its steps as a runner does them."""

import hashlib
import http.server
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import threading
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / "deploy/github-action"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


class Runner:
    """Does the steps of a composite action: inputs, conditions, environment and outputs, as far as ours has them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.exported, self.steps, self.said = folder, {}, {}, ""
        (folder / "temp").mkdir()

    def use(self, action: Path, ref: str = "main", **inputs: str) -> dict[str, str]:
        """The outputs; a step that fails is an error."""
        described = yaml.safe_load((action / "action.yml").read_text())
        known = {name: one["default"] for name, one in described.get("inputs", {}).items()}
        assert inputs.keys() <= known.keys()
        values = {"github.action_ref": ref} | {f"inputs.{name}": value for name, value in (known | inputs).items()}

        def filled(text: str) -> str:
            return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: values.get(found[1], ""), text)

        for step in described["runs"]["steps"]:
            condition = re.sub(r"[a-z]+\.\w+", lambda found: repr(values[found[0]]), step.get("if", "True"))
            if not eval(condition.replace("||", "or"), {}):
                continue
            environment = {name: filled(value) for name, value in step.get("env", {}).items()}
            outputs = self.step(action, step["run"], environment)
            values |= {f"steps.{step.get('id')}.outputs.{name}": value for name, value in outputs.items()}
        return {name: filled(one["value"]) for name, one in described.get("outputs", {}).items()}

    def step(self, action: Path, script: str, environment: dict[str, str]) -> dict[str, str]:
        files = {name: self.folder / name for name in ["GITHUB_ENV", "GITHUB_OUTPUT"]}
        for file in files.values():
            file.write_text("")
        kept = {name: os.environ[name] for name in ["PATH", "HOME", "XDG_CACHE_HOME"] if name in os.environ}
        own = {"RUNNER_TEMP": self.folder / "temp", "GITHUB_ACTION_PATH": action, **files}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            env=kept | self.exported | environment | {name: str(value) for name, value in own.items()},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=400,
        )
        self.said += done.stdout
        if done.returncode:
            raise RuntimeError(self.said)
        pairs = {
            name: dict(line.split("=", 1) for line in file.read_text().splitlines()) for name, file in files.items()
        }
        self.exported |= pairs["GITHUB_ENV"]
        return pairs["GITHUB_OUTPUT"]


@pytest.fixture
def runner(tmp_path: Path):
    runner = Runner(tmp_path)
    yield runner
    if (ACTION / "stop").exists() and (tmp_path / "temp/lectern/pid").exists():
        runner.use(ACTION / "stop")


def tarball(program: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("lectern-0.1.0/lectern")
        entry.size, entry.mode = len(program), 0o755
        archive.addfile(entry, io.BytesIO(program.encode()))
    return packed.getvalue()


@pytest.fixture
def releases(tmp_path: Path):
    """A mirror with one release: its address, and the folder of the release."""
    folder = tmp_path / "releases/v0.1.0"
    folder.mkdir(parents=True)
    name = f"lectern-0.1.0-{os.uname().machine}-unknown-linux-gnu.tar.gz"
    (folder / name).write_bytes(tarball("#!/bin/sh\n"))
    (folder / "SHA256SUMS").write_text(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder.parent)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("schema", "path"),
    [("github-actions", ACTION / "action.yml"), ("github-actions", ACTION / "stop/action.yml")]
    + [("github-workflows", path) for path in WORKFLOWS],
)
def test_files_are_as_the_schemas_have_them(schema: str, path: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(path)]
    checked = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert checked.returncode == 0, checked.stdout


def test_the_readme_names_inputs_and_outputs() -> None:
    described, readme = yaml.safe_load((ACTION / "action.yml").read_text()), (ACTION / "README.md").read_text()
    tables = re.findall(r"(?m)^\| `(\w+)` \|", readme)
    assert tables == [*described["inputs"], *described["outputs"]]


def test_no_input_is_part_of_a_command() -> None:
    for path in [ACTION / "action.yml", ACTION / "stop/action.yml"]:
        assert not [step for step in yaml.safe_load(path.read_text())["runs"]["steps"] if "${{" in step["run"]]


def test_a_release_is_downloaded_and_held_against_its_checksums(runner: Runner, releases) -> None:
    address, folder = releases
    outputs = runner.use(ACTION, ref="v0.1.0", releases=address, start="false")
    assert outputs["command"] == runner.exported["LECTERN_COMMAND"]
    assert subprocess.run([outputs["command"]]).returncode == 0
    sums = folder / "SHA256SUMS"
    sums.write_text(re.sub(r"^\w{64}", "0" * 64, sums.read_text()))
    with pytest.raises(RuntimeError, match="is not what SHA256SUMS"):
        runner.use(ACTION, version="0.1.0", releases=address, start="false")
    with pytest.raises(RuntimeError, match="v0.2.0 has no lectern-0.2.0"):
        runner.use(ACTION, version="v0.2.0", releases=address, start="false")


def test_what_cannot_be_installed_is_said(runner: Runner, tmp_path: Path) -> None:
    file = tmp_path / "file.tar.gz"
    for inputs, reason in [
        ({}, "which release"),
        ({"file": str(file)}, "there is no file"),
        ({"file": __file__}, "is no tarball"),
        ({"file": __file__, "sha256": "0" * 64}, "another checksum"),
    ]:
        with pytest.raises(RuntimeError, match=reason):
            runner.use(ACTION, **inputs)


def test_a_sandbox_that_does_not_start_is_told_with_its_reason(runner: Runner, tmp_path: Path) -> None:
    file = tmp_path / "file.tar.gz"
    file.write_bytes(tarball("#!/bin/sh\necho no port is free >&2; exit 1\n"))
    with pytest.raises(RuntimeError, match="(?s)no port is free.*ended before it served"):
        runner.use(ACTION, file=str(file))


def ask(address: str, token: str) -> dict:
    request = urllib.request.Request(f"{address}/api/v1/users/self", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_it_serves_until_it_is_stopped(runner: Runner, shipped: str, tmp_path: Path) -> None:
    (tmp_path / "school.yaml").write_text("users: [{login: ada, name: Ada Lovelace}]\n")
    outputs = runner.use(ACTION, file=shipped, scenario="school.yaml")
    assert f"::add-mask::{outputs['token']}" in runner.said
    assert outputs["address"] == runner.exported["LECTERN_SANDBOX_ADDRESS"]
    assert ask(outputs["address"], outputs["token"])["id"] == 1
    with urllib.request.urlopen(f"{outputs['address']}/sandbox/tokens", b'{"login":"ada"}', timeout=30) as answer:
        assert ask(outputs["address"], json.load(answer)["token"])["name"] == "Ada Lovelace"
    with pytest.raises(RuntimeError, match="runs in this job already"):
        runner.step(ACTION, '"$GITHUB_ACTION_PATH/sandbox.sh" start', {"LECTERN_SCENARIO": "", "LECTERN_PORT": "0"})
    runner.use(ACTION / "stop")
    with pytest.raises(urllib.error.URLError):
        ask(outputs["address"], outputs["token"])


def test_it_ends_after_a_script(runner: Runner, shipped: str) -> None:
    header = "Authorization: Bearer $LECTERN_SANDBOX_TOKEN"
    script = f'curl --silent --fail -H "{header}" "$LECTERN_SANDBOX_ADDRESS/api/v1/users/self"'
    runner.use(ACTION, file=shipped, run=script)
    assert '"id":1' in runner.said
    with pytest.raises(RuntimeError):
        runner.use(ACTION, file=shipped, run="false; echo never")
    assert "never" not in runner.said.replace("echo never", "")
    with pytest.raises(urllib.error.URLError):
        ask(runner.exported["LECTERN_SANDBOX_ADDRESS"], "")
