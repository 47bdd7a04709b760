//! `dist`: packs what runs without a compiler, and starts what was packed.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use tokio::process::Command;
use xtask::app::Runtime;
use xtask::{manifest, target};

use crate::{client_packages, compile, packages, test, tool, validators};

#[derive(Args)]
pub(crate) struct Options {
    /// Start what was packed, as its users do.
    #[arg(long)]
    check: bool,
}

pub(crate) async fn run(options: &Options) -> Result<()> {
    compile::all(Runtime::Host).await?;
    pack().await?;
    if options.check {
        check().await?;
    }
    Ok(())
}

/// Packs what was built, the relay, which nobody else needs, the compiled code of the components, and our clients.
pub(crate) async fn pack() -> Result<()> {
    compile::relay().await?;
    let python = packages::python("openapi-venv", validators::REQUIREMENTS).await?;
    client_packages::build(&python, &target().join("client-packages")).await?;
    let mut compiled = Command::new(target().join("host/lectern-host"));
    compiled.arg("compile").arg(target().join("compiled")).arg("--from").arg(manifest::path());
    tool::run(&mut compiled).await?;
    pack_into(&packed()).await
}

/// Starts what was packed, and packs it once more, which must give the same bytes.
pub(crate) async fn check() -> Result<()> {
    let mut pytest = Command::new(test::canvasapi().await?);
    pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "xtask/dist"]);
    pytest.env("LECTERN_DIST", packed());
    tool::run(pytest.env("PYTHONDONTWRITEBYTECODE", "1")).await?;
    let node = packages::python("openapi-venv", validators::REQUIREMENTS).await?;
    let mut started = python("xtask/dist/check.py");
    started.arg(packed()).arg("--python").arg(node.join("python"));
    tool::run(&mut started).await?;
    let again = tempfile::tempdir()?;
    pack_into(again.path()).await?;
    let sums = |folder: &Path| std::fs::read_to_string(folder.join("SHA256SUMS"));
    ensure!(sums(&packed())? == sums(again.path())?, "what is packed twice is not the same");
    Ok(())
}

fn packed() -> PathBuf {
    target().join("dist")
}

async fn pack_into(folder: &Path) -> Result<()> {
    let mut packed = python("xtask/dist/pack.py");
    tool::run(packed.arg("--target-dir").arg(target()).arg("--output").arg(folder)).await
}

/// A script that needs nothing but Python.
fn python(script: &str) -> Command {
    let mut python = Command::new("python3");
    python.arg(script).env("PYTHONDONTWRITEBYTECODE", "1");
    python
}
