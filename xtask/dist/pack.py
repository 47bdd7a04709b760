"""Packs what was built so that it runs without a compiler: a tarball, a wheel for Python, packages for Node, the
application for registries, and our clients.

The same sources and the same binaries give the same bytes: entries are sorted, and times are fixed.
"""

import argparse
import base64
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path

import application
import dependencies
import documents

ROOT = Path(__file__).resolve().parents[2]
BUILT = "target/wasm32-wasip2/release/"
# The earliest time that a zip can tell.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
# The machines of Rust, and the packages for Node that carry what runs on them.
NODE_PLATFORMS = {"x86_64": "lectern-linux-x64", "aarch64": "lectern-linux-arm64"}
Files = dict[str, tuple[bytes, int]]


def shipped_manifest(text: str) -> str:
    """The manifest with its components beside it, and without their builds."""
    text = re.sub(r"\n\[component\.[\w-]+\.build\]\n(?:.+\n)+", "", text)
    return text.replace(BUILT, "components/")


def program(target: Path) -> Files:
    """What runs: the host, the manifest, the components that it names, and their code, which any such machine executes."""
    manifest = shipped_manifest((ROOT / "spin.toml").read_text())
    files = {
        "lectern": ((ROOT / "deploy/lectern").read_bytes(), 0o755),
        "lectern-host": ((target / "host/lectern-host").read_bytes(), 0o755),
        "spin.toml": (manifest.encode(), 0o644),
    }
    for id, component in tomllib.loads(manifest)["component"].items():
        source = component["source"]
        if not source.startswith("components/") or "build" in component:
            raise SystemExit(f"the manifest of component {id} is not understood")
        files[source] = ((target / "wasm32-wasip2/release" / Path(source).name).read_bytes(), 0o644)
    compiled = target / "compiled"
    code = {str(path.relative_to(target)): (path.read_bytes(), 0o644) for path in compiled.rglob("*") if path.is_file()}
    if len(code) != sum(path.startswith("components/") for path in files):
        raise SystemExit(f"{compiled} has {len(code)} files: `lectern-host compile` makes one for each component")
    return files | code


def relay(target: Path) -> Files:
    """What hands messages to a mail server, for those who serve others."""
    return {"lectern-relay": ((target / "host/lectern-relay").read_bytes(), 0o755)}


def deployment() -> Files:
    """The examples for operators. The start script lies at the top, wrappers are in their packages, and the action is
    used from the repository."""
    paths = [path for path in (ROOT / "deploy").rglob("*") if path.is_file() and path.name != "lectern"]
    paths = [path for path in paths if not {"wheel", "npm", "github-action", "__pycache__"} & set(path.parts)]
    return {str(path.relative_to(ROOT)): (path.read_bytes(), 0o644) for path in paths}


def tarball(name: str, files: Files) -> bytes:
    """The archive of a folder of that name, compressed."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=EPOCH) as compressed:
        compressed.write(archived({f"{name}/{path}": file for path, file in files.items()}))
    return packed.getvalue()


def archived(files: Files) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, (content, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = len(content), mode, EPOCH
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def wheel(version: str, tag: str, files: Files, licences: Files) -> bytes:
    """A wheel whose program `lectern` is the start script."""
    module, info = "lectern_server", f"lectern-{version}.dist-info"
    own = {path.name: (path.read_bytes(), 0o644) for path in (ROOT / "deploy/wheel").glob("*.py")}
    entries = {f"{module}/{name}": file for name, file in own.items()}
    entries |= {f"{module}/app/{path}": file for path, file in files.items()}
    entries |= {f"{info}/licenses/{path}": file for path, file in licences.items()}
    texts = {
        "METADATA": f"Metadata-Version: 2.4\nName: lectern\nVersion: {version}\n"
        "Summary: The HTTP/JSON API of a learning-management system\nLicense-Expression: MIT OR Apache-2.0\n"
        + "".join(f"License-File: {path}\n" for path in sorted(licences))
        + "Requires-Python: >=3.9\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: lectern\nRoot-Is-Purelib: false\nTag: {tag}\n",
        "entry_points.txt": f"[console_scripts]\nlectern = {module}.__main__:main\n",
    }
    entries |= {f"{info}/{name}": (text.encode(), 0o644) for name, text in texts.items()}
    record = ""
    for path, (content, _) in sorted(entries.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    entries[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, (content, mode) in sorted(entries.items()):
            entry = zipfile.ZipInfo(path, time.gmtime(EPOCH)[:6])
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            entry.create_system = 3
            archive.writestr(entry, content)
    return packed.getvalue()


def wheel_tag(target: str) -> str | None:
    """The platform by its name in wheels: Linux with at least the C library that is here. Others get no wheel."""
    if not target.endswith("-linux-gnu"):
        return None
    library = subprocess.run(["getconf", "GNU_LIBC_VERSION"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return f"py3-none-manylinux_{library.split()[1].replace('.', '_')}_{target.split('-')[0]}"


def node_packages(version: str, target: str, files: Files, licences: Files) -> dict[str, bytes]:
    """The program `lectern`, which is the same for all platforms, and the package of this one, which it starts.

    They are laid out as `npm pack` does it. Platforms without a name here get none.
    """
    architecture = target.removesuffix("-unknown-linux-gnu")
    if architecture not in NODE_PLATFORMS:
        return {}
    starter = json.loads((ROOT / "deploy/npm/package.json").read_text())
    starter |= {"version": version, "optionalDependencies": dict.fromkeys(NODE_PLATFORMS.values(), version)}
    name = NODE_PLATFORMS[architecture]
    platform = {key: starter[key] for key in ["version", "description", "license", "repository"]}
    platform |= {"name": name, "files": ["app", "LICENSE-*", "THIRD-PARTY.md"]}
    platform |= {"os": ["linux"], "cpu": [name.rsplit("-", 1)[1]], "libc": ["glibc"]}
    readme = {"README.md": ((ROOT / "deploy/npm/README.md").read_bytes(), 0o644)}
    script = {"bin/lectern.js": ((ROOT / "deploy/npm/bin/lectern.js").read_bytes(), 0o755)}
    app = {f"app/{path}": file for path, file in files.items()}
    texts = {name: licences[name] for name in ["LICENSE-APACHE", "LICENSE-MIT"]}

    def packed(package: dict, content: Files) -> bytes:
        described = {"package.json": ((json.dumps(package, indent=2) + "\n").encode(), 0o644)}
        return tarball("package", described | readme | content)

    return {
        f"lectern-{version}.tgz": packed(starter, script | texts),
        f"{name}-{version}.tgz": packed(platform, app | licences),
    }


def clients(target: Path, licences: Files) -> dict[str, bytes]:
    """Our clients: a wheel as it was built, and a package for Node, which is what was compiled and needs no compiler."""
    folder = target / "client-packages"
    [wheel] = folder.glob("*.whl")
    package = json.loads((folder / "typescript/package.json").read_text())
    for unneeded in ["scripts", "devDependencies"]:
        del package[unneeded]
    package["files"].append("LICENSE-*")
    compiled = [path for path in (folder / "typescript/dist").rglob("*") if path.is_file()]
    files = {str(path.relative_to(folder / "typescript")): (path.read_bytes(), 0o644) for path in compiled}
    files["package.json"] = ((json.dumps(package, indent=2) + "\n").encode(), 0o644)
    files["README.md"] = ((ROOT / "clients/typescript/README.md").read_bytes(), 0o644)
    files |= {name: licences[name] for name in ["LICENSE-APACHE", "LICENSE-MIT"]}
    archive = f"{package['name']}-{package['version']}.tgz"
    return {wheel.name: wheel.read_bytes(), archive: tarball("package", files)}


def image(files: Files) -> bytes:
    """The application for registries, as an archive of an OCI layout: its compression is that of none of its layers."""
    manifest = files["spin.toml"][0].decode()
    declared = tomllib.loads(manifest)["component"]
    layout = application.layout(manifest, {id: files[part["source"]][0] for id, part in declared.items()})
    return archived({path: (content, 0o644) for path, content in layout.items()})


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target-dir", type=Path, default=ROOT / "target", help="where cargo has built to")
    arguments.add_argument("--output", type=Path, required=True, help="the folder of the packages, which is emptied")
    options = arguments.parse_args()
    target_dir, folder = options.target_dir, options.output
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    version = workspace["version"]
    rustc = subprocess.run(["rustc", "-vV"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    target = next(line.split()[1] for line in rustc.splitlines() if line.startswith("host:"))

    files = program(target_dir)
    components = set(tomllib.loads((ROOT / "spin.toml").read_text())["component"])
    packages = dependencies.linked(ROOT, target, {"host", "relay"})
    packages |= dependencies.linked(ROOT, "wasm32-wasip2", components)
    bill = dependencies.bill_of_materials(ROOT, version, packages)
    licences = {name: ((ROOT / name).read_bytes(), 0o644) for name in ["LICENSE-APACHE", "LICENSE-MIT"]}
    licences["THIRD-PARTY.md"] = (dependencies.third_party(packages), 0o644)

    name = f"lectern-{version}-{target}"
    whole = files | relay(target_dir) | deployment() | licences | {"sbom.cdx.json": (bill, 0o644)}
    pages = documents.released(ROOT, set(whole), f"{workspace['repository']}/{{}}/v{version}")
    whole |= {path: (content, 0o644) for path, content in pages.items()}
    packed = {f"{name}.tar.gz": tarball(name, whole), f"lectern-{version}.cdx.json": bill}
    packed |= node_packages(version, target, files, licences)
    packed |= clients(target_dir, licences)
    packed[f"lectern-{version}-oci.tar"] = image(files)
    if tag := wheel_tag(target):
        packed[f"lectern-{version}-{tag}.whl"] = wheel(version, tag, files, licences)
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in sorted(packed.items()))
    packed["SHA256SUMS"] = sums.encode()

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for path, content in packed.items():
        (folder / path).write_bytes(content)
        print(f"{len(content) / 1e6:8.1f} MB  {folder / path}")


if __name__ == "__main__":
    main()
