"""The crates that are linked into what is shipped: their licences, and a bill of materials."""

import json
import re
import subprocess
import tomllib
from collections import defaultdict
from pathlib import Path

LICENCE_FILE = re.compile(r"^(licen[cs]e|copying|notice|copyright|unlicense)", re.IGNORECASE)
# Linked in, and no crate of Cargo.lock.
BESIDE_CRATES = """- The standard library of Rust: MIT OR Apache-2.0, <https://github.com/rust-lang/rust>
- wasi-libc, in the components: Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT,
  <https://github.com/WebAssembly/wasi-libc>
- SQLite, in `lectern-host`: in the public domain, <https://sqlite.org/copyright.html>
"""


def linked(root: Path, target: str, packages: set[str]) -> dict[str, dict]:
    """The packages, by id, that these packages of the workspace are built of for that target."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout)
    known = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    members = set(metadata["workspace_members"])
    open_ids = [id for id in members if known[id]["name"] in packages]
    missing = packages - {known[id]["name"] for id in open_ids}
    if missing:
        raise SystemExit(f"the workspace has no package {', '.join(sorted(missing))}")
    found: dict[str, dict] = {}
    while open_ids:
        id = open_ids.pop()
        if id in found:
            continue
        normal = [d["pkg"] for d in nodes[id]["deps"] if any(kind["kind"] is None for kind in d["dep_kinds"])]
        found[id] = {**known[id], "is_own": id in members, "needs": normal}
        open_ids.extend(normal)
    return found


def expression(package: dict) -> str:
    """The licence as SPDX writes it; old crates have a slash for OR."""
    return (package["license"] or "NOASSERTION").replace("/", " OR ").replace("  ", " ")


def purl(package: dict) -> str:
    if package["is_own"]:
        return f"pkg:github/lectern-lms/lectern@{package['version']}#{package['name']}"
    return f"pkg:cargo/{package['name']}@{package['version']}"


def by_name(packages: dict[str, dict]) -> list[dict]:
    return sorted(packages.values(), key=lambda package: (package["name"], package["version"]))


def bill_of_materials(root: Path, version: str, packages: dict[str, dict]) -> bytes:
    """CycloneDX 1.5. It has no serial number and no time, so that the same sources have the same bill."""
    locked = tomllib.loads((root / "Cargo.lock").read_text())["package"]
    checksums = {(package["name"], package["version"]): package.get("checksum") for package in locked}
    components = []
    for package in by_name(packages):
        component = {
            "type": "library",
            "bom-ref": purl(package),
            "name": package["name"],
            "version": package["version"],
            "purl": purl(package),
            "licenses": [{"expression": expression(package)}],
        }
        if checksum := checksums[package["name"], package["version"]]:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        if package["repository"]:
            component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        components.append(component)
    needs = [
        {"ref": purl(package), "dependsOn": sorted({purl(packages[id]) for id in package["needs"]})}
        for package in by_name(packages)
    ]
    own = f"pkg:github/lectern-lms/lectern@{version}"
    roots = sorted(purl(package) for package in packages.values() if package["is_own"])
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": own, "name": "lectern", "version": version}},
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": roots}, *needs],
    }
    return (json.dumps(bill, indent=1) + "\n").encode()


def third_party(packages: dict[str, dict]) -> bytes:
    """The licence of each crate of others, and each text once with the crates that bring it."""
    lines = ["# Software of others in Lectern\n", "| Crate | Licence | Source |", "|---|---|---|"]
    bringers = defaultdict(list)
    for package in by_name(packages):
        if package["is_own"]:
            continue
        name = f"{package['name']} {package['version']}"
        lines.append(f"| {name} | {expression(package)} | {package['repository'] or ''} |")
        folder = Path(package["manifest_path"]).parent
        files = {path for path in folder.iterdir() if path.is_file() and LICENCE_FILE.match(path.name)}
        if package["license_file"]:
            files.add(folder / package["license_file"])
        for path in sorted(files):
            bringers[path.read_text(errors="replace").strip()].append(name)
    lines += ["", "Beside the crates:\n", BESIDE_CRATES, "## Their texts\n"]
    for text, names in sorted(bringers.items(), key=lambda item: (item[1], item[0])):
        fence = "`" * max(4, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
        lines += [f"Of {', '.join(dict.fromkeys(names))}:\n", f"{fence}text\n{text}\n{fence}\n"]
    return ("\n".join(lines)).encode()
