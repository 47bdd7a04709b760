//! Other programs: cargo first of all.

use std::ffi::OsStr;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use tokio::process::Command;
pub(crate) use xtask::installed;
use xtask::root;

/// Cargo, the one that runs us.
pub(crate) fn cargo<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments);
    // Cargo's variables for a program that it runs are about that program; a build must not depend on them.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// Runs a command in the folder of the workspace; its output goes to our standard error.
pub(crate) async fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    command.current_dir(root()).stdin(Stdio::null()).stdout(std::io::stderr()).kill_on_drop(true);
    let status = command.status().await.with_context(|| format!("cannot run {shown}"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

fn shown(command: &Command) -> String {
    let command = command.as_std();
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
