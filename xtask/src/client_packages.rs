//! Our clients as their users install them: a wheel for Python, and a package for Node.

use std::path::Path;

use anyhow::Result;
use tokio::process::Command;
use xtask::root;

use crate::tool;
use crate::validators::{TYPESCRIPT, typescript_compiler};

const PYTHON: &str = "clients/python";
/// What the package for Node is made by.
const PROJECTS: [&str; 2] = ["tsconfig.build.json", "tsconfig.testing.json"];

/// Packs both into that folder, in place of what is there: the wheel, and `typescript`, which `pack.py` makes an archive of.
/// `python` is the folder of the environment that has uv, hatchling and Node.
pub(crate) async fn build(python: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    let mut uv = Command::new(python.join("uv"));
    uv.args(["build", "--quiet", "--wheel", "--no-build-isolation", "--offline", "--python"])
        .arg(python.join("python"));
    uv.arg("--out-dir").arg(folder).arg(PYTHON);
    // The earliest time that a zip can tell: the same sources give the same bytes.
    uv.env("SOURCE_DATE_EPOCH", "315532800").env("PYTHONDONTWRITEBYTECODE", "1");
    tool::run(&mut uv).await?;
    typescript(python, &folder.join("typescript")).await
}

/// Compiles the package for Node into that folder.
pub(crate) async fn typescript(python: &Path, folder: &Path) -> Result<()> {
    for project in PROJECTS {
        let mut compiler = typescript_compiler(python, &Path::new(TYPESCRIPT).join(project)).await?;
        tool::run(compiler.arg("--outDir").arg(folder.join("dist"))).await?;
    }
    std::fs::copy(root().join(TYPESCRIPT).join("package.json"), folder.join("package.json"))?;
    Ok(())
}
