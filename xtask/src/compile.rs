//! Builds the components and the host, and says how far it is. Cargo knows what is stale.

mod progress;

use std::path::Path;

use anyhow::Result;
use tokio::process::Command;
use xtask::app::Runtime;
use xtask::manifest::Manifest;

use crate::tool::{cargo, installed, run};

const WASM: &str = "wasm32-wasip2";
/// How long the first build takes on a machine with two cores, as README tells it.
pub(crate) const FIRST_BUILD: &str = "about fifteen minutes";

/// Builds all that the runtime needs.
pub(crate) async fn all(runtime: Runtime) -> Result<()> {
    add_target().await?;
    progress::build("the components", components()?).await?;
    match runtime {
        Runtime::Host => progress::build("the host", host()).await,
        Runtime::Spin if installed("spin") => Ok(()),
        Runtime::Spin => anyhow::bail!("there is no spin on the PATH: https://spinframework.dev/install"),
    }
}

/// True if nothing was built for the runtime yet, so that it takes minutes.
pub(crate) fn is_first(runtime: Runtime) -> bool {
    let built = match runtime {
        Runtime::Host => xtask::target().join("host/lectern-host"),
        Runtime::Spin => xtask::target().join(WASM).join("release/directory.wasm"),
    };
    !built.exists()
}

fn components() -> Result<Command> {
    let mut command = cargo(["build", "--target", WASM, "--release"]);
    for package in Manifest::load()?.component.keys() {
        command.args(["-p", package]);
    }
    Ok(command)
}

/// Builds what hands messages to a mail server.
pub(crate) async fn relay() -> Result<()> {
    progress::build("the relay", cargo(["build", "--profile", "host", "-p", "relay"])).await
}

fn host() -> Command {
    cargo(["build", "--profile", "host", "-p", "host"])
}

/// Lets the toolchain compile to WebAssembly, which it cannot when it is new.
async fn add_target() -> Result<()> {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", WASM]).output().await?;
    if Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir() {
        return Ok(());
    }
    run(Command::new("rustup").args(["target", "add", WASM])).await
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use toml::{Table, Value};

    use super::*;

    /// The manifests of the components and of the crates that they share.
    fn manifests() -> impl Iterator<Item = (PathBuf, Table)> {
        let members = ["components", "shared"].map(|folder| std::fs::read_dir(xtask::root().join(folder)).unwrap());
        let members = members.into_iter().flatten().map(|member| member.unwrap().path().join("Cargo.toml"));
        let manifests = members.chain([xtask::root().join("shared/Cargo.toml")]).filter(|path| path.is_file());
        manifests.map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, text.parse().unwrap())
        })
    }

    /// What `spin build` makes of one component by itself is what comes of all together.
    #[test]
    fn a_component_has_the_same_features_by_itself_as_beside_others() {
        let from_workspace = Value::Table(Table::from_iter([("workspace".to_owned(), true.into())]));
        let mut dependencies = 0;
        for (path, manifest) in manifests().filter(|(path, _)| !path.ends_with("fuzz/Cargo.toml")) {
            assert!(!manifest.contains_key("features"), "{} has features of its own", path.display());
            for (name, dependency) in manifest["dependencies"].as_table().unwrap() {
                assert_eq!(
                    *dependency,
                    from_workspace,
                    "{}: features of {name} stand in the workspace",
                    path.display()
                );
                dependencies += 1;
            }
        }
        assert!(dependencies > 200, "only {dependencies} were seen");
    }

    #[test]
    fn the_readme_tells_the_same_time() {
        let readme = std::fs::read_to_string(xtask::root().join("README.md")).unwrap();
        assert!(readme.contains(&format!("with two cores the first start takes {FIRST_BUILD}")), "{FIRST_BUILD}");
    }
}
