//! `sandbox`: builds what is stale, and becomes the host's sandbox.

use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use xtask::app::Runtime;
use xtask::{manifest, target};

use crate::compile;

#[derive(Args)]
pub(crate) struct Options {
    /// What `lectern-host sandbox` takes: `--scenario FILE`, `--listen ADDRESS`, `--json` and others; `--help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

/// Does not return unless something is wrong: the host takes this process over, with its signals.
pub(crate) async fn run(options: &Options) -> Result<()> {
    let host = target().join("host/lectern-host");
    let asks_for_help = options.options.iter().any(|option| ["-h", "--help"].contains(&option.as_str()));
    // Whoever wants to know the options does not wait for a build.
    if !(manifest::is_another() || asks_for_help && host.is_file()) {
        compile::all(Runtime::Host).await?;
    }
    let failed = Command::new(&host).arg("sandbox").arg("--from").arg(manifest::path()).args(&options.options).exec();
    Err(failed).with_context(|| format!("cannot start {}", host.display()))
}
