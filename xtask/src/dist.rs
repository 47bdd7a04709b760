//! `dist`: packs what runs without a compiler, and starts what was packed.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use tempfile::NamedTempFile;
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
    compile_code().await?;
    pack().await?;
    if options.check {
        check().await?;
    }
    Ok(())
}

/// Compiles the components for whoever gets the release, and keeps it where applications look on this machine.
pub(crate) async fn compile_code() -> Result<()> {
    let folder = target().join("compiled");
    let mut compiled = Command::new(target().join("host/lectern-host"));
    compiled.arg("compile").arg(&folder).arg("--from").arg(manifest::path());
    tool::run(&mut compiled).await?;
    match user_cache() {
        Some(cache) => keep(&folder.join("modules"), &cache.join("modules")),
        None => Ok(()),
    }
}

/// The folder in which wasmtime keeps compiled code.
fn user_cache() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")))?;
    Some(caches.join("wasmtime"))
}

/// Copies the code of each compiler, as far as it is not there.
fn keep(compiled: &Path, cache: &Path) -> Result<()> {
    for compiler in std::fs::read_dir(compiled)? {
        let compiler = compiler?;
        let kept = cache.join(compiler.file_name());
        std::fs::create_dir_all(&kept)?;
        for code in std::fs::read_dir(compiler.path())? {
            let code = code?;
            let place = kept.join(code.file_name());
            if !place.exists() {
                // Nobody sees a part of it.
                let copy = NamedTempFile::new_in(&kept)?;
                std::fs::copy(code.path(), copy.path())?;
                copy.persist(place)?;
            }
        }
    }
    Ok(())
}

/// Packs what was built, the relay, which nobody else needs, the compiled code of the components, and our clients.
pub(crate) async fn pack() -> Result<()> {
    compile::relay().await?;
    let python = packages::python("openapi-venv", validators::REQUIREMENTS).await?;
    client_packages::build(&python, &target().join("client-packages")).await?;
    pack_into(&packed()).await
}

/// Starts what was packed, and packs it once more, which must give the same bytes.
pub(crate) async fn check() -> Result<()> {
    let again = tempfile::tempdir()?;
    // Either takes one processor.
    let (started, packed_again) = tokio::join!(start(), pack_into(again.path()));
    started.and(packed_again)?;
    let sums = |folder: &Path| std::fs::read_to_string(folder.join("SHA256SUMS"));
    ensure!(sums(&packed())? == sums(again.path())?, "what is packed twice is not the same");
    Ok(())
}

/// Starts what was packed, as its users do.
async fn start() -> Result<()> {
    let mut pytest = Command::new(test::canvasapi().await?);
    pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "xtask/dist"]);
    pytest.env("LECTERN_DIST", packed());
    tool::run(pytest.env("PYTHONDONTWRITEBYTECODE", "1")).await?;
    let node = packages::python("openapi-venv", validators::REQUIREMENTS).await?;
    let mut started = python("xtask/dist/check.py");
    started.arg(packed()).arg("--python").arg(node.join("python"));
    tool::run(&mut started).await
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
