//! The statements of the components on the SQLite that libSQL servers are built on, which is older than Spin's.

use anyhow::Result;
use tempfile::NamedTempFile;
use tokio::process::Command;
use xtask::root;

use crate::plans::Queries;
use crate::{packages, tool};

const REQUIREMENTS: &str = "xtask/older_sqlite/requirements.txt";

/// Checks that it makes the schema and reads each statement.
pub(crate) async fn check(queries: &Queries) -> Result<()> {
    let python = packages::python("older-sqlite-venv", REQUIREMENTS).await?.join("python");
    let file = NamedTempFile::new()?;
    serde_json::to_writer(&file, queries)?;
    tool::run(Command::new(python).arg(root().join("xtask/older_sqlite/check.py")).arg(file.path())).await
}
