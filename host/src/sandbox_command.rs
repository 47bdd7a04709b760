//! `lectern-host sandbox`: serves for the tests of a client.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;
use host::sandbox::{Ready, Start};
use serving::{address, listen, stop_signal};
use tokio::io::AsyncReadExt;

use crate::variable;

#[derive(Args)]
pub(crate) struct Wanted {
    /// The address to listen on, of this machine alone, or its port; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:3000", value_parser = address)]
    listen: SocketAddr,
    /// A scenario to begin with, YAML or JSON.
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Begin with a copy of this state folder; what is in it stays as it is.
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// When ready, print one line of JSON with the address, the process id and the tokens, and nothing else.
    #[arg(long)]
    json: bool,
    /// End when standard input does: with whoever has started it.
    #[arg(long)]
    with_parent: bool,
    /// Call for background work only when a test asks for it; by default it is called for every second.
    #[arg(long)]
    no_tick: bool,
    /// The value of an application variable; stronger than `SPIN_VARIABLE_<NAME>` in the environment.
    #[arg(long = "variable", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<(String, String)>,
    /// Show the output of components.
    #[arg(long)]
    verbose: bool,
}

/// Serves until it is told to stop, or whoever has started it ends.
pub(crate) async fn run(wanted: Wanted, manifest: PathBuf, state_dir: Option<PathBuf>) -> Result<ExitCode> {
    ensure!(state_dir.is_none(), "a sandbox keeps nothing: --state FOLDER begins with a copy of a state folder");
    Start::check_address(wanted.listen)?;
    let stop = stop_signal()?;
    let listener = listen(wanted.listen, "--listen").await?;
    let start = Start {
        manifest,
        scenario: wanted.scenario,
        state: wanted.state,
        variables: wanted.variables,
        ticks_by_itself: !wanted.no_tick,
        quiet: !wanted.verbose,
    };
    let with_parent = wanted.with_parent;
    let stop = async move {
        tokio::select! {
            () = stop => {}
            () = end_of_input(), if with_parent => {}
        }
    };
    let mut stop = std::pin::pin!(stop);
    writeln!(std::io::stderr(), "Starting; components that nobody has compiled yet take a minute")?;
    let Some(sandbox) = start.start(&listener, &mut stop).await? else { return Ok(ExitCode::SUCCESS) };
    announce(&sandbox.ready(), wanted.json)?;
    sandbox.serve(listener, stop).await?;
    Ok(ExitCode::SUCCESS)
}

/// Ready when nobody can write to standard input any more.
async fn end_of_input() {
    let (mut input, mut buffer) = (tokio::io::stdin(), [0; 512]);
    while input.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
}

fn announce(ready: &Ready, as_json: bool) -> Result<()> {
    let mut output = std::io::stdout();
    if as_json {
        writeln!(output, "{}", serde_json::to_string(ready)?)?;
        return Ok(output.flush()?);
    }
    writeln!(output, "Serving {}\n\nTokens:", ready.address)?;
    for (login, token) in &ready.tokens {
        writeln!(output, "  {login:8} {token}")?;
    }
    let address = &ready.address;
    writeln!(output, "\nThe sandbox is at {address}/sandbox, the reference at {address}/docs. Ctrl-C stops it.")?;
    Ok(output.flush()?)
}
