//! The servers as programs: built, and installed with what they need, under `target`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tokio::process::Command;
use xtask::{root, target};

use super::super::report::counted;
use crate::packages;
use crate::tool::{self, cargo};

const FOLDER: &str = "xtask/comparison";

/// The servers, in the order in which they are measured.
pub(in crate::bench) struct Programs(pub(super) Vec<Program>);

/// A server. It is called with the file of its endpoints, a port and the number of its workers.
pub(super) struct Program {
    pub(super) name: String,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(&'static str, OsString)>,
    pub(super) workers: usize,
}

impl Programs {
    /// Builds and installs all of them.
    pub(in crate::bench) async fn install() -> Result<Self> {
        eprintln!("Building and installing the servers beside the application (the first time takes minutes)");
        let cores = std::thread::available_parallelism()?.get();
        tool::run(&mut cargo(["build", "--quiet", "--profile", "host", "-p", "comparison"])).await?;
        let native = Program {
            name: "axum".to_owned(),
            program: target().join("host/comparison"),
            arguments: Vec::new(),
            environment: Vec::new(),
            workers: cores,
        };
        let python = packages::python("comparison-venv", &format!("{FOLDER}/requirements.txt")).await?;
        let modules = packages::node("comparison-node", &format!("{FOLDER}/express"), &python).await?;
        let node = node(&python).await?;
        let scripts = root().join(FOLDER);
        let fastapi = |workers| Program {
            name: format!("FastAPI, {}", counted(workers, "worker")),
            program: python.join("python"),
            arguments: vec![scripts.join("fastapi/server.py").into()],
            environment: vec![("PYTHONDONTWRITEBYTECODE", "1".into())],
            workers,
        };
        let express = |workers| Program {
            name: format!("Express, {}", counted(workers, "worker")),
            program: node.clone(),
            // That its SQLite is new is no news for whoever measures it.
            arguments: vec!["--disable-warning=ExperimentalWarning".into(), scripts.join("express/server.js").into()],
            environment: vec![("NODE_ENV", "production".into()), ("NODE_PATH", modules.clone().into())],
            workers,
        };
        let counts = if cores > 1 { vec![1, cores] } else { vec![1] };
        let others =
            counts.iter().map(|workers| fastapi(*workers)).chain(counts.iter().map(|workers| express(*workers)));
        Ok(Self(std::iter::once(native).chain(others).collect()))
    }
}

/// Node itself: the program of that name in the environment is a script that starts it.
async fn node(python: &Path) -> Result<PathBuf> {
    let output = Command::new(python.join("node")).args(["-p", "process.execPath"]).output().await;
    let output = output.context("cannot run Node")?;
    ensure!(output.status.success(), "Node: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().into())
}
