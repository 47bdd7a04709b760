//! The examples of the client for Node: small integrations, whose tests start sandboxes as their developers do it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xtask::{manifest, root, target};

use crate::packages::{self, with_node};
use crate::validators::typescript_compiler;
use crate::{client_packages, tool};

/// The examples, each a folder of the name of its test runner, beside the list of the packages that they need.
const EXAMPLES: &str = "clients/typescript/examples";

/// The command that starts a sandbox of what was built, as the libraries for tests take it.
pub(crate) fn sandbox_command() -> String {
    format!("'{}' --from '{}'", target().join("host/lectern-host").display(), manifest::path().display())
}

/// Runs the tests of all of them, in a folder of their own, where the client is installed as it is published.
/// `python` is the folder of the environment that has Node.
pub(crate) async fn run(python: &Path, environment: &[(&str, &str)]) -> Result<()> {
    let modules = packages::node("client-examples", EXAMPLES, python).await?;
    let folder = target().join("client-examples");
    client_packages::typescript(python, &modules.join("lectern-client")).await?;
    std::fs::copy(root().join(EXAMPLES).join("tsconfig.json"), folder.join("tsconfig.json"))?;
    let [vitest, jest] = [copied("vitest", &folder)?, copied("jest", &folder)?];
    let mut compiler = typescript_compiler(python, &folder).await?;
    tool::run(compiler.arg("--noEmit")).await?;
    let mut tests = with_node(python, &modules.join(".bin/vitest"))?;
    tests.args(["run", "--reporter=dot", "--root"]).arg(vitest).envs(environment.iter().copied());
    tool::run(&mut tests).await?;
    let mut tests = with_node(python, &python.join("node"))?;
    tests.arg("--experimental-vm-modules").arg(modules.join("jest/bin/jest.js"));
    tests.arg("--projects").arg(jest).envs(environment.iter().copied());
    tool::run(&mut tests).await
}

/// An example copied into that folder, where nothing is left of an earlier run.
fn copied(name: &str, folder: &Path) -> Result<PathBuf> {
    let (from, to) = (root().join(EXAMPLES).join(name), folder.join(name));
    if to.exists() {
        std::fs::remove_dir_all(&to)?;
    }
    std::fs::create_dir_all(&to)?;
    for file in std::fs::read_dir(&from).with_context(|| from.display().to_string())? {
        let file = file?;
        if file.file_name() != OsStr::new("node_modules") {
            std::fs::copy(file.path(), to.join(file.file_name()))?;
        }
    }
    Ok(to)
}
