//! `up`: from a clone to a running app with one command.

mod banner;
mod enter;

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::{Map, Value, json};
use serving::address;
use terminal::eprintln;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use xtask::app::{App, Launch, Runtime};
use xtask::client::{Client, id};
use xtask::folder::{DataFolder, Variables};
use xtask::manifest::{self, Manifest};
use xtask::scaled::Scaled;

use self::banner::Banner;
use crate::outbox::Outbox;
use crate::{Data, compile, demo, demo_model};

/// Whose tokens are printed; the administrator's always is.
const DEMO_LOGINS: [&str; 2] = ["teacher", "student"];
/// By this the tokens of a start are known to the next, which revokes them.
const PURPOSE: &str = "cargo xtask up";

#[derive(Args)]
pub(crate) struct Options {
    /// The address to listen on, or a port of this machine alone; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:3000", value_parser = address)]
    listen: SocketAddr,
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
        eprintln!("The data stay in {}; `rm -r` it to start afresh.", folder.path().display());
    }
    ended
}

/// Runs the app, which stays in `running` so that it can be stopped when this is given up.
async fn serve(options: &Options, running: &mut Option<(Serving, DataFolder)>) -> Result<()> {
    let runtime = if options.spin { Runtime::Spin } else { Runtime::Host };
    let folder = options.data.folder()?;
    require_free(options.listen, &folder).await?;
    let is_new = folder.is_empty();
    let mut variables = variables(options, &folder)?;
    require_usable(&variables)?;
    if !manifest::is_another() {
        if compile::is_first(runtime) {
            eprintln!(
                "The first start builds everything, which takes {} with two cores; later ones take seconds.",
                compile::FIRST_BUILD
            );
        }
        compile::all(runtime).await?;
    }
    if options.demo_model {
        eprintln!("AI conversations talk with a scripted demonstration, not with a model");
        variables.insert("ai_api".to_owned(), "openai".to_owned());
        variables.insert("ai_base_url".to_owned(), demo_model::start().await?);
    }

    // A line for each request is for a person to read; for everybody else there are the files.
    let quiet = !std::io::stderr().is_terminal();
    let listen = options.listen.to_string();
    let launch = Launch { listen: &listen, quiet, ..Launch::quiet(runtime, &folder, &variables) };
    let app = Serving::start(&launch, options.scale).await?;
    folder.set_address(Some(app.base_url()))?;
    let (app, folder) = running.insert((app, folder));

    let admin = Client::admin(app.base_url(), &variables).await?;
    let is_new = match options.scale.is_some() || folder.runtime_config().is_some() {
        // The folder does not tell what is on a server.
        true => !exists(&admin, DEMO_LOGINS[0]).await?,
        false => is_new,
    };
    let receiver = if options.no_demo { None } else { receiver(folder, &variables).await };
    if is_new && !options.no_demo {
        eprintln!("Loading the demo data");
        let again = format!("start afresh with: rm -r {}", folder.path().display());
        let loaded = demo::load(&admin, receiver.as_deref()).await;
        let loaded = loaded.with_context(|| format!("the demo data could not be loaded; {again}"))?;
        loaded.lines().for_each(|line| eprintln!("{line}"));
    }
    let tokens = tokens(&admin, options.no_demo).await?;
    let base_url = app.base_url().to_owned();
    let is_interactive = !options.json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let banner = Banner { base_url: &base_url, folder, tokens: &tokens, is_interactive };
    match options.json {
        true => println!("{}", json!({ "base_url": base_url, "tokens": tokens, "pid": app.pid()? })),
        false => banner.show().await?,
    }
    app.show_logs();
    let shows_messages = !options.json && is_development(&variables);
    let outbox = match tokens.get("admin").and_then(Value::as_str).filter(|_| shows_messages) {
        Some(token) => Some(Outbox::open(Client::new(&base_url, token)).await?),
        None => None,
    };
    let tick = tick(&base_url, variables.get("tick_token"), options.tick, outbox);
    tokio::select! {
        status = app.ended() => bail!("the app ended by itself: {}", status?),
        never = tick => never,
        never = show_again(&banner) => never,
    }
}

/// Shows the banner each time that the person presses Enter.
async fn show_again(banner: &Banner<'_>) -> Result<()> {
    if banner.is_interactive {
        let mut presses = enter::presses();
        while presses.recv().await.is_some() {
            banner.show().await?;
        }
    }
    std::future::pending().await
}

/// Fails in one line if nothing can be served there, before minutes go into a build.
async fn require_free(listen: SocketAddr, folder: &DataFolder) -> Result<()> {
    if let Some(address) = folder.address()
        && reqwest::get(format!("{address}/health")).await.is_ok()
    {
        bail!("{address} serves this data folder already: stop that one, or choose another folder with --data-dir");
    }
    let listener = TcpListener::bind(listen).await;
    let how =
        || format!("cannot listen on {listen}: choose another address with --listen; 127.0.0.1:0 picks a free port");
    listener.with_context(how).map(drop)
}

/// The address of the demo's receiver of webhooks, which only a developer's machine may call.
async fn receiver(folder: &DataFolder, variables: &Variables) -> Option<String> {
    if !is_development(variables) {
        return None;
    }
    let started = demo::receiver::start(folder).await;
    started.inspect_err(|error| eprintln!("Note: {error:#}")).ok()
}

fn is_development(variables: &Variables) -> bool {
    variables.get("development").is_some_and(|set| set == "true")
}

async fn exists(admin: &Client, login: &str) -> Result<bool> {
    Ok(admin.find(&format!("/api/v1/users/sis_login_id:{login}")).await?.is_some())
}

/// The folder's secrets, under the environment, under the command line.
fn variables(options: &Options, folder: &DataFolder) -> Result<Variables> {
    let mut variables = folder.variables()?;
    variables.entry("development".to_owned()).or_insert_with(|| "true".to_owned());
    if options.dev || options.no_dev {
        variables.insert("development".to_owned(), (!options.no_dev).to_string());
    }
    if !is_development(&variables) && options.listen.port() != 0 {
        variables.entry("public_base_url".to_owned()).or_insert_with(|| format!("http://{}", options.listen));
    }
    require_known(options.variables.iter().map(|(name, _)| name.as_str()))?;
    variables.extend(options.variables.iter().cloned());
    Ok(variables)
}

/// Refuses variables that the application does not have: a misspelt one would change nothing.
fn require_known<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let known = Manifest::load()?.variables;
    let unknown = names.into_iter().find(|name| !known.contains_key(*name));
    ensure!(unknown.is_none(), "there is no variable {}: docs/CONFIGURATION.md has all", unknown.unwrap_or_default());
    Ok(())
}

/// Fails with a line for each variable whose value is none that it takes, before minutes go into a build: Spin would start
/// with it, and every request would be 500.
fn require_usable(variables: &Variables) -> Result<()> {
    let wrong = settings::check_all(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let wrong: Vec<_> = wrong.iter().map(ToString::to_string).collect();
    ensure!(wrong.is_empty(), wrong.join("\n       "));
    Ok(())
}

/// Tokens that last until the next start, for those who are there.
async fn tokens(admin: &Client, only_admin: bool) -> Result<Map<String, Value>> {
    let mut tokens = Map::new();
    let logins = DEMO_LOGINS.iter().filter(|_| !only_admin);
    for login in std::iter::once(&"admin").chain(logins) {
        revoke_earlier(admin, login).await?;
        if let Some(token) = admin.token_of(login, PURPOSE).await? {
            tokens.insert((*login).to_owned(), token.into());
        }
    }
    Ok(tokens)
}

/// Revokes the tokens of earlier starts of a user, who may be missing.
async fn revoke_earlier(admin: &Client, login: &str) -> Result<()> {
    let path = format!("/api/v1/users/sis_login_id:{login}/tokens");
    loop {
        let found = admin.find(&format!("{path}?per_page=100")).await?.unwrap_or_default();
        let tokens = found.as_array().map(Vec::as_slice).unwrap_or_default();
        let earlier: Vec<_> =
            tokens.iter().filter(|token| token.get("purpose").is_some_and(|purpose| purpose == PURPOSE)).collect();
        if earlier.is_empty() {
            return Ok(());
        }
        for token in earlier {
            admin.delete(&format!("{path}/{}", id(token)?)).await?;
        }
    }
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

    #[test]
    fn a_variable_that_is_misspelt_is_refused() {
        require_known(["mail_transport", "tick_token"]).unwrap();
        assert!(require_known(["mail_transporter"]).unwrap_err().to_string().contains("mail_transporter"));
    }
}
