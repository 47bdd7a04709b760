"""Builds the image of `deploy/container/Containerfile` with buildah, from a release and without a registry, and starts it.

The recipe is built as it is. In the places of the two images that it begins with stand folders with less than these have: the
programs that its steps call, and the libraries that our programs are linked with, from this machine. Only the superuser can
make a container's user of itself. Where there can be no containers, the steps of the recipe are done in folders, and what
comes of them is started there.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
from pathlib import Path

import recipe
from check import SECRET, ask, free_port, require, running, serves

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "deploy/container/Containerfile"
COMPOSE = ROOT / "deploy/container/compose.yaml"
NOBODY = 65532

# What an image of the kind `distroless/cc` has of libraries.
LIBRARIES = {"ld-linux-aarch64.so.1", "ld-linux-x86-64.so.2", "libc.so.6", "libgcc_s.so.1", "libm.so.6"}


class Buildah:
    """The program, with images of its own."""

    def __init__(self, folder: Path):
        self.command = ["buildah", "--storage-driver", "vfs"]
        self.command += ["--root", str(folder / "images"), "--runroot", str(folder / "run")]
        self.environment = {**os.environ, "TMPDIR": str(folder)}

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            [*self.command, *words], env=self.environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout.strip()

    def image(self, name: str, programs: set[Path], linked: set[Path]) -> None:
        """An image with nothing but these programs and libraries of this machine."""
        container = self("from", "scratch")
        mounted = Path(self("mount", container))
        places = {program: Path("bin") / program.name for program in programs}
        places |= {library: library.relative_to("/") for library in linked}
        for file, place in places.items():
            (mounted / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, mounted / place)
        self("commit", "--quiet", "--rm", container, name)


def libraries(program: Path) -> set[Path]:
    """The libraries that a program is linked with."""
    linked = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {Path(path) for path in re.findall(r"(/\S+) \(0x", linked)}


def check(archive: Path, own: Path, in_folders: bool) -> None:
    """The image starts as nobody in particular, and keeps its state where its volume is."""
    (own / "context").mkdir()
    shutil.copy(archive, own / "context")
    [version, target] = re.fullmatch(r"lectern-([^-]+)-(.+)\.tar\.gz", archive.name).groups()
    arguments = {"VERSION": version, "TARGET": target}
    (start_in_folders if in_folders else start_image)(own, arguments)


def start_image(own: Path, arguments: dict[str, str]) -> None:
    """A container of the image, which has no other network than ours."""
    with tarfile.open(next((own / "context").iterdir())) as packed:
        packed.extractall(own / "unpacked", filter="data")
    [app] = (own / "unpacked").iterdir()
    linked = libraries(app / "lectern-host") | libraries(app / "lectern-relay")
    strange = {library.name for library in linked} - LIBRARIES
    require(not strange, f"the base of the image has no {', '.join(sorted(strange))}")

    buildah, text = Buildah(own), RECIPE.read_text()
    [unpacking] = re.findall(r"(?m)^FROM --platform=\$BUILDPLATFORM (\S+) AS unpacked$", text)
    [base] = re.findall(r"(?m)^ARG BASE=(\S+)$", text)
    tools = {Path(shutil.which(name)) for name in ["sh", "mkdir", "tar", "gzip"]}
    buildah.image(unpacking, tools, set().union(*map(libraries, tools)))
    buildah.image(base, set(), linked)
    given = [f"--build-arg={name}={value}" for name, value in arguments.items()]
    built = ["build-using-dockerfile", "--quiet", "--isolation", "chroot", "--pull-never", *given]
    buildah(*built, "--file", str(RECIPE), "--tag", "lectern", str(own / "context"))
    container = buildah("from", "--pull-never", "localhost/lectern")
    config = json.loads(buildah("inspect", container))["OCIv1"]["config"]
    root = Path(buildah("mount", container))
    [volume] = config["Volumes"]
    require((root / volume.lstrip("/")).stat().st_uid == NOBODY, "the folder of the state belongs to somebody else")
    inside = [shutil.which("chroot", path="/usr/sbin:/usr/bin"), f"--userspec={NOBODY}:{NOBODY}", str(root)]
    start(root, config, own, inside, "")


def start_in_folders(own: Path, arguments: dict[str, str]) -> None:
    """The folder that the steps of the recipe fill, by whoever we are."""
    root, config = recipe.build(RECIPE.read_text(), own / "context", own, arguments)
    settings = root / "etc/lectern/runtime-config.toml"
    settings.write_text(settings.read_text().replace('"/var/', f'"{root}/var/'))
    start(root, config, own, [], str(root))


def start(root: Path, config: dict, own: Path, inside: list[str], place: str) -> None:
    """What the image starts, by the command that enters it; `place` is what stands before the image's paths there."""
    [volume], port = config["Volumes"], free_port()
    require(config["User"] == f"{NOBODY}:{NOBODY}", f"the user is {config['User']}")
    require(config["ExposedPorts"] == {"3000/tcp": {}}, f"the ports are {config['ExposedPorts']}")
    state = root / volume.lstrip("/")
    # Compose mounts an empty one.
    (root / "tmp").mkdir(exist_ok=True)
    (root / "tmp").chmod(0o1777)
    [cache] = re.findall(r"XDG_CACHE_HOME: (\S+)", COMPOSE.read_text())

    def entered(words: list[str]) -> list[str]:
        return [*inside, *(re.sub("^/", f"{place}/", word) for word in words)]

    command = entered([word.replace("0.0.0.0:3000", f"127.0.0.1:{port}") for word in config["Entrypoint"]])
    written = re.findall(r"(?m)^(SPIN_VARIABLE_\w+)=(.*)$", (root / "opt/lectern/deploy/lectern.env").read_text())
    environment = {name: value or SECRET for name, value in written}
    environment |= {"HOME": "/", "XDG_CACHE_HOME": f"{place}{cache}"}
    with running(command, signal.SIGTERM, env=environment, stdout=subprocess.DEVNULL) as host:
        base = f"http://127.0.0.1:{port}"
        serves(host, base)
        form = {"grant_type": "client_credentials", "client_id": environment["SPIN_VARIABLE_ADMIN_CLIENT_ID"]}
        form["client_secret"] = environment["SPIN_VARIABLE_ADMIN_CLIENT_SECRET"]
        token = json.loads(ask(f"{base}/login/oauth2/token", form=form))["access_token"]
        require(json.loads(ask(f"{base}/api/v1/users/self", token))["id"] == 1, "users/self")
        # As `podman compose exec` does it.
        backup = ["/opt/lectern/lectern-host", "backup", "--state-dir", volume, "-"]
        backup += ["--runtime-config-file", "/etc/lectern/runtime-config.toml"]
        with (own / "lectern.tar").open("wb") as saved:
            subprocess.run(entered(backup), env=environment, check=True, stdout=saved, stderr=subprocess.DEVNULL)
    with tarfile.open(own / "lectern.tar") as parts:
        require(parts.getnames() == ["manifest.json", "database.db", "blobs.db"], "the parts of the backup")
    relay = subprocess.run(entered(["/opt/lectern/lectern-relay", "--version"]), check=True, stdout=subprocess.PIPE)
    require(relay.stdout.startswith(b"lectern-relay "), "the relay of the image")
    names = {path.name for path in state.iterdir()}
    require({"sqlite_db.db", "sqlite_key_value.db", "logs"} <= names, f"the state folder has {names}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("archive", type=Path, help="the release")
    arguments.add_argument("--in-folders", action="store_true", help="do the steps of the recipe without containers")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check(options.archive, Path(folder).resolve(), options.in_folders)


if __name__ == "__main__":
    main()
