//! `up`: from a clone to a running app with one command.

use std::io::IsTerminal;
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::{Map, Value, json};
use tokio::signal::unix::{SignalKind, signal};
use xtask::app::{App, Launch, Runtime};
use xtask::client::Client;
use xtask::folder::{DataFolder, Variables};
use xtask::manifest::Manifest;
use xtask::scaled::Scaled;

use crate::outbox::Outbox;
use crate::{Data, compile, demo, demo_model};

/// Whose tokens are printed; the administrator's always is.
const DEMO_LOGINS: [&str; 2] = ["teacher", "student"];
const PURPOSE: &str = "cargo xtask up";

#[derive(Args)]
pub(crate) struct Options {
    /// The address to listen on; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:3000")]
    listen: String,
    #[command(flatten)]
    data: Data,
    /// A Spin variable; it overrides the environment and the generated secrets.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<(String, String)>,
    /// Seconds between ticks, which set off background work; 0: none.
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    tick: u64,
    /// Load no demo data.
    #[arg(long)]
    no_demo: bool,
    /// Talk with a scripted stand-in for a model, so that AI conversations can be tried without one.
    #[arg(long)]
    demo_model: bool,
    /// When ready, print one line of JSON with the address, the tokens and the process id, and nothing else.
    #[arg(long)]
    json: bool,
    /// Use the Spin CLI found on the PATH.
    #[arg(long)]
    spin: bool,
    /// Serve with so many processes behind one front. They share the servers that `LECTERN_LIBSQL_URL` (with
    /// `LECTERN_LIBSQL_TOKEN`) and `LECTERN_REDIS_URL` name, or else ones that are started here.
    #[arg(long, value_name = "PROCESSES", value_parser = clap::value_parser!(u8).range(1..=32))]
    scale: Option<u8>,
    /// Allow what only a developer's machine should allow (the default).
    #[arg(long, overrides_with = "no_dev")]
    dev: bool,
    /// Behave as in production.
    #[arg(long)]
    no_dev: bool,
}

/// What serves: one process on the data folder, or several that share their data elsewhere.
enum Serving {
    One(App),
    Several(Scaled),
}

impl Serving {
    async fn start(launch: &Launch<'_>, scale: Option<u8>) -> Result<Self> {
        Ok(match scale {
            Some(processes) => Self::Several(Scaled::start(launch, processes.into()).await?),
            None => Self::One(App::start(launch).await?),
        })
    }

    fn base_url(&self) -> &str {
        match self {
            Self::One(app) => &app.base_url,
            Self::Several(scaled) => &scaled.base_url,
        }
    }

    /// The id of the process that serves, or the list of them.
    fn pid(&self) -> Result<Value> {
        Ok(match self {
            Self::One(app) => app.pid().context("the app is gone")?.into(),
            Self::Several(scaled) => scaled.pids().into(),
        })
    }

    fn show_logs(&self) {
        match self {
            Self::One(app) => app.show_logs(),
            Self::Several(scaled) => scaled.show_logs(),
        }
    }

    async fn ended(&mut self) -> Result<ExitStatus> {
        match self {
            Self::One(app) => app.ended().await,
            Self::Several(scaled) => scaled.ended().await,
        }
    }

    async fn stop(self) -> Result<()> {
        match self {
            Self::One(app) => app.stop().await,
            Self::Several(scaled) => scaled.stop().await,
        }
    }
}

fn variable(text: &str) -> Result<(String, String)> {
    let (name, value) = text.split_once('=').context("a variable is given as NAME=VALUE")?;
    Ok((name.to_ascii_lowercase(), value.to_owned()))
}

pub(crate) async fn run(options: Options) -> Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut app = None;
    let ended = tokio::select! {
        ended = serve(&options, &mut app) => ended,
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    };
    if let Some((app, folder)) = app {
        eprintln!("Stopping");
        folder.set_address(None)?;
        app.stop().await?;
    }
    ended
}

/// Runs the app, which stays in `running` so that it can be stopped when this is given up.
async fn serve(options: &Options, running: &mut Option<(Serving, DataFolder)>) -> Result<()> {
    let runtime = if options.spin { Runtime::Spin } else { Runtime::Host };
    let folder = options.data.folder()?;
    let is_new = folder.is_empty();
    let mut variables = variables(options, &folder)?;
    require_usable(&variables)?;
    // Another manifest names components that were built in another way.
    if std::env::var_os("LECTERN_MANIFEST").is_none() {
        compile::all(runtime).await?;
    }
    if options.demo_model {
        eprintln!("AI conversations talk with a scripted demonstration, not with a model");
        variables.insert("ai_api".to_owned(), "openai".to_owned());
        variables.insert("ai_base_url".to_owned(), demo_model::start().await?);
    }

    // A line for each request is for a person to read; for everybody else there are the files.
    let quiet = !std::io::stderr().is_terminal();
    let launch = Launch { listen: &options.listen, quiet, ..Launch::quiet(runtime, &folder, &variables) };
    let app = Serving::start(&launch, options.scale).await?;
    folder.set_address(Some(app.base_url()))?;
    let (app, folder) = running.insert((app, folder));

    let admin = Client::admin(app.base_url(), &variables).await?;
    let is_new = match options.scale.is_some() || folder.runtime_config().is_some() {
        // The folder does not tell what is on a server.
        true => admin.token_of(DEMO_LOGINS[0], PURPOSE).await?.is_none(),
        false => is_new,
    };
    let wants_demo = is_new && !options.no_demo;
    if wants_demo {
        let again = format!("start afresh with: rm -r {}", folder.path().display());
        demo::load(&admin).await.with_context(|| format!("the demo data could not be loaded; {again}"))?;
    }
    let tokens = tokens(&admin, options.no_demo).await?;
    announce(options, app, folder, &tokens)?;
    app.show_logs();
    let base_url = app.base_url().to_owned();
    let shows_messages = !options.json && variables.get("development").is_some_and(|set| set == "true");
    let outbox = match tokens.get("admin").and_then(Value::as_str).filter(|_| shows_messages) {
        Some(token) => Some(Outbox::open(Client::new(&base_url, token)).await?),
        None => None,
    };
    let tick = tick(&base_url, variables.get("tick_token"), options.tick, outbox);
    tokio::select! {
        status = app.ended() => bail!("the app ended by itself: {}", status?),
        never = tick => never,
    }
}

/// The folder's secrets, under the environment, under the command line.
fn variables(options: &Options, folder: &DataFolder) -> Result<Variables> {
    let mut variables = folder.variables()?;
    variables.entry("development".to_owned()).or_insert_with(|| "true".to_owned());
    if options.dev || options.no_dev {
        variables.insert("development".to_owned(), (!options.no_dev).to_string());
    }
    if variables.get("development").is_none_or(|set| set != "true") && !options.listen.ends_with(":0") {
        variables.entry("public_base_url".to_owned()).or_insert_with(|| format!("http://{}", options.listen));
    }
    let known = Manifest::load()?.variables;
    for (name, value) in &options.variables {
        if !known.contains_key(name) {
            eprintln!("Note: no component has a variable {name}");
        }
        variables.insert(name.clone(), value.clone());
    }
    Ok(variables)
}

/// Fails with a line for each variable whose value is none that it takes, before minutes go into a build: Spin would start
/// with it, and every request would be 500.
fn require_usable(variables: &Variables) -> Result<()> {
    let wrong = settings::check_all(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let wrong: Vec<_> = wrong.iter().map(ToString::to_string).collect();
    ensure!(wrong.is_empty(), wrong.join("\n       "));
    Ok(())
}

/// Tokens that last, for those who are there.
async fn tokens(admin: &Client, only_admin: bool) -> Result<Map<String, Value>> {
    let mut tokens = Map::new();
    let logins = DEMO_LOGINS.iter().filter(|_| !only_admin);
    for login in std::iter::once(&"admin").chain(logins) {
        if let Some(token) = admin.token_of(login, PURPOSE).await? {
            tokens.insert((*login).to_owned(), token.into());
        }
    }
    Ok(tokens)
}

fn announce(options: &Options, app: &Serving, folder: &DataFolder, tokens: &Map<String, Value>) -> Result<()> {
    let base_url = app.base_url();
    let pid = app.pid()?;
    if options.json {
        println!("{}", json!({ "base_url": base_url, "tokens": tokens, "pid": pid }));
        return Ok(());
    }
    println!("\nLectern serves {base_url}\n\nTokens:");
    for (login, token) in tokens {
        println!("  {login:8} {}", token.as_str().unwrap_or_default());
    }
    let admin = tokens.get("admin").and_then(Value::as_str).unwrap_or_default();
    println!("\nTry:\n  curl -H 'Authorization: Bearer {admin}' {base_url}/api/v1/users/self\n");
    println!(
        "The reference is at {base_url}/docs, the log in {}. Ctrl-C stops it.\n",
        folder.path().join("logs").display()
    );
    Ok(())
}

/// Sets off background work every so often, and shows what was written to users meanwhile.
async fn tick(base_url: &str, token: Option<&String>, seconds: u64, mut outbox: Option<Outbox>) -> Result<()> {
    if let (Some(token), 1..) = (token, seconds) {
        let http = reqwest::Client::new();
        loop {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            let tick = http.post(format!("{base_url}/internal/tick")).bearer_auth(token).send().await;
            // The answer, whatever it is, stands in the app's own log.
            if let (Ok(_), Some(outbox)) = (tick, &mut outbox) {
                outbox.show().await.unwrap_or_else(|error| eprintln!("The outbox cannot be read: {error:#}"));
            }
        }
    }
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_variables_are_told_before_anything_is_built() {
        let variables = |values: &[(&str, &str)]| {
            values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Variables>()
        };
        let wrong = variables(&[("development", "false"), ("mail_transport", "smtp"), ("tick_token", "hunter2")]);
        let error = require_usable(&wrong).unwrap_err().to_string();
        assert_eq!(error.lines().count(), 2, "{error}");
        assert!(error.contains("variable mail_transport must be one of outbox, ses"), "{error}");
        assert!(error.contains("variable tick_token is too short") && !error.contains("hunter2"), "{error}");
        require_usable(&variables(&[("development", "true"), ("tick_token", "short")])).unwrap();
    }
}
