//! `test`: every check of the project, the cheap ones first. The first failure ends it.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use tokio::process::Command;
use xtask::app::{App, Launch, Runtime};
use xtask::client::Client;
use xtask::folder::DataFolder;
use xtask::{root, target};

use crate::compile;
use crate::tool::{self, cargo, installed};

/// The packages that share one build. The host has a build of its own, in the profile in which it runs: its engine is
/// too large to be compiled twice.
const ALL_BUT_HOST: [&str; 3] = ["--workspace", "--exclude", "host"];

#[derive(Args)]
pub(crate) struct Options {
    /// Run the contract tests against the Spin CLI found on the PATH, and nothing else.
    #[arg(long)]
    spin: bool,
    /// Run only the contract tests whose names contain one of these.
    filter: Vec<String>,
}

pub(crate) async fn run(options: Options) -> Result<()> {
    let start = Instant::now();
    if options.spin && !installed("spin") {
        eprintln!("Skipped: there is no spin on the PATH.");
        return Ok(());
    }
    match (options.spin, options.filter.is_empty()) {
        (true, _) => {
            step("Build", compile::all(Runtime::Spin)).await?;
            step("Contract tests under Spin", contract_tests(Runtime::Spin, &options.filter)).await?;
        }
        (false, false) => {
            step("Build", compile::all(Runtime::Host)).await?;
            step("Contract tests", contract_tests(Runtime::Host, &options.filter)).await?;
        }
        (false, true) => everything().await?,
    }
    eprintln!("\nAll of it passed, after {} s.", start.elapsed().as_secs());
    Ok(())
}

async fn everything() -> Result<()> {
    step("Formatting", tool::run(&mut cargo(["fmt", "--all", "--check"]))).await?;
    let mut clippy = cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    step("Lints", tool::run(&mut clippy)).await?;
    let mut doc = cargo(["doc", "--workspace", "--no-deps"]);
    step("Documentation", tool::run(doc.env("RUSTDOCFLAGS", "-D warnings"))).await?;
    if installed("cargo-deny") {
        step("Dependencies", tool::run(&mut cargo(["deny", "check"]))).await?;
    } else {
        eprintln!("\n== Dependencies: skipped, cargo-deny is not installed");
    }
    let mut units = cargo(["test"]);
    step("Unit tests", tool::run(units.args(ALL_BUT_HOST).args(["--lib", "--bins", "--test", "packages"]))).await?;
    step("Build", compile::all(Runtime::Host)).await?;
    step("Tests of the host", tool::run(&mut cargo(["test", "--profile", "host", "-p", "host"]))).await?;
    step("Contract tests", contract_tests(Runtime::Host, &[])).await?;
    step("Clients in Python", python_clients()).await
}

async fn step(name: &str, work: impl Future<Output = Result<()>>) -> Result<()> {
    let start = Instant::now();
    eprintln!("\n== {name}");
    work.await.with_context(|| format!("FAILED: {name}"))?;
    eprintln!("== {name}: passed after {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

async fn contract_tests(runtime: Runtime, filter: &[String]) -> Result<()> {
    let mut command = cargo(["test"]);
    command.args(ALL_BUT_HOST).args(["--test", "api", "--"]).args(filter);
    if runtime == Runtime::Spin {
        command.env("LECTERN_TEST_SPIN", "1");
    }
    tool::run(&mut command).await
}

/// Clients that we did not write, against an app of their own.
async fn python_clients() -> Result<()> {
    let python = virtual_environment().await?;
    let temporary = tempfile::tempdir()?;
    let folder = DataFolder::open(temporary.path())?;
    let mut variables = folder.variables()?;
    // Receivers of webhooks are on this machine, and so is the emulator of the queue.
    let settings = [
        ("development", "true"),
        ("aws_region", "us-east-1"),
        ("aws_access_key_id", "x"),
        ("aws_secret_access_key", "x"),
    ];
    variables.extend(settings.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let launch =
        Launch { runtime: Runtime::Host, listen: "127.0.0.1:0", folder: &folder, variables: &variables, quiet: true };
    let app = App::start(&launch).await?;
    let admin = Client::admin(&app.base_url, &variables).await?;
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "tests/clients"]);
    // The library would like https, which a test on the loopback address does not need.
    pytest.args(["-W", "ignore:Canvas may respond unexpectedly"]);
    pytest.env("PYTHONDONTWRITEBYTECODE", "1");
    pytest.env("LECTERN_URL", &app.base_url).env("LECTERN_TOKEN", admin.token());
    let tested = tool::run(&mut pytest).await;
    app.stop().await?;
    tested
}

/// The interpreter of an environment that has what the clients need, and is made anew when that changes.
async fn virtual_environment() -> Result<PathBuf> {
    let requirements = root().join("tests/clients/requirements.txt");
    let wanted = std::fs::read_to_string(&requirements).context("tests/clients/requirements.txt")?;
    let folder = target().join("venv");
    let (python, installed) = (folder.join("bin/python"), folder.join("installed.txt"));
    if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
        tool::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder)).await?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--requirement"])
            .arg(&requirements);
        tool::run(&mut pip).await?;
        std::fs::write(installed, wanted)?;
    }
    Ok(python)
}
