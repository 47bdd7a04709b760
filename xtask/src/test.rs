//! `test`: every check of the project, the cheap ones first. The first failure ends it, when what runs beside it has ended. Where
//! `CI` is set, nothing that can be checked is left out: what a check needs and the machine lacks is a failure.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use tempfile::TempDir;
use tokio::process::Command;
use xtask::app::{RECORD_EXAMPLES, RECORD_STATEMENTS, Runtime};
use xtask::manifest::Manifest;
use xtask::redis::REDIS_SERVER;
use xtask::sandbox::Sandbox;
use xtask::{is_ci, root, target};

use crate::tool::{self, cargo, installed};
use crate::{
    clients, compile, configuration, coverage, demo_model, disk, dist, examples, fuzz, fuzz_api, older_sqlite,
    operations, packages, plans, scaled_out, validators,
};

/// The packages that share one build. The host has a build of its own, in the profile in which it runs: its engine is
/// too large to be compiled twice.
const ALL_BUT_HOST: [&str; 3] = ["--workspace", "--exclude", "host"];

/// How many tests the harness of Rust runs at a time.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

#[derive(Args)]
pub(crate) struct Options {
    /// Run the contract tests against the Spin CLI found on the PATH, and nothing else.
    #[arg(long)]
    spin: bool,
    /// Run the contract tests, and look for statements that go through a table that grows.
    #[arg(long, conflicts_with = "spin")]
    plans: bool,
    /// Run contract tests against three processes that share a libSQL server and a Redis server, and nothing else.
    #[arg(long, conflicts_with_all = ["spin", "plans"])]
    scaled: bool,
    /// Run the tests of clients, our own and others, and nothing else.
    #[arg(long, conflicts_with_all = ["spin", "plans", "scaled", "filter"])]
    clients: bool,
    /// Run only the contract tests whose names contain one of these.
    filter: Vec<String>,
}

pub(crate) async fn run(options: Options) -> Result<()> {
    let start = Instant::now();
    ensure!(!options.spin || installed("spin"), "there is no spin on the PATH: https://spinframework.dev/install");
    match (options.spin, options.filter.is_empty()) {
        (true, _) => {
            step("Build", compile::all(Runtime::Spin)).await?;
            step("Contract tests under Spin", contract_tests(Runtime::Spin, &options.filter, None)).await?;
        }
        (false, _) if options.scaled => {
            step("Build", compile::all(Runtime::Host)).await?;
            step("Scaled out", scaled_out::run(&options.filter)).await?;
        }
        (false, _) if options.clients => {
            step("Build", compile::all(Runtime::Host)).await?;
            step("Clients", client_libraries()).await?;
        }
        (false, _) if options.plans => {
            step("Build", compile::all(Runtime::Host)).await?;
            contract_tests_and_plans(&options.filter).await?;
        }
        (false, false) => {
            step("Build", compile::all(Runtime::Host)).await?;
            step("Contract tests", contract_tests(Runtime::Host, &options.filter, None)).await?;
        }
        (false, true) => {
            let advisories = everything().await?;
            eprintln!("\nAll of it passed, after {} s{advisories}.", start.elapsed().as_secs());
            return Ok(());
        }
    }
    eprintln!("\nAll of it passed, after {} s.", start.elapsed().as_secs());
    Ok(())
}

/// Programs that some checks need, and the package of Debian that has each.
const TOOLS: [(&str, &str); 11] = [
    ("python3", "python3-venv"),
    ("xmllint", "libxml2-utils"),
    ("chromium", "chromium"),
    ("c++", "g++"),
    (REDIS_SERVER, REDIS_SERVER),
    ("exim4", "exim4-daemon-light"),
    ("buildah", "buildah"),
    ("nginx", "nginx"),
    ("caddy", "caddy"),
    ("logrotate", "logrotate"),
    ("promtool", "prometheus"),
];

/// Does all of it, and tells in words what could not be looked up.
async fn everything() -> Result<&'static str> {
    if is_ci() {
        let missing = TOOLS.iter().filter(|(tool, _)| !installed(tool));
        let missing: Vec<_> = missing.map(|(tool, package)| format!("{tool} (apt-get install {package})")).collect();
        ensure!(missing.is_empty(), "CI is set, and a check needs what is not installed: {}", missing.join(", "));
    }
    disk::warn(&target())?;
    step("Formatting", formatting()).await?;
    let mut clippy = cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    step("Lints", tool::run(&mut clippy)).await?;
    step("Documentation", documentation()).await?;
    step("Spelling", spelling()).await?;
    step("Dependencies", dependencies()).await?;
    let advisories = advisories().await?;
    let (tested, described) = tokio::join!(step("Unit tests", unit_tests()), description());
    tested.and(described)?;
    step("Configuration", async { configuration::check() }).await?;
    fuzzing().await?;
    step("Build", compile::all(Runtime::Host)).await?;
    // The applications of all tests that follow have the compiled code as well.
    let mut host_tests = host_tests();
    let tests = step("Tests of the host", tool::run(&mut host_tests));
    let (tested, compiled) = tokio::join!(tests, step("Compiled code", tool::beside(dist::compile_code())));
    tested.and(compiled)?;
    contract_tests_and_plans(&[]).await?;
    // Either takes about one processor: requests wait for servers here, and one thing is done after another there.
    let (scaled, used) = tokio::join!(several_processes(), usage());
    scaled.and(used)?;
    Ok(advisories)
}

/// The unit tests. The contract tests are compiled with them, most of it while another processor does something else.
async fn unit_tests() -> Result<()> {
    let units = ["--lib", "--bins", "--test", "packages", "--test", "smtp"];
    let tests = |options: &[&str]| {
        let mut tests = cargo(["test"]);
        tests.args(ALL_BUT_HOST).args(units).args(options);
        tests
    };
    tool::run(&mut tests(&["--test", "api", "--no-run"])).await?;
    tool::run(&mut tests(&[])).await
}

async fn several_processes() -> Result<()> {
    if installed(REDIS_SERVER) || std::env::var_os("LECTERN_REDIS_URL").is_some() {
        return step("Scaled out", tool::beside(scaled_out::run(&[]))).await;
    }
    eprintln!("\n== Scaled out: NOT RUN, there is no {REDIS_SERVER} (apt-get install {REDIS_SERVER})");
    Ok(())
}

/// What others get, and what they do with it.
async fn usage() -> Result<()> {
    let shipped = async {
        dist::pack().await?;
        dist::check().await
    };
    step("What is shipped", tool::beside(shipped)).await?;
    step("API fuzzing", tool::beside(fuzz_api::everything())).await?;
    step("Clients", tool::beside(client_libraries())).await
}

/// What is compiled once more for the tests of the host: tests have another clock, and so has all that tells the time by it.
const COMPILED_FOR_HOST_TESTS: [&str; 14] = [
    "backup",
    "combine",
    "h2",
    "host",
    "hyper",
    "hyper-util",
    "libsql",
    "redis",
    "serving",
    "tokio",
    "tokio-rustls",
    "tokio-util",
    "wasmtime-wasi",
    "wasmtime-wasi-http",
];

/// With the engine as it was built to run. What stands above it is compiled without optimization, which takes four times as
/// long.
fn host_tests() -> Command {
    let mut tests = cargo(["test", "--profile", "host", "-p", "host", "--lib", "--bins"]);
    for package in COMPILED_FOR_HOST_TESTS {
        tests.arg("--config").arg(format!("profile.host.package.{package}.opt-level=0"));
    }
    tests
}

/// Of the workspace, and of the fuzz targets, which are one of their own.
async fn formatting() -> Result<()> {
    tool::run(&mut cargo(["fmt", "--all", "--check"])).await?;
    tool::run(&mut cargo(["fmt", "--manifest-path", "shared/fuzz/Cargo.toml", "--check"])).await
}

/// Of all that has a public interface. A component has none: its page would be empty.
async fn documentation() -> Result<()> {
    let mut doc = cargo(["doc", "--workspace", "--no-deps"]);
    for component in Manifest::load()?.component.keys() {
        doc.args(["--exclude", component]);
    }
    tool::run(doc.env("RUSTDOCFLAGS", "-D warnings")).await
}

/// Programs of others read the API description.
async fn description() -> Result<()> {
    let validated = async {
        let python = packages::python("openapi-venv", validators::REQUIREMENTS).await?;
        validators::run(&python).await?;
        clients::generate(&python, true).await?;
        validators::test_scripts(&python).await?;
        validators::compile_typescript(&python).await
    };
    step("API description", tool::beside(validated)).await?;
    step("Coverage", tool::beside(coverage::check())).await
}

/// The seeds of made-up input, where there is a compiler for libFuzzer.
async fn fuzzing() -> Result<()> {
    if !installed("c++") {
        eprintln!("\n== Fuzzing: NOT DONE, there is no C++ compiler");
        return Ok(());
    }
    step("Fuzzing", fuzz::seeds(fuzz::DEFAULT_SECONDS)).await
}

fn step(name: &str, work: impl Future<Output = Result<()>>) -> impl Future<Output = Result<()>> {
    // The state of some work is large.
    let work = Box::pin(work);
    async move {
        let start = Instant::now();
        eprintln!("\n== {name}");
        work.await.with_context(|| format!("FAILED: {name}"))?;
        eprintln!("== {name}: passed after {:.1} s", start.elapsed().as_secs_f64());
        Ok(())
    }
}

/// The contract tests, then whether all operations succeeded in them, and how SQLite goes about the statements that they have
/// made the components execute: the one that Spin brings, and an older one.
async fn contract_tests_and_plans(filter: &[String]) -> Result<()> {
    let records = Records { statements: tempfile::tempdir()?, requests: tempfile::tempdir()? };
    step("Contract tests", contract_tests(Runtime::Host, filter, Some(&records))).await?;
    if filter.is_empty() {
        step("Operations", async { operations::check(records.requests.path()) }).await?;
    }
    let queries = plans::Queries::read(records.statements.path())?;
    step("Plans", async { plans::check(&queries) }).await?;
    step("Statements on the SQLite of libSQL servers", older_sqlite::check(&queries)).await
}

/// The folders of what contract tests leave: the statements of the components, and requests with their answers.
struct Records {
    statements: TempDir,
    requests: TempDir,
}

/// The tests that ask a running application, which take filters. Twice as many at a time as there are processors: one
/// often waits.
pub(crate) fn application_tests() -> Command {
    let mut command = cargo(["test"]);
    command.args(ALL_BUT_HOST).args(["--test", "api", "--"]);
    if std::env::var_os(TEST_THREADS).is_none() {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        command.env(TEST_THREADS, (2 * processors).to_string());
    }
    command
}

async fn contract_tests(runtime: Runtime, filter: &[String], records: Option<&Records>) -> Result<()> {
    let mut command = application_tests();
    command.args(filter);
    if runtime == Runtime::Spin {
        command.env("LECTERN_TEST_SPIN", "1");
    }
    if let Some(records) = records {
        command.env(RECORD_STATEMENTS, records.statements.path());
        command.env(RECORD_EXAMPLES, records.requests.path());
    }
    tool::run(&mut command).await
}

/// Clients that we did not write, and then our own, against an app of their own; examples start their own sandboxes.
async fn client_libraries() -> Result<()> {
    let python = canvasapi().await?;
    let node = packages::python("openapi-venv", validators::REQUIREMENTS).await?;
    // Receivers of webhooks are on this machine, and so are the emulator of the queue and the model.
    let model = demo_model::start().await?;
    let settings = [
        ("ai_base_url", model.as_str()),
        ("development", "true"),
        ("aws_region", "us-east-1"),
        ("aws_access_key_id", "x"),
        ("aws_secret_access_key", "x"),
    ];
    let sandbox = Sandbox::new(Runtime::Host, &settings)?;
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    let variable = |name: &str| sandbox.variables.get(name).map_or("", String::as_str);
    let database = sandbox.folder.path().join("sqlite_db.db");
    let axe = validators::axe(&node).await?;
    let command = examples::sandbox_command();
    let modules = std::env::join_paths([target().join(validators::GENERATED), root().join("clients/python/src")])?;
    let environment = [
        ("LECTERN_AXE", axe.to_str().unwrap_or_default()),
        ("LECTERN_URL", app.base_url.as_str()),
        ("LECTERN_DATABASE", database.to_str().unwrap_or_default()),
        ("LECTERN_TOKEN", admin.token()),
        ("LECTERN_CLIENT_ID", variable("admin_client_id")),
        ("LECTERN_CLIENT_SECRET", variable("admin_client_secret")),
        ("LECTERN_COMMAND", command.as_str()),
    ];
    let tested = async {
        for folder in ["tests/clients", "clients/python"] {
            let mut pytest = Command::new(&python);
            pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", folder]);
            // The library would like https, which a test on the loopback address does not need.
            pytest.args(["-W", "ignore:Canvas may respond unexpectedly"]);
            pytest.env("PYTHONPATH", &modules);
            pytest.env("PYTHONDONTWRITEBYTECODE", "1").envs(environment);
            tool::run(&mut pytest).await?;
        }
        validators::test_typescript(&node, &environment).await?;
        examples::run(&node, &environment).await
    };
    let tested = tested.await;
    app.stop().await?;
    tested
}

/// Python, with canvasapi and what else the tests of clients need.
pub(crate) async fn canvasapi() -> Result<PathBuf> {
    Ok(packages::python("venv", "tests/clients/requirements.txt").await?.join("python"))
}

/// Mistakes of writing; `typos.toml` has the words that only look like them.
async fn spelling() -> Result<()> {
    tool::run(&mut Command::new(ready_made("typos", "typos-cli").await?)).await
}

/// The crates that may be linked in, and the places they may come from.
async fn dependencies() -> Result<()> {
    let deny = ready_made("cargo-deny", "cargo-deny").await?;
    tool::run(Command::new(deny).args(["check", "bans", "licenses", "sources"])).await
}

/// Known weaknesses of what is linked in, where the database of them can be reached: the words for where it cannot.
async fn advisories() -> Result<&'static str> {
    let deny = ready_made("cargo-deny", "cargo-deny").await?;
    if let Err(error) = tool::run(Command::new(&deny).args(["fetch", "db"])).await {
        eprintln!("\n== Advisories: NOT CHECKED, their database cannot be reached: {error:#}");
        return Ok("; but advisories were not checked, because their database cannot be reached");
    }
    step("Advisories", tool::run(Command::new(deny).args(["check", "advisories"]))).await?;
    Ok("")
}

/// The program on the `PATH`, or one that was built by others: to build it takes longer than all the checks together.
async fn ready_made(program: &str, package: &str) -> Result<PathBuf> {
    if installed(program) {
        return Ok(program.into());
    }
    let folder = packages::python("tools", "xtask/requirements.txt").await;
    let how = || format!("there is no {program}: install it with `cargo install --locked {package}`");
    Ok(folder.with_context(how)?.join(program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuous_integration_installs_each_tool_and_the_readme_names_it() {
        let [script, readme] = [".ci/run", "README.md"].map(|file| std::fs::read_to_string(root().join(file)).unwrap());
        let words: Vec<_> = script.split(|c: char| c.is_whitespace() || c == ';').collect();
        for (tool, package) in TOOLS.iter().filter(|(tool, _)| *tool != "python3") {
            assert!(words.contains(tool) && words.contains(package), ".ci/run: {tool} of {package}");
            let named = match *tool {
                "c++" => "| a C++ compiler |".to_owned(),
                "chromium" => "| Chromium |".to_owned(),
                tool => format!("`{tool}`"),
            };
            assert!(readme.contains(&named), "README.md: {named}");
        }
    }
}
