//! The API description, which another program makes: it is linked with every component, and `up` need not wait for that.

use anyhow::Result;

use crate::tool::{self, cargo};

/// Writes the description, or with `check` fails if it is stale.
pub(crate) async fn run(check: bool) -> Result<()> {
    let mut command = cargo(["run", "--quiet", "--package", "api-description", "--"]);
    if check {
        command.arg("--check");
    }
    tool::run(&mut command).await
}
