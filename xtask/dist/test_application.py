"""The application as it is put into a registry: digests, sizes, and the names in it."""

import hashlib
import json
import tomllib
from pathlib import Path

import pytest

import application

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def manifest() -> str:
    text = (ROOT / "spin.toml").read_text()
    builds = {id: declared["build"] for id, declared in tomllib.loads(text)["component"].items()}
    for id, build in builds.items():
        command, watch = (json.dumps(build[key], ensure_ascii=False) for key in ["command", "watch"])
        text = text.replace(f"[component.{id}.build]\ncommand = {command}\nwatch = {watch}\n", "")
    return text


@pytest.fixture
def files(manifest: str) -> dict[str, bytes]:
    wasm = {id: f"the component {id}".encode() for id in tomllib.loads(manifest)["component"]}
    return application.layout(manifest, wasm)


def blob(files: dict[str, bytes], described: dict) -> bytes:
    """What a digest names, which has to be of that digest and that size."""
    content = files[f"blobs/{described['digest'].replace(':', '/')}"]
    assert f"sha256:{hashlib.sha256(content).hexdigest()}" == described["digest"]
    assert len(content) == described["size"]
    return content


def test_digests_and_sizes_are_those_of_the_blobs(files: dict[str, bytes]) -> None:
    assert json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    index = json.loads(files["index.json"])
    [image] = index["manifests"]
    named = json.loads(blob(files, image))
    config = json.loads(blob(files, named["config"]))
    [*components, app] = named["layers"]
    for layer in components:
        assert layer["mediaType"] == "application/vnd.wasm.content.layer.v1+wasm"
        blob(files, layer)
    assert app["mediaType"] == "application/vnd.fermyon.spin.application.v1+config"
    assert config["config"]["Labels"]["com.fermyon.spin.lockedAppDigest"] == app["digest"]
    digests = {described["digest"] for described in [image, named["config"], *named["layers"]]}
    assert {f"sha256:{Path(path).name}" for path in files if path.startswith("blobs/")} == digests


def test_the_application_names_every_component_and_its_layer(files: dict[str, bytes], manifest: str) -> None:
    declared = tomllib.loads(manifest)
    image = json.loads(blob(files, json.loads(files["index.json"])["manifests"][0]))
    [*layers, described] = image["layers"]
    app = json.loads(blob(files, described))
    assert [component["id"] for component in app["components"]] == list(declared["component"])
    for component, layer in zip(app["components"], layers, strict=True):
        assert component["source"] == {"content_type": "application/wasm", "digest": layer["digest"]}
        assert blob(files, layer) == f"the component {component['id']}".encode()
        wanted = declared["component"][component["id"]]
        assert component["config"] == wanted["variables"]
        assert component["metadata"]["databases"] == wanted.get("sqlite_databases", [])
        asks_others = any(".spin.internal" in host for host in wanted["allowed_outbound_hosts"])
        assert ("host_requirements" in component) == asks_others


def test_routes_and_variables_are_those_of_the_manifest(files: dict[str, bytes], manifest: str) -> None:
    declared = tomllib.loads(manifest)
    image = json.loads(blob(files, json.loads(files["index.json"])["manifests"][0]))
    app = json.loads(blob(files, image["layers"][-1]))
    assert [trigger["trigger_config"] for trigger in app["triggers"]] == declared["trigger"]["http"]
    assert len({trigger["id"] for trigger in app["triggers"]}) == len(app["triggers"])
    assert app["variables"].keys() == declared["variables"].keys()
    assert app["variables"]["token_secret"] == {"secret": True}, "required, so without a default"
    assert app["variables"]["trusted_proxies"] == {"default": "0"}
    assert (app["spin_lock_version"], app["must_understand"]) == (1, ["component_host_requirements"])


def test_what_is_not_understood_is_refused() -> None:
    with pytest.raises(SystemExit, match="component a has files"):
        application.component("a", {"source": "a.wasm", "files": ["x"]}, b"")
