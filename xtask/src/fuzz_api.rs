//! `fuzz-api`: schemathesis, which we did not write, reads the API description, sends what it allows and what it does not, and
//! holds each answer against it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Args;
use tokio::process::Command;
use xtask::app::Runtime;
use xtask::sandbox::Sandbox;
use xtask::{manifest, root};

use crate::clients::DESCRIPTION;
use crate::{classroom, compile, demo, packages, tool};

const REQUIREMENTS: &str = "xtask/api-description/validators/schemathesis.txt";
const SETTINGS: &str = "xtask/api-description/validators/schemathesis.toml";
/// An hour.
const DEFAULT_SECONDS: u64 = 3600;
/// The requests of the test command.
const REPEATED: [&str; 4] =
    ["--phases=examples,fuzzing", "--max-examples=5", "--generation-deterministic", "--warnings=off"];

#[derive(Args)]
pub(crate) struct Options {
    /// For how many seconds.
    #[arg(long, default_value_t = DEFAULT_SECONDS)]
    seconds: u64,
    /// Send what the test command sends: a few requests to each operation, the same ones each time.
    #[arg(long, conflicts_with_all = ["seconds", "seed", "operations"])]
    repeated: bool,
    /// What the random choices follow from; by default something else each time.
    #[arg(long)]
    seed: Option<u64>,
    /// Only operations whose ids this regular expression finds.
    #[arg(long)]
    operations: Option<String>,
}

/// Looks for what is new.
pub(crate) async fn run(options: Options) -> Result<()> {
    if !manifest::is_another() {
        compile::all(Runtime::Host).await?;
    }
    if options.repeated {
        return everything().await;
    }
    let seed = options.seed.unwrap_or_else(|| fastrand::u64(..u64::from(u32::MAX)));
    eprintln!("The seed is {seed}");
    let mut flags =
        vec![format!("--max-time={}", options.seconds), format!("--seed={seed}"), "--max-examples=100".to_owned()];
    flags.extend(options.operations.map(|ids| format!("--include-operation-id-regex={ids}")));
    send(&flags).await
}

/// Sends a few requests to each operation, the same ones each time.
pub(crate) async fn everything() -> Result<()> {
    send(&REPEATED.map(str::to_owned)).await
}

/// Runs schemathesis against an application with the demo data.
async fn send(flags: &[String]) -> Result<()> {
    let python = packages::python("schemathesis-venv", REQUIREMENTS).await?;
    let sandbox = Sandbox::new(Runtime::Host, &[("development", "true")])?;
    let app = sandbox.start().await?;
    let sent = async {
        let admin = sandbox.admin(&app).await?;
        demo::load(&admin, None).await?;
        let (tool, district) = (classroom::tool(&admin, "A tool").await?, classroom::district(&admin).await?);
        let variable = |name: &str| sandbox.variables.get(name).map_or("", String::as_str);
        let credentials = [
            ("LECTERN_CLIENT_ID", variable("admin_client_id")),
            ("LECTERN_CLIENT_SECRET", variable("admin_client_secret")),
            ("LECTERN_TOOL_TOKEN", tool.token()),
            ("LECTERN_MASTERY_TOKEN", district.token()),
            ("LECTERN_TICK_TOKEN", variable("tick_token")),
        ];
        schemathesis(&python, &app.base_url, flags, &credentials).await
    };
    let sent = sent.await;
    app.stop().await?;
    sent
}

async fn schemathesis(python: &Path, address: &str, flags: &[String], credentials: &[(&str, &str)]) -> Result<()> {
    let mut command = Command::new(python.join("schemathesis"));
    command.arg("--config-file").arg(root().join(SETTINGS)).arg("run").arg(root().join(DESCRIPTION));
    // One worker: hypothesis sets the recursion limit of the whole process, and where another thread compiles at that moment,
    // Python ends it with "AST constructor recursion depth mismatch".
    command.args(["--url", address, "--workers=1", "--continue-on-failure", "--no-color"]).args(flags);
    // It keeps what it found in the folder where it runs.
    let folder = tempfile::tempdir()?;
    command.current_dir(folder.path()).envs(credentials.iter().copied());
    let status = tool::status(&mut command).await.context("schemathesis")?;
    if !status.success() {
        bail!("schemathesis: {status}");
    }
    Ok(())
}
