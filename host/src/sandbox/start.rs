//! The start of a sandbox: a state folder of its own, secrets, the administrator's token, a client for log-ins, the
//! scenario, and the snapshot to come back to.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::Mutex;

use crate::manifest::Manifest;
use crate::sandbox::calls::Calls;
use crate::sandbox::clock::Clock;
use crate::sandbox::faults::Faults;
use crate::sandbox::gate::Gate;
use crate::sandbox::inbox::Inboxes;
use crate::sandbox::inside::{Inside, text};
use crate::sandbox::people::Registry;
use crate::sandbox::snapshots::{Files, Snapshots};
use crate::sandbox::{OauthClient, PREFIX, Sandbox, scenario};
use crate::variables::PREFIX as PREFIX_OF_VARIABLES;
use crate::{App, InstanceLimits, Options};

/// The snapshot that every sandbox begins with.
const FIRST_SNAPSHOT: &str = "start";
/// Secrets that every state folder has of its own.
const SECRETS: [&str; 5] = ["token_secret", "admin_client_id", "admin_client_secret", "tick_token", "status_token"];

/// How a sandbox is to be started.
pub struct Start {
    /// The application's manifest.
    pub manifest: PathBuf,
    /// A scenario to begin with.
    pub scenario: Option<PathBuf>,
    /// A state folder whose copy is used; an empty one otherwise.
    pub state: Option<PathBuf>,
    /// Values of application variables.
    pub variables: Vec<(String, String)>,
    /// True if background work is called for every second.
    pub ticks_by_itself: bool,
    /// Keeps the output of components and the progress of compiling off the terminal.
    pub quiet: bool,
}

/// What whoever has started a sandbox wants to know.
#[derive(Debug, Serialize)]
pub struct Ready {
    /// Where it serves, without a slash at the end.
    pub address: String,
    /// The process.
    pub pid: u32,
    /// Tokens by login.
    pub tokens: BTreeMap<String, String>,
    /// The snapshot of the beginning.
    pub snapshot: &'static str,
}

/// An application of which a sandbox is made.
struct Begun {
    inside: Inside,
    files: Files,
    clock: Clock,
    folder: Arc<TempDir>,
    tick_token: String,
    client: String,
    client_secret: String,
}

impl Start {
    /// Fails where this is no address of this machine alone: whoever reaches a sandbox is given tokens.
    ///
    /// # Errors
    /// Says which addresses are.
    pub fn check_address(listen: SocketAddr) -> Result<()> {
        ensure!(
            listen.ip().is_loopback(),
            "{listen} is no address of this machine alone, as 127.0.0.1:3000 is: a sandbox gives everybody tokens"
        );
        Ok(())
    }

    /// Starts the application, which serves from [`Sandbox::serve`] on. `None`: it was to `stop` before.
    ///
    /// # Errors
    /// Tells what is wrong with the manifest, a variable, the state folder or the scenario.
    pub async fn start(self, listener: &TcpListener, stop: impl Future<Output = ()>) -> Result<Option<Sandbox>> {
        let address = listener.local_addr().context("the listener has no address")?;
        Self::check_address(address)?;
        let scenario = self.scenario.as_deref().map(read_scenario).transpose()?;
        // It goes with the last who holds it: not while instances still write.
        let folder = Arc::new(tempfile::tempdir().context("there is no place for the state")?);
        let files = Files::in_folder(folder.path());
        if let Some(state) = &self.state {
            ensure!(state.is_dir(), "{} is no folder", state.display());
            files.copy_from(&Files::in_folder(state)).context("the state folder cannot be copied")?;
        }
        let clock = Clock::default();
        let declared = Manifest::load(&self.manifest)?.variables.into_keys().collect();
        let variables = self.variables(address, &declared, environment)?;
        let secret = |name: &str| variables.get(name).cloned().with_context(|| format!("{name} has no value"));
        let (client, client_secret) = (secret("admin_client_id")?, secret("admin_client_secret")?);
        let tick_token = secret("tick_token")?;
        let options = self.options(folder.path(), variables.into_iter().collect(), clock.clone());
        let app = App::load(&self.manifest, options)?;
        let gate = Arc::new(Gate::new(app.lifetime.clone()));
        let inside = Inside { app: Arc::new(app), gate, authority: address.to_string() };
        let app = inside.app.clone();
        let state = folder.clone();
        let begun =
            self.begin(scenario, Begun { inside, files, clock, folder: state, tick_token, client, client_secret });
        let begun = tokio::select! {
            begun = Box::pin(begun) => begun.map(Some),
            () = stop => Ok(None),
        };
        if !matches!(begun, Ok(Some(_))) {
            // The end of the program would tell of each instance that it has failed.
            app.lifetime.current().cut_off().await;
        }
        begun
    }

    /// Makes what is around the application, loads the scenario, and takes the snapshot to come back to.
    async fn begin(&self, scenario: Option<(&Path, String)>, begun: Begun) -> Result<Sandbox> {
        let Begun { inside, files, clock, folder, tick_token, client, client_secret } = begun;
        let registry = Registry::default();
        registry.admit(&inside, None, &client, &client_secret).await?;
        let oauth_client = oauth_client(&inside, &registry).await?;
        let sandbox = Sandbox {
            inside,
            files,
            clock,
            registry,
            snapshots: Snapshots::default(),
            faults: Faults::default(),
            calls: Calls::default(),
            inboxes: Inboxes::default(),
            tick_token,
            oauth_client,
            ticks_by_itself: self.ticks_by_itself,
            turn: Mutex::default(),
            ticking: Mutex::default(),
            _folder: folder,
        };
        if let Some((path, text)) = scenario {
            scenario::load(&sandbox, &text).await.with_context(|| path.display().to_string())?;
        }
        sandbox.take_snapshot(FIRST_SNAPSHOT).await?;
        Ok(sandbox)
    }

    /// The variables: those of a developer's machine and secrets, as far as the manifest declares them, over them the
    /// environment, and over it what was given.
    fn variables(
        &self,
        address: SocketAddr,
        declared: &BTreeSet<String>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<BTreeMap<String, String>> {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let host = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        let receivers = format!("http://{host}:*");
        let mut variables = BTreeMap::from(
            [
                (settings::DEVELOPMENT, "true"),
                ("development_host", receivers.as_str()),
                ("development_host_name", "http://localhost:*"),
                ("ai_http_host", "http://*:*"),
            ]
            .map(owned),
        );
        variables.extend(SECRETS.map(|name| (name.to_owned(), new_secret())));
        if let Some(state) = &self.state {
            variables.extend(secrets_of(&state.join("lectern.env"))?);
        }
        variables.retain(|name, _| declared.contains(name));
        variables.extend(declared.iter().filter_map(|name| Some((name.clone(), environment(name)?))));
        variables.extend(self.variables.iter().cloned());
        ensure!(
            variables.get(settings::DEVELOPMENT).is_some_and(|value| value == "true"),
            "a sandbox is for development: it does not start with development=false"
        );
        Ok(variables)
    }

    fn options(&self, folder: &Path, variables: Vec<(String, String)>, clock: Clock) -> Options {
        Options {
            state_dir: Some(folder.to_owned()),
            variables,
            allow_private_networks: true,
            quiet: self.quiet,
            instances: InstanceLimits {
                requests: 1024,
                concurrent_requests: 1,
                idle: Duration::from_secs(10),
                request: Some(Duration::from_secs(60)),
            },
            // A test asks for a part of it, and wants to begin.
            load_on_demand: true,
            clock: Some(clock),
            disposable: true,
            ..Options::default()
        }
    }
}

impl Sandbox {
    /// What whoever has started it wants to know.
    pub fn ready(&self) -> Ready {
        Ready {
            address: self.inside.address(),
            pid: std::process::id(),
            tokens: self.registry.tokens(),
            snapshot: FIRST_SNAPSHOT,
        }
    }
}

/// The text of a scenario, with its file. One that cannot be read is told before anything is compiled.
fn read_scenario(file: &Path) -> Result<(&Path, String)> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    scenario::check(&text).with_context(|| file.display().to_string())?;
    Ok((file, text))
}

/// Makes the client with which tests log users in.
async fn oauth_client(inside: &Inside, registry: &Registry) -> Result<OauthClient> {
    let redirect_uri = format!("{}{PREFIX}/oauth", inside.address());
    let key = json!({ "developer_key": { "name": "Sandbox", "redirect_uris": [redirect_uri] } });
    let made = inside.post("/api/v1/accounts/self/developer_keys", &registry.admin_token(None), &key).await?;
    let client_id = made.get("id").map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
    let client_id = client_id.context("a developer key has no id")?;
    Ok(OauthClient { client_id, client_secret: text(&made, "client_secret")?, redirect_uri })
}

/// The secrets in a file as the start script and `cargo xtask up` write it, if it is there.
fn secrets_of(file: &Path) -> Result<Vec<(String, String)>> {
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().filter_map(|line| line.trim().split_once('='));
    Ok(lines.filter_map(|(name, value)| Some((variable_name(name)?, value.to_owned()))).collect())
}

/// The value that the environment has for a variable.
fn environment(name: &str) -> Option<String> {
    std::env::var(format!("{PREFIX_OF_VARIABLES}{}", name.to_ascii_uppercase())).ok()
}

fn variable_name(name: &str) -> Option<String> {
    name.strip_prefix(PREFIX_OF_VARIABLES).map(str::to_ascii_lowercase)
}

fn new_secret() -> String {
    format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(variables: &[(&str, &str)]) -> Start {
        Start {
            manifest: "spin.toml".into(),
            scenario: None,
            state: None,
            variables: variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            ticks_by_itself: true,
            quiet: true,
        }
    }

    #[test]
    fn only_this_machine_reaches_a_sandbox() {
        for address in ["127.0.0.1:0", "[::1]:3000"] {
            Start::check_address(address.parse().unwrap()).unwrap();
        }
        for address in ["0.0.0.0:3000", "192.168.1.2:3000", "[::]:3000"] {
            assert!(Start::check_address(address.parse().unwrap()).is_err(), "{address}");
        }
    }

    fn variables(start: &Start, environment: impl Fn(&str) -> Option<String>) -> Result<BTreeMap<String, String>> {
        let declared = ["development", "token_secret"].map(str::to_owned).into();
        start.variables("127.0.0.1:3000".parse().unwrap(), &declared, environment)
    }

    #[test]
    fn a_sandbox_is_for_development() {
        let plain = variables(&start(&[]), |_| None).unwrap();
        assert_eq!(plain.keys().collect::<Vec<_>>(), ["development", "token_secret"]);
        assert_eq!(plain["development"], "true");
        assert!(variables(&start(&[("development", "false")]), |_| None).is_err());
        let environment = |name: &str| (name == "development").then(|| "false".to_owned());
        assert!(variables(&start(&[]), environment).is_err());
        assert!(variables(&start(&[("development", "true")]), environment).is_ok());
    }

    #[test]
    fn a_scenario_that_is_none_is_told_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("school.yaml");
        assert!(read_scenario(&file).unwrap_err().to_string().contains("cannot read"));
        std::fs::write(&file, "pupils: []").unwrap();
        assert!(format!("{:#}", read_scenario(&file).unwrap_err()).contains("pupils"));
        std::fs::write(&file, "users: [{login: ada}]").unwrap();
        assert_eq!(read_scenario(&file).unwrap().0, file);
    }

    #[test]
    fn a_copied_folder_keeps_its_secrets() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("lectern.env"), "# mine\nSPIN_VARIABLE_TOKEN_SECRET=a=b\n").unwrap();
        let start = Start { state: Some(folder.path().to_owned()), ..start(&[]) };
        assert_eq!(variables(&start, |_| None).unwrap()["token_secret"], "a=b");
    }
}
