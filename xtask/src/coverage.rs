//! `coverage`: how much of what canvasapi calls is here. A program in Python reads the source of the library as Python does.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use tokio::process::Command;

use crate::clients::DESCRIPTION;
use crate::{test, tool};

const PROGRAM: &str = "xtask/coverage/canvas_coverage.py";
const PAGE: &str = "docs/COVERAGE.md";

#[derive(Args, Default)]
pub(crate) struct Options {
    /// Change nothing; fail if the page is stale.
    #[arg(long)]
    check: bool,
}

/// Writes the page, or with `check` fails if it is stale.
pub(crate) async fn run(options: &Options) -> Result<()> {
    measure(options.check).await
}

/// Fails if the page is stale, or if the program does not read calls rightly.
pub(crate) async fn check() -> Result<()> {
    let tests = Path::new(PROGRAM).with_file_name("test_canvas_coverage.py");
    let mut pytest = Command::new(test::canvasapi().await?);
    pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"]).arg(tests);
    tool::run(pytest.env("PYTHONDONTWRITEBYTECODE", "1")).await?;
    measure(true).await
}

async fn measure(check: bool) -> Result<()> {
    let mut program = Command::new(test::canvasapi().await?);
    program.args([PROGRAM, DESCRIPTION, PAGE]).env("PYTHONDONTWRITEBYTECODE", "1");
    if check {
        program.arg("--check");
    }
    tool::run(&mut program).await
}
