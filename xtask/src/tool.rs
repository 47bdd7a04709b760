//! Other programs: cargo first of all.

use std::ffi::OsStr;
use std::fs::File;
use std::process::{ExitStatus, Stdio};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;
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
    let status = status(command.current_dir(root())).await.with_context(|| format!("cannot run {shown}"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

/// How a command ends, whose output goes to our standard error.
pub(crate) async fn status(command: &mut Command) -> Result<ExitStatus> {
    command.stdin(Stdio::null()).stdout(std::io::stderr()).kill_on_drop(true);
    if let Ok(kept) = KEPT.try_with(File::try_clone) {
        let kept = kept?;
        command.stdout(kept.try_clone()?).stderr(kept);
    }
    Ok(command.status().await?)
}

tokio::task_local! {
    /// Where the output of commands goes that run beside others.
    static KEPT: File;
}

/// Does some work beside other work: the output of its commands is shown as a whole at its end.
pub(crate) fn beside(work: impl Future<Output = Result<()>>) -> impl Future<Output = Result<()>> {
    // The state of some work is large.
    let work = Box::pin(work);
    async move {
        let kept = NamedTempFile::new()?;
        // Added to it, because several programs write to it.
        let file = File::options().append(true).open(kept.path())?;
        let done = KEPT.scope(file, work).await;
        eprint!("{}", String::from_utf8_lossy(&std::fs::read(kept.path())?));
        done
    }
}

fn shown(command: &Command) -> String {
    let command = command.as_std();
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
