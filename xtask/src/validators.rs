//! Programs of others read the API description: validators, and generators of clients, whose work is compiled.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tokio::process::Command;
use xtask::{root, target};

use crate::clients::DESCRIPTION;
use crate::packages::{self, with_node};
use crate::tool;

/// The folder of their versions and settings.
const SETTINGS: &str = "xtask/api-description/validators";
/// The list of those in Python.
pub(crate) const REQUIREMENTS: &str = "xtask/api-description/validators/requirements.txt";

/// The folder below `target` of the client that one of them makes.
pub(crate) const GENERATED: &str = "generated-client";

/// Lets all of them read it; `python` is the folder of those in Python, and of Node, whose own version may be too old.
pub(crate) async fn run(python: &Path) -> Result<()> {
    let node = node_programs(python).await?;
    let node = |name: &str| with_node(python, &node.join(name));
    let (description, settings) = (root().join(DESCRIPTION), root().join(SETTINGS));
    tool::run(Command::new(python.join("openapi-spec-validator")).arg(&description)).await?;
    let mut redocly = node("redocly")?;
    redocly.args(["lint", "--config"]).arg(settings.join("redocly.yaml")).arg(&description);
    tool::run(redocly.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")).await?;
    let mut spectral = node("spectral")?;
    spectral.args(["lint", "--quiet", "--ruleset"]).arg(settings.join("spectral.yaml")).arg(&description);
    tool::run(&mut spectral).await?;
    // A warning tells of an operation that is left out.
    let mut client = Command::new(python.join("openapi-python-client"));
    client.args(["generate", "--fail-on-warning", "--overwrite", "--meta", "none", "--path"]).arg(&description);
    client.arg("--config").arg(settings.join("python-client.yaml"));
    std::fs::create_dir_all(target().join(GENERATED))?;
    tool::run(client.arg("--output-path").arg(target().join(GENERATED).join("generated"))).await
}

/// The types of the description in TypeScript.
pub(crate) async fn types(python: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let types = folder.path().join("types.ts");
    let mut program = with_node(python, &node_programs(python).await?.join("openapi-typescript"))?;
    // A member of a request may be left out where it has a default.
    program.arg(root().join(DESCRIPTION)).arg("--default-non-nullable=false").arg("--output").arg(&types);
    tool::run(&mut program).await?;
    std::fs::read_to_string(&types).context("openapi-typescript has written nothing")
}

/// The folder of the client in TypeScript.
pub(crate) const TYPESCRIPT: &str = "clients/typescript";

/// The client in TypeScript is compiled with its tests.
pub(crate) async fn compile_typescript(python: &Path) -> Result<()> {
    let mut compiler = typescript_compiler(python, Path::new(TYPESCRIPT)).await?;
    tool::run(compiler.arg("--noEmit")).await
}

/// The compiler of TypeScript for a project, whose own `node_modules` may not be here: the types of Node are among those of
/// the validators.
pub(crate) async fn typescript_compiler(python: &Path, project: &Path) -> Result<Command> {
    let programs = node_programs(python).await?;
    let mut compiler = with_node(python, &programs.join("tsc"))?;
    compiler.arg("--project").arg(project).arg("--typeRoots").arg(programs.join("../@types"));
    Ok(compiler)
}

/// Its tests run against a service, which their environment names.
pub(crate) async fn test_typescript(python: &Path, environment: &[(&str, &str)]) -> Result<()> {
    let mut tests = with_node(python, &python.join("node"))?;
    tests.args(["--test", "--test-reporter=dot"]).arg(format!("{TYPESCRIPT}/test/*.test.ts"));
    tool::run(tests.envs(environment.iter().copied())).await
}

/// The scripts of pages, as far as they can do without a browser.
pub(crate) async fn test_scripts(python: &Path) -> Result<()> {
    let mut tests = with_node(python, &python.join("node"))?;
    tool::run(tests.args(["--test", "--test-reporter=dot", "tests/scripts/*.test.mjs"])).await
}

/// The script with which tests judge whether everybody can use a page.
pub(crate) async fn axe(python: &Path) -> Result<PathBuf> {
    Ok(packages::node("validators", SETTINGS, python).await?.join("axe-core/axe.min.js"))
}

/// The folder of the programs for Node.
async fn node_programs(python: &Path) -> Result<PathBuf> {
    Ok(packages::node("validators", SETTINGS, python).await?.join(".bin"))
}
