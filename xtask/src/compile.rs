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

/// Checks each component by itself, as `spin build` builds it: with others beside it, it has their features of `shared`, too.
pub(crate) async fn each_alone() -> Result<()> {
    add_target().await?;
    for package in Manifest::load()?.component.keys() {
        run(cargo(["check", "--quiet", "--target", WASM]).args(["-p", package])).await?;
    }
    Ok(())
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
    use super::*;

    #[test]
    fn the_readme_tells_the_same_time() {
        let readme = std::fs::read_to_string(xtask::root().join("README.md")).unwrap();
        assert!(readme.contains(&format!("with two cores the first start takes {FIRST_BUILD}")), "{FIRST_BUILD}");
    }
}
