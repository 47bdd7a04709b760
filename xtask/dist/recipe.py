"""Does the steps of a recipe for an image in folders, where there can be no containers: each stage is a folder, and
paths of the image are paths in it. A line that is not known is refused."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

# The members of an image's configuration that a line sets, and how they are made of its words.
CONFIG = {
    "USER": ("User", str),
    "WORKDIR": ("WorkingDir", str),
    "VOLUME": ("Volumes", lambda path: {path: {}}),
    "EXPOSE": ("ExposedPorts", lambda port: {f"{port}/tcp": {}}),
    "ENTRYPOINT": ("Entrypoint", json.loads),
}


def instructions(text: str) -> Iterator[tuple[str, str]]:
    text = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", "")
    for line in filter(str.strip, text.splitlines()):
        instruction, _, words = line.partition(" ")
        yield instruction, words.strip()


def options(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """What begins with two dashes, and the rest."""
    given = [word[2:].partition("=") for word in words if word.startswith("--")]
    return {name: value for name, _, value in given}, [word for word in words if not word.startswith("--")]


def build(text: str, context: Path, folder: Path, arguments: dict[str, str]) -> tuple[Path, dict]:
    """The folder of the last stage, and the configuration of the image. Who owns a file is left as it is."""
    stages, config, known = {}, {}, {}

    def filled(words: str) -> str:
        return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda name: known[name[1] or name[2]], words)

    for instruction, words in instructions(text):
        match instruction:
            case "ARG":
                name, _, default = words.partition("=")
                known[name] = arguments.get(name, default)
            case "FROM":
                # The platform is that of this machine.
                _, [_, *name] = options(words.split())
                root = folder / f"stage{len(stages)}"
                root.mkdir()
                # What was given before belongs to no stage.
                stages[name[-1] if name else root.name], config, known = root, {}, {}
            case "COPY":
                given, [source, target] = options(filled(words).split())
                if not given.keys() <= {"from", "chown"}:
                    refuse(instruction, words)
                origin = stages[given["from"]] if "from" in given else context
                copy(origin / source.lstrip("/"), root / target.lstrip("/"))
            case "RUN" if not words.startswith(("--", "[")):
                inside = re.sub(r"(?<!\S)/(?=\w)", f"{root}/", words)
                # A path that stands otherwise would be one of this machine.
                if re.search(r"(?<![\w./}])/\w|-[A-Z]/", inside.replace(f"{root}/", "")):
                    refuse(instruction, words)
                subprocess.run(["/bin/sh", "-ec", inside], env=os.environ | known, check=True, cwd=root)
            case _ if instruction in CONFIG:
                member, made = CONFIG[instruction]
                config[member] = made(filled(words))
            case _:
                refuse(instruction, words)
    return root, config


def copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


def refuse(instruction: str, words: str) -> None:
    raise SystemExit(f"FAILED: the recipe has a line that is not known: {instruction} {words}")
