//! The statements of the components on the SQLite that libSQL servers are built on, which is older than Spin's.

use std::path::Path;

use anyhow::Result;
use tokio::process::Command;
use xtask::root;

use crate::{packages, tool};

const REQUIREMENTS: &str = "xtask/older_sqlite/requirements.txt";

/// Checks the schema, and the statements that were recorded in that folder.
pub(crate) async fn check(records: &Path) -> Result<()> {
    let python = packages::python("older-sqlite-venv", REQUIREMENTS).await?.join("python");
    let script = root().join("xtask/older_sqlite/check.py");
    let migrations = root().join("shared/database/migrations");
    tool::run(Command::new(python).arg(script).arg(records).arg(migrations)).await
}
