//! The developer commands of Lectern: `cargo xtask help` lists them.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it speaks to the person at the terminal")]

mod bench;
mod chaos;
mod classroom;
mod client_packages;
mod clients;
mod compile;
mod configuration;
mod coverage;
mod demo;
mod demo_model;
mod disk;
mod dist;
mod examples;
mod fuzz;
mod fuzz_api;
mod moving;
mod older_sqlite;
mod openapi;
mod operations;
mod outbox;
mod packages;
mod plans;
mod receiver;
mod round_trips;
mod sandbox_host;
mod scaled_out;
mod schema;
mod test;
mod tool;
mod up;
mod validators;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand};
use xtask::client::Client;
use xtask::folder::DataFolder;

/// Developer commands of Lectern.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build what is stale, start the app, load demo data on an empty data folder, and run until Ctrl-C.
    Up(up::Options),
    /// Build what is stale, and serve for the tests of a client: with snapshots, a clock that can be set, faults, and an inbox of
    /// webhooks.
    #[command(disable_help_flag = true)]
    Sandbox(sandbox_host::Options),
    /// Run every check of the project, or only the contract tests whose names contain a filter.
    Test(test::Options),
    /// Load the demo data into a running app: what is there already is left as it is.
    Seed(Running),
    /// Print a personal token of a user of a running app.
    Token {
        /// The user's login.
        #[arg(long)]
        user: String,
        #[command(flatten)]
        running: Running,
    },
    /// Measure how many requests the app answers, and how fast.
    Bench(bench::Options),
    /// Kill processes and servers again and again while clients write, and look for what was lost.
    Chaos(chaos::Options),
    /// Serve a SQLite file as a libSQL server would: `chaos` kills it.
    #[command(hide = true)]
    LibsqlServer {
        /// The SQLite file.
        file: PathBuf,
        /// The address to listen on.
        #[arg(long)]
        listen: String,
    },
    /// Move an installation from its data folder to servers that several processes can share, or back.
    #[command(subcommand)]
    Move(moving::Options),
    /// Count how often each of some reads goes to the database, and measure what a way there costs.
    RoundTrips(round_trips::Options),
    /// Look for input that crashes what reads the input of strangers, or costs it too much.
    Fuzz(fuzz::Options),
    /// Send the application what its API description allows and what it does not, and look for answers that it does not know.
    FuzzApi(fuzz_api::Options),
    /// Write the files of our own clients that follow from the API description.
    Clients(clients::Options),
    /// Write the reference of all variables, `docs/CONFIGURATION.md`.
    Configuration(configuration::Options),
    /// Write how much of what canvasapi calls is here, `docs/COVERAGE.md`.
    Coverage(coverage::Options),
    /// Build and pack what runs without a compiler: a tarball, a wheel and packages for Node, in `target/dist`.
    Dist(dist::Options),
    /// Bring every file that is made from others up to date: what `openapi`, `clients`, `coverage` and `configuration` write.
    Generate,
    /// Write the API description, `openapi.json` and the pages, from the tables of endpoints and the guides.
    Openapi {
        /// Change nothing; fail if the files do not say what the tables say.
        #[arg(long)]
        check: bool,
    },
}

/// Loads what of the demo data is not there, and says what was made.
async fn seed(running: Running) -> Result<()> {
    let receiver = match DataFolder::existing(running.data.path()) {
        Some(folder) => demo::receiver::running(&folder).await,
        None => None,
    };
    let loaded = demo::load(&running.admin().await?, receiver.as_deref()).await?;
    for line in loaded.lines() {
        terminal::println!("{line}");
    }
    terminal::println!("{}", loaded.summary());
    Ok(())
}

/// An app that runs already.
#[derive(Args)]
struct Running {
    /// Its address; by default that of the app on the data folder.
    #[arg(long)]
    base_url: Option<String>,
    /// The token of an administrator; by default the data folder's secrets get one.
    #[arg(long)]
    token: Option<String>,
    #[command(flatten)]
    data: Data,
}

/// The data folder.
#[derive(Args)]
struct Data {
    /// Where the state lies; by default `.spin` in the folder of the workspace.
    #[arg(long)]
    data_dir: Option<PathBuf>,
}

impl Data {
    fn path(&self) -> PathBuf {
        self.data_dir.clone().unwrap_or_else(|| xtask::root().join(".spin"))
    }

    fn folder(&self) -> Result<DataFolder> {
        DataFolder::open(self.path())
    }
}

impl Running {
    async fn admin(self) -> Result<Client> {
        // A question about a folder does not make it.
        let folder = DataFolder::existing(self.data.path());
        let address = self.base_url.or_else(|| folder.as_ref()?.address());
        let nowhere = || {
            format!("no app runs on the data folder {}: start one with `cargo xtask up`", self.data.path().display())
        };
        let address = address.with_context(nowhere)?;
        let address = address.trim_end_matches('/');
        match (self.token, folder) {
            (Some(token), _) => Ok(Client::new(address, &token)),
            (None, Some(folder)) => Client::admin(address, &folder.variables()?).await,
            (None, None) => bail!("there is no data folder with secrets for {address}: name one, or give a --token"),
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse().command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<()> {
    match command {
        Command::Up(options) => up::run(options).await,
        Command::Sandbox(options) => sandbox_host::run(&options).await,
        Command::Test(options) => test::run(options).await,
        Command::Seed(running) => seed(running).await,
        Command::Token { user, running } => {
            let token = running.admin().await?.token_of(&user, "cargo xtask token").await?;
            println!("{}", token.with_context(|| format!("nobody has the login {user}"))?);
            Ok(())
        }
        Command::Bench(options) => bench::run(options).await,
        Command::Chaos(options) => chaos::run(options).await,
        Command::LibsqlServer { file, listen } => {
            libsql_test_server::Server::start(&file, &listen, libsql_test_server::Options::default()).await?;
            std::future::pending().await
        }
        Command::Move(options) => moving::run(options).await,
        Command::RoundTrips(options) => round_trips::run(options).await,
        Command::Fuzz(options) => fuzz::run(options).await,
        Command::FuzzApi(options) => fuzz_api::run(options).await,
        Command::Clients(options) => clients::run(&options).await,
        Command::Configuration(options) => configuration::run(&options),
        Command::Coverage(options) => coverage::run(&options).await,
        Command::Dist(options) => dist::run(&options).await,
        Command::Generate => generate().await,
        Command::Openapi { check } => openapi::run(check).await,
    }
}

/// Writes what is made from others, each after what it is made of.
async fn generate() -> Result<()> {
    schema::write()?;
    openapi::run(false).await?;
    clients::run(&clients::Options::default()).await?;
    coverage::run(&coverage::Options::default()).await?;
    configuration::run(&configuration::Options::default())
}
