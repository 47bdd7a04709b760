//! Builds the components and the host. Cargo knows what is stale.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use tokio::process::Command;
use xtask::app::Runtime;
use xtask::manifest::Manifest;

use crate::tool::{cargo, installed, run};

const WASM: &str = "wasm32-wasip2";

/// Builds all that the runtime needs.
pub(crate) async fn all(runtime: Runtime) -> Result<()> {
    add_target().await?;
    step("the components (the first time takes a minute or two)", components()?).await?;
    match runtime {
        Runtime::Host => step("the host (the first time takes a few minutes)", host()).await,
        Runtime::Spin if installed("spin") => Ok(()),
        Runtime::Spin => anyhow::bail!("there is no spin on the PATH: https://spinframework.dev/install"),
    }
}

/// Checks each component by itself, as `spin build` builds it: with others beside it, it has their features of `shared`, too.
pub(crate) async fn each_alone() -> Result<()> {
    add_target().await?;
    for package in Manifest::load()?.component.keys() {
        run(cargo(["check", "--quiet", "--target", WASM]).args(["-p", package])).await?;
    }
    Ok(())
}

async fn step(what: &str, mut command: Command) -> Result<()> {
    let start = Instant::now();
    eprintln!("Building {what}");
    run(&mut command).await?;
    eprintln!("  done after {:.1} s", start.elapsed().as_secs_f64());
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
    step("the relay", cargo(["build", "--profile", "host", "-p", "relay"])).await
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
