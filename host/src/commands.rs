//! What `lectern-host` does with an application and its data besides serving them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use backup::{Depth, Destination, Manifest};
use clap::Subcommand;
use host::{Places, compile_ahead};

use crate::sandbox_command::Wanted;

/// The release that makes and reads backups.
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serves for the tests of a client: on a state that goes with it, with an API that sets it back, moves its clock, and lets
    /// calls fail.
    Sandbox(Wanted),
    /// Compiles the components ahead of the first start, for any machine of this architecture.
    Compile {
        /// Where the code goes, in place of what is there; by default into `compiled` beside the manifest, from where every
        /// start takes it.
        folder: Option<PathBuf>,
    },
    #[command(flatten)]
    WithData(DataCommand),
}

/// What is done with the data of an application.
#[derive(Subcommand)]
pub(crate) enum DataCommand {
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

/// Compiles the components of that application ahead of its starts.
pub(crate) fn compile(manifest: &Path, folder: Option<PathBuf>) -> Result<ExitCode> {
    let files = compile_ahead(manifest, folder)?;
    tell(&format!("Compiled {files} components."))?;
    Ok(ExitCode::SUCCESS)
}

/// Does with the data what was asked for. People are told of it on standard error, so that standard output is free for an archive.
pub(crate) async fn run(command: DataCommand, places: &Places) -> Result<ExitCode> {
    let installation = places.installation().await?;
    match command {
        DataCommand::Backup { file } => {
            let to = if file.as_os_str() == "-" { Destination::Stdout } else { Destination::File(file) };
            let manifest = backup::back_up(&installation, VERSION, &to).await?;
            tell(&format!("Backed up {places}: {}.", described(&manifest)))?;
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
        DataCommand::Restore { file, replace } => {
            let _claim = places.claim_to_replace()?;
            let manifest = backup::restore(&file, &installation, replace).await?;
            tell(&format!("Restored {places}: {}.", described(&manifest)))?;
            Ok(ExitCode::SUCCESS)
        }
        DataCommand::Check { quick, json } => {
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
