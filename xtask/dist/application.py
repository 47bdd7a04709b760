"""The application as Spin keeps it in a registry: the layout of an OCI image with a layer for each component and one for
the application, in which each component names its layer by its digest.

Source: Spin 4, `crates/oci/src/client.rs` (what `spin registry push` sends), `crates/locked-app/src/locked.rs` and
`crates/loader/src/local.rs` (what is made of a manifest).
"""

import hashlib
import json
import tomllib

APPLICATION = "application/vnd.fermyon.spin.application.v1+config"
COMPONENT = "application/vnd.wasm.content.layer.v1+wasm"
CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
# A host that offers this lets components ask each other; one that does not has to refuse them.
CHAINING = "local_service_chaining"
CHAINING_DOMAIN = ".spin.internal"


def digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def written(value: dict) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def triggers(manifest: dict) -> list[dict]:
    """The routes; the first of a component has the component's name, the others have numbers."""
    locked, taken, number = [], set(), 1
    for trigger in manifest["trigger"]["http"]:
        id = f"{trigger['component']}-http-trigger"
        while id in taken:
            id, number = f"http-trigger{number}", number + 1
        taken.add(id)
        locked.append({"id": id, "trigger_type": "http", "trigger_config": trigger})
    return locked


def component(id: str, declared: dict, wasm: bytes) -> dict:
    """A component, with its layer in place of its file."""
    known = {"source", "allowed_outbound_hosts", "sqlite_databases", "key_value_stores", "variables"}
    if unknown := declared.keys() - known:
        raise SystemExit(f"component {id} has {', '.join(sorted(unknown))}, which is not locked here")
    hosts = declared.get("allowed_outbound_hosts", [])
    locked = {
        "id": id,
        "metadata": {
            "allowed_outbound_hosts": hosts,
            "key_value_stores": declared.get("key_value_stores", []),
            "databases": declared.get("sqlite_databases", []),
            "ai_models": [],
        },
        "source": {"content_type": "application/wasm", "digest": digest(wasm)},
        "config": declared.get("variables", {}),
    }
    if any(host.split("://")[-1].split(":")[0].endswith(CHAINING_DOMAIN) for host in hosts):
        locked["host_requirements"] = {CHAINING: "required"}
    return locked


def variables(manifest: dict) -> dict:
    """The variables; one without a default is required."""
    members = ["default", "secret"]
    return {
        name: {member: declared[member] for member in members if member in declared}
        for name, declared in manifest["variables"].items()
    }


def locked(manifest: dict, wasm: dict[str, bytes]) -> dict:
    """The application with everything found that the manifest names; `wasm` has the bytes of each component."""
    components = [component(id, declared, wasm[id]) for id, declared in manifest["component"].items()]
    details = {key: manifest["application"][key] for key in ["name", "version", "description", "authors"]}
    requires = any("host_requirements" in component for component in components)
    return {
        "spin_lock_version": 1 if requires else 0,
        **({"must_understand": ["component_host_requirements"]} if requires else {}),
        "metadata": {**details, "triggers": {}, "trigger": {"type": "http"}},
        "variables": variables(manifest),
        "triggers": triggers(manifest),
        "components": components,
    }


def layout(text: str, wasm: dict[str, bytes]) -> dict[str, bytes]:
    """The files of the layout; `text` is the manifest, `wasm` has the bytes of each component by its id."""
    manifest = tomllib.loads(text)
    blobs: dict[str, bytes] = {}

    def described(content: bytes, media_type: str) -> dict:
        blobs[digest(content)] = content
        return {"mediaType": media_type, "digest": digest(content), "size": len(content)}

    layers = [described(wasm[id], COMPONENT) for id in manifest["component"]]
    application = described(written(locked(manifest, wasm)), APPLICATION)
    config = {
        "architecture": "wasm",
        "os": "Wasip1",
        "config": {"Labels": {"com.fermyon.spin.lockedAppDigest": application["digest"]}},
        "rootfs": {"type": "layers", "diff_ids": []},
    }
    details = manifest["application"]
    annotations = {f"org.opencontainers.image.{key}": details[key] for key in ["version", "description"]}
    annotations |= {
        "org.opencontainers.image.title": details["name"],
        "org.opencontainers.image.authors": ", ".join(details["authors"]),
    }
    image = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": described(written(config), CONFIG),
        "layers": [*layers, application],
        "annotations": annotations,
    }
    tag = {"annotations": {"org.opencontainers.image.ref.name": details["version"]}}
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [described(written(image), MANIFEST) | tag]}
    return {
        "oci-layout": written({"imageLayoutVersion": "1.0.0"}),
        "index.json": written(index),
        **{f"blobs/{name.replace(':', '/')}": content for name, content in blobs.items()},
    }
