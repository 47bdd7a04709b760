"""Packs what was built so that it runs without a compiler: a tarball, and a wheel for Python.

The same sources and the same binaries give the same bytes: entries are sorted, and times are fixed.
"""

import argparse
import base64
import gzip
import hashlib
import io
import os
import re
import subprocess
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path

import dependencies

ROOT = Path(__file__).resolve().parents[2]
BUILT = "target/wasm32-wasip2/release/"
# The earliest time that a zip can tell.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
DOCUMENTS = ["CHANGELOG.md", "README.md", "docs/OPERATIONS.md", "docs/QUIRKS.md", "docs/SCALING.md", "docs/SECURITY.md"]
Files = dict[str, tuple[bytes, int]]


def shipped_manifest(text: str) -> str:
    """The manifest with its components beside it, and without their builds."""
    text = re.sub(r"\n\[component\.[\w-]+\.build\]\n(?:.+\n)+", "", text)
    return text.replace(BUILT, "components/")


def application(target: Path) -> Files:
    """What runs: the host, the manifest and the components that it names."""
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
    return files


def deployment() -> Files:
    """The examples for operators. The start script lies at the top, and the wheel's files are in the wheel."""
    paths = [path for path in (ROOT / "deploy").rglob("*") if path.is_file() and path.name != "lectern"]
    paths = [path for path in paths if "wheel" not in path.parts and "__pycache__" not in path.parts]
    return {str(path.relative_to(ROOT)): (path.read_bytes(), 0o644) for path in paths}


def tarball(name: str, files: Files) -> bytes:
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=EPOCH) as compressed:
        with tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path, (content, mode) in sorted(files.items()):
                entry = tarfile.TarInfo(f"{name}/{path}")
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


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target-dir", type=Path, default=ROOT / "target", help="where cargo has built to")
    arguments.add_argument("--output", type=Path, required=True, help="the folder of the packages, which is emptied")
    options = arguments.parse_args()
    target_dir, folder = options.target_dir, options.output
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    rustc = subprocess.run(["rustc", "-vV"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    target = next(line.split()[1] for line in rustc.splitlines() if line.startswith("host:"))

    files = application(target_dir)
    components = set(tomllib.loads((ROOT / "spin.toml").read_text())["component"])
    packages = dependencies.linked(ROOT, target, {"host"})
    packages |= dependencies.linked(ROOT, "wasm32-wasip2", components)
    bill = dependencies.bill_of_materials(ROOT, version, packages)
    licences = {name: ((ROOT / name).read_bytes(), 0o644) for name in ["LICENSE-APACHE", "LICENSE-MIT"]}
    licences["THIRD-PARTY.md"] = (dependencies.third_party(packages), 0o644)

    name = f"lectern-{version}-{target}"
    documents = {path: ((ROOT / path).read_bytes(), 0o644) for path in DOCUMENTS}
    extra = {"sbom.cdx.json": (bill, 0o644), **licences, **documents}
    packed = {f"{name}.tar.gz": tarball(name, files | deployment() | extra), f"lectern-{version}.cdx.json": bill}
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
