//! Programs of others read the API description: validators, and generators of clients, whose work is compiled.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tokio::process::Command;
use xtask::{root, target};

use crate::tool;

/// The folder of their versions and settings.
const SETTINGS: &str = "xtask/api-description/validators";
/// The list of those in Python.
pub(crate) const REQUIREMENTS: &str = "xtask/api-description/validators/requirements.txt";
const DESCRIPTION: &str = "components/reference/openapi.json";

/// Lets all of them read it; `python` is the folder of those in Python, and of Node, whose own version may be too old.
pub(crate) async fn run(python: &Path) -> Result<()> {
    let node = node_programs(python).await?;
    let node = |name: &str| with_node(python, &node.join(name));
    let (description, settings) = (root().join(DESCRIPTION), root().join(SETTINGS));
    let folder = tempfile::tempdir()?;
    tool::run(Command::new(python.join("openapi-spec-validator")).arg(&description)).await?;
    let mut redocly = node("redocly")?;
    redocly.args(["lint", "--config"]).arg(settings.join("redocly.yaml")).arg(&description);
    tool::run(redocly.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")).await?;
    let mut spectral = node("spectral")?;
    spectral.args(["lint", "--quiet", "--ruleset"]).arg(settings.join("spectral.yaml")).arg(&description);
    tool::run(&mut spectral).await?;
    let types = folder.path().join("api.ts");
    tool::run(node("openapi-typescript")?.arg(&description).arg("--output").arg(&types)).await?;
    tool::run(node("tsc")?.args(["--strict", "--noEmit"]).arg(&types)).await?;
    // A warning tells of an operation that is left out.
    let mut client = Command::new(python.join("openapi-python-client"));
    client.args(["generate", "--fail-on-warning", "--meta", "none", "--path"]).arg(&description);
    client.arg("--config").arg(settings.join("python-client.yaml"));
    tool::run(client.arg("--output-path").arg(folder.path().join("client"))).await
}

/// The folder of the programs for Node, which are installed anew where the list of their versions has changed.
async fn node_programs(python: &Path) -> Result<PathBuf> {
    const LISTS: [&str; 2] = ["package.json", "package-lock.json"];
    let folder = target().join("validators");
    let installed = folder.join("installed.json");
    let wanted =
        std::fs::read_to_string(root().join(SETTINGS).join("package-lock.json")).context("package-lock.json")?;
    if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
        std::fs::create_dir_all(&folder)?;
        for list in LISTS {
            std::fs::copy(root().join(SETTINGS).join(list), folder.join(list)).context(list)?;
        }
        let mut npm = with_node(python, &python.join("npm"))?;
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix"]);
        tool::run(npm.arg(&folder)).await?;
        std::fs::write(installed, wanted)?;
    }
    Ok(folder.join("node_modules/.bin"))
}

/// A program that finds the Node of that folder.
fn with_node(folder: &Path, program: &Path) -> Result<Command> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    let mut command = Command::new(program);
    command.env("PATH", std::env::join_paths(folders)?);
    Ok(command)
}
