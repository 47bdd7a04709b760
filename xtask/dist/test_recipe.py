"""The recipe of the image, done in folders with a release that has nothing in it."""

import tarfile
from pathlib import Path

import pytest

import recipe

RECIPE = Path(__file__).resolve().parents[2] / "deploy/container/Containerfile"


def test_the_steps_of_the_recipe_fill_a_folder(tmp_path: Path) -> None:
    app, context = tmp_path / "lectern-1.2.3", tmp_path / "context"
    (app / "deploy").mkdir(parents=True)
    (app / "lectern-host").write_text("#!/bin/sh\n")
    (app / "lectern-host").chmod(0o755)
    (app / "deploy/runtime-config.toml").write_text("[sqlite_database.default]\n")
    context.mkdir()
    with tarfile.open(context / "lectern-1.2.3-s390x-unknown-linux-gnu.tar.gz", "w:gz") as archive:
        archive.add(app, app.name)
    arguments = {"VERSION": "1.2.3", "TARGET": "s390x-unknown-linux-gnu"}
    root, config = recipe.build(RECIPE.read_text(), context, tmp_path, arguments)
    paths = {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}
    assert paths == {
        "opt/lectern/lectern-host",
        "opt/lectern/deploy/runtime-config.toml",
        "etc/lectern/runtime-config.toml",
    }
    assert (root / "var/lib/lectern").is_dir() and (root / "opt/lectern/lectern-host").stat().st_mode & 0o111
    assert config["User"] == "65532:65532" and config["WorkingDir"] == "/opt/lectern"
    assert (config["Volumes"], config["ExposedPorts"]) == ({"/var/lib/lectern": {}}, {"3000/tcp": {}})
    assert config["Entrypoint"][0] == "/opt/lectern/lectern-host"


@pytest.mark.parametrize("line", ["ADD a b", "COPY --link a /b", "RUN --mount=type=tmpfs true", 'RUN ["a"]', "RUN true >/a", "RUN tar -C/a", "ENV a=b"])
def test_what_is_not_known_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(SystemExit, match="not known"):
        recipe.build(f"FROM scratch\n{line}\n", tmp_path, tmp_path, {})
