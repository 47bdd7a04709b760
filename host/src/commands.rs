//! What `lectern-host` does with the data of an application besides serving them.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use backup::{Depth, Destination, Manifest};
use clap::Subcommand;
use host::Places;

use crate::sandbox_command::Wanted;

/// The release that makes and reads backups.
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve for the tests of a client: on a state that goes with it, with an API that sets it back, moves its clock, and lets
    /// calls fail.
    Sandbox(Wanted),
    /// Backs up the database and the bytes of files into one archive; the application may run meanwhile.
    Backup {
        /// The archive, a tar file; `-` is standard output.
        file: PathBuf,
    },
    /// Restores an archive; no application may run meanwhile.
    Restore {
        /// The archive; `-` is standard input.
        file: PathBuf,
        /// Put it in the place of the data that are there, which are gone then.
        #[arg(long)]
        replace: bool,
    },
    /// Checks the database, and that the bytes of all files are there; exits with 1 where something is wrong.
    Check {
        /// Leave out whether indexes and constraints agree with the rows.
        #[arg(long)]
        quick: bool,
        /// Print the findings as JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Does what was asked for. People are told of it on standard error, so that standard output is free for an archive.
pub(crate) async fn run(command: Command, places: &Places) -> Result<ExitCode> {
    let installation = places.installation().await?;
    match command {
        Command::Sandbox(_) => bail!("a sandbox has no place of its own"),
        Command::Backup { file } => {
            let to = if file.as_os_str() == "-" { Destination::Stdout } else { Destination::File(file) };
            let manifest = backup::back_up(&installation, VERSION, &to).await?;
            tell(&format!("Backed up {}.", described(&manifest)))?;
            let missing = &manifest.missing_blobs;
            if !missing.is_empty() {
                tell(&format!(
                    "{} files had lost their bytes before, the first is {:?}.",
                    missing.len(),
                    missing.first()
                ))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Restore { file, replace } => {
            let _claim = places.claim_to_replace()?;
            let manifest = backup::restore(&file, &installation, replace).await?;
            tell(&format!("Restored {}.", described(&manifest)))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Check { quick, json } => {
            let report = backup::check(&installation, if quick { Depth::Quick } else { Depth::Full }).await?;
            let text = if json { serde_json::to_string_pretty(&report)? } else { report.lines().join("\n") };
            writeln!(std::io::stdout(), "{text}")?;
            Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

fn described(manifest: &Manifest) -> String {
    let Manifest { rows, blobs, blob_bytes, schema, version, taken_at, .. } = manifest;
    format!(
        "{rows} rows and {blobs} files with {blob_bytes} bytes: schema {schema}, release {version}, as of {taken_at}"
    )
}

fn tell(text: &str) -> Result<()> {
    Ok(writeln!(std::io::stderr(), "{text}")?)
}
