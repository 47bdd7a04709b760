//! Packages of Python and of Node, installed under `target` in the versions that lists in the repository name.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tokio::process::Command;
use xtask::{root, target};

use crate::tool;

/// The programs of an environment that has what a list requires, and is made anew when that changes.
pub(crate) async fn python(name: &str, requirements: &str) -> Result<PathBuf> {
    let wanted = std::fs::read_to_string(root().join(requirements)).with_context(|| requirements.to_owned())?;
    let folder = target().join(name);
    let (programs, installed) = (folder.join("bin"), folder.join("installed.txt"));
    if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
        tool::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder)).await?;
        let mut pip = Command::new(programs.join("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--requirement"])
            .arg(requirements);
        tool::run(&mut pip).await?;
        std::fs::write(installed, wanted)?;
    }
    Ok(programs)
}

/// The `node_modules` of the lists in that folder, which are installed anew where the list of their versions has changed.
/// `python` is the folder of the environment that has Node.
pub(crate) async fn node(name: &str, lists: &str, python: &Path) -> Result<PathBuf> {
    const LISTS: [&str; 2] = ["package.json", "package-lock.json"];
    let (lists, folder) = (root().join(lists), target().join(name));
    let installed = folder.join("installed.json");
    let wanted = std::fs::read_to_string(lists.join("package-lock.json")).context("package-lock.json")?;
    if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
        std::fs::create_dir_all(&folder)?;
        for list in LISTS {
            std::fs::copy(lists.join(list), folder.join(list)).context(list)?;
        }
        let mut npm = with_node(python, &python.join("npm"))?;
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix"]);
        tool::run(npm.arg(&folder)).await?;
        std::fs::write(installed, wanted)?;
    }
    Ok(folder.join("node_modules"))
}

/// A program that finds the Node of that folder: the machine's own may be too old.
pub(crate) fn with_node(folder: &Path, program: &Path) -> Result<Command> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    let mut command = Command::new(program);
    command.env("PATH", std::env::join_paths(folders)?);
    Ok(command)
}
