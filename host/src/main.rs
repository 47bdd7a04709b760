//! `lectern-host`: serves the application of a `spin.toml`. Its options are spelt as those of `spin up`. Its subcommands back up
//! the application's data, restore and check them.

mod commands;
mod sandbox_command;

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::num::{NonZeroU16, NonZeroUsize};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use commands::Command;
use host::{App, InstanceLimits, Options, Places, WrongVariables};
use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serving::{address, listen, stop_signal};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The exit code where variables have values that they do not take: `EX_CONFIG` of sysexits, by which systemd knows that a
/// new start would help nothing.
const WRONG_CONFIGURATION: u8 = 78;

/// Runs a Spin application (HTTP triggers) without the Spin CLI.
#[derive(Parser)]
#[command(name = "lectern-host", version)]
#[command(subcommand_help_heading = "Commands, instead of serving")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The application manifest, or the folder that has it.
    #[arg(short, long, default_value = "spin.toml", global = true)]
    from: PathBuf,
    /// The address to listen on, or a port of this machine alone; port 0 picks a free one.
    #[arg(long, env = "SPIN_HTTP_LISTEN_ADDR", default_value = "127.0.0.1:3000", value_parser = address)]
    listen: SocketAddr,
    /// Where data and logs are kept; by default `.spin` beside the manifest.
    #[arg(long, global = true)]
    state_dir: Option<PathBuf>,
    /// The value of an application variable; stronger than `SPIN_VARIABLE_<NAME>` in the environment.
    #[arg(long = "variable", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<(String, String)>,
    /// Spin's runtime configuration: places of databases and stores, blocked networks.
    #[arg(long, env = "RUNTIME_CONFIG_FILE", value_name = "CONFIG", global = true)]
    runtime_config_file: Option<PathBuf>,
    /// Run only this component; may be given more than once.
    #[arg(short, long = "component-id", value_name = "ID")]
    component_id: Vec<String>,
    /// Keep the output of components and the progress of compiling off the terminal.
    #[arg(short, long)]
    quiet: bool,
    /// Requests that one instance answers before it is replaced.
    #[arg(long, value_name = "COUNT", default_value = "128")]
    max_instance_reuse_count: NonZeroUsize,
    /// Requests that one instance answers at the same time; Spin's own default is 16.
    #[arg(long, value_name = "COUNT", default_value = "1")]
    max_instance_concurrent_reuse_count: NonZeroUsize,
    /// Reads that are worked on at the same time, and as many writes; others wait, in the order in which they came. By default eight
    /// for each core, and 64 where the database is on a server. Who takes longer than 0.1 s counts no more.
    #[arg(long, value_name = "COUNT")]
    max_concurrent_requests: Option<NonZeroU16>,
    /// The time for which an instance without a request is kept, for example 1s or 500ms.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    idle_instance_timeout: Duration,
    /// The limit for a request, for example 30s; none by default.
    #[arg(long, value_name = "TIME", value_parser = limit)]
    request_timeout: Option<Duration>,
    /// A network that no component may connect to: `private`, or one like 10.0.0.0/8; may be given more than once.
    #[arg(long = "block-networks", value_name = "NETWORK")]
    block_networks: Vec<String>,
    /// Let components connect to private networks even if they are blocked; for development.
    #[arg(long)]
    allow_private_networks: bool,
    /// Serve figures for Prometheus at this address, under /metrics; none by default. They need no token: keep the address
    /// from strangers.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    metrics_listen: Option<SocketAddr>,
    /// Compile each component at the first request to it and no other. Without it, all others are compiled while the first
    /// requests are answered. In both cases one is in memory when it is asked for, and for two minutes afterwards.
    #[arg(long)]
    load_on_demand: bool,
    /// For development: write each statement that a component executes to this file, as a line of JSON with its count.
    #[arg(long, value_name = "FILE")]
    record_statements: Option<PathBuf>,
}

#[expect(clippy::print_stderr, reason = "the reason why the program ends is for the person who started it")]
fn main() -> ExitCode {
    match in_runtime(run(&Arguments::command().get_matches())) {
        Ok(code) => code,
        Err(error) => match error.downcast_ref::<WrongVariables>() {
            Some(wrong) => {
                for line in wrong.lines() {
                    eprintln!("Error: {line}");
                }
                ExitCode::from(WRONG_CONFIGURATION)
            }
            None => {
                eprintln!("Error: {error:#}");
                ExitCode::FAILURE
            }
        },
    }
}

fn in_runtime(work: impl Future<Output = Result<ExitCode>>) -> Result<ExitCode> {
    let runtime = tokio::runtime::Runtime::new().context("cannot start threads")?;
    let ended = runtime.block_on(work);
    // Who stops it does not wait for the component that is just being compiled.
    runtime.shutdown_background();
    ended
}

async fn run(given: &ArgMatches) -> Result<ExitCode> {
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();

    let mut arguments = Arguments::from_arg_matches(given)?;
    let Some(command) = arguments.command.take() else { return serve(arguments).await };
    refuse_what_is_for_serving(given)?;
    let manifest = arguments.manifest();
    match command {
        // Whoever serves reads what this writes.
        Command::Compile { folder } => commands::compile(&manifest, folder),
        Command::Sandbox(wanted) => {
            ensure!(
                !is_given(given, "runtime_config_file"),
                "a sandbox has its data in a folder of its own and no runtime configuration: leave --runtime-config-file out"
            );
            keep_files_private();
            open_many_files();
            sandbox_command::run(wanted, manifest, arguments.state_dir).await
        }
        Command::WithData(command) => {
            keep_files_private();
            let places = Places::find(&manifest, arguments.state_dir, arguments.runtime_config_file.as_deref())?;
            commands::run(command, &places).await
        }
    }
}

/// Whether the command line has an option; the environment may have it for another program.
fn is_given(given: &ArgMatches, option: &str) -> bool {
    let with_command = given.subcommand().map(|(_, given)| given);
    let mut sources = [Some(given), with_command].into_iter().flatten().map(|given| given.value_source(option));
    sources.any(|source| source == Some(ValueSource::CommandLine))
}

/// Fails where an option stands before a command that does not look at it: behind it, it may have one of the same name.
fn refuse_what_is_for_serving(given: &ArgMatches) -> Result<()> {
    let (Some(name), command) = (given.subcommand_name(), Arguments::command()) else { return Ok(()) };
    let mut of_serving = command.get_arguments().filter(|option| !option.is_global_set());
    let passed_over =
        of_serving.find(|option| given.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine));
    match passed_over.and_then(|option| option.get_long()) {
        Some(option) => {
            bail!("--{option} before `{name}` is for serving: `lectern-host {name} --help` lists what it takes")
        }
        None => Ok(()),
    }
}

async fn serve(arguments: Arguments) -> Result<ExitCode> {
    keep_files_private();
    open_many_files();
    let listener = listen(arguments.listen, "--listen").await?;
    let address = listener.local_addr()?;
    let metrics_listener = match arguments.metrics_listen {
        Some(address) => Some(listen(address, "--metrics-listen").await?),
        None => None,
    };
    let manifest = arguments.manifest();
    let app = App::load(&manifest, arguments.options())?;
    let stop = stop_signal()?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "Serving http://{address}")?;
    if let Some(listener) = metrics_listener {
        writeln!(stdout, "Figures http://{}/metrics", listener.local_addr()?)?;
        tokio::spawn(app.metrics().serve(listener));
    }
    if let Some(welcome) = app.welcome(address).filter(|_| stdout.is_terminal()) {
        terminal::println!("{welcome}");
    }
    stdout.flush()?;
    app.serve(listener, stop).await?;
    Ok(ExitCode::SUCCESS)
}

/// Lets this process open as many files as it may. A connection is one, and so is each database that an instance has open: the
/// 1,024 with which a shell starts programs are used up by as many clients that do nothing.
fn open_many_files() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
    {
        tracing::warn!("no more than {} files may be open at one time: {error}", current.unwrap_or_default());
    }
}

/// Data, logs and backups are for nobody else on the machine.
fn keep_files_private() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

impl Arguments {
    fn manifest(&self) -> PathBuf {
        if self.from.is_dir() { self.from.join("spin.toml") } else { self.from.clone() }
    }

    fn options(self) -> Options {
        Options {
            state_dir: self.state_dir,
            variables: self.variables,
            runtime_config: self.runtime_config_file,
            components: self.component_id,
            block_networks: self.block_networks,
            allow_private_networks: self.allow_private_networks,
            quiet: self.quiet,
            instances: InstanceLimits {
                requests: self.max_instance_reuse_count.get(),
                concurrent_requests: self.max_instance_concurrent_reuse_count.get(),
                idle: self.idle_instance_timeout,
                request: self.request_timeout,
            },
            concurrent_requests: self.max_concurrent_requests.map(|count| count.get().into()),
            load_on_demand: self.load_on_demand,
            record_statements: self.record_statements,
            clock: None,
            disposable: false,
        }
    }
}

pub(crate) fn variable(text: &str) -> Result<(String, String)> {
    let (name, value) = text.split_once('=').context("a variable is given as name=value")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn duration(text: &str) -> Result<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().context("a time is given as a number with ms, s, m or h")?;
    Ok(match text.strip_prefix(digits) {
        Some("ms") => Duration::from_millis(number),
        Some("s" | "") => Duration::from_secs(number),
        Some("m") => Duration::from_secs(number.saturating_mul(60)),
        Some("h") => Duration::from_secs(number.saturating_mul(3600)),
        _ => bail!("a time is given as a number with ms, s, m or h"),
    })
}

/// A time within which something can be done.
fn limit(text: &str) -> Result<Duration> {
    let limit = duration(text)?;
    ensure!(!limit.is_zero(), "nothing is done in no time: leave the option out for no limit");
    Ok(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_a_command_does_not_look_at_is_refused_before_it() {
        let given = |line: &str| Arguments::command().get_matches_from(line.split(' '));
        for line in [
            "host --listen 3000 sandbox",
            "host -q compile",
            "host --variable a=b check",
            "host --component-id a backup -",
        ] {
            let refused = refuse_what_is_for_serving(&given(line)).unwrap_err().to_string();
            assert!(refused.contains("is for serving"), "{refused}");
        }
        for line in
            ["host sandbox --listen 3000", "host --from a --state-dir b backup -", "host check --runtime-config-file a"]
        {
            refuse_what_is_for_serving(&given(line)).unwrap();
        }
        assert!(is_given(&given("host --runtime-config-file a sandbox"), "runtime_config_file"));
        assert!(is_given(&given("host sandbox --runtime-config-file a"), "runtime_config_file"));
        assert!(!is_given(&given("host sandbox"), "runtime_config_file"));
    }

    #[test]
    fn times_and_variables() {
        assert_eq!(duration("500ms").unwrap(), Duration::from_millis(500));
        assert_eq!(duration("2").unwrap(), Duration::from_secs(2));
        assert_eq!(duration("1m").unwrap(), Duration::from_secs(60));
        assert!(duration("soon").is_err());
        assert_eq!(limit("1h").unwrap(), Duration::from_secs(3600));
        assert!(limit("0s").unwrap_err().to_string().contains("leave the option out"));
        assert_eq!(variable("a=b=c").unwrap(), ("a".to_owned(), "b=c".to_owned()));
        assert!(variable("a").is_err());
    }
}
