//! Runs a Spin application (`spin.toml`, version 2, HTTP triggers) without the Spin CLI, for tests, for CI and for a
//! first try: the same manifest, the same WebAssembly files, the same data files. It has what the components of this
//! workspace use and nothing that Spin does not have.

mod admission;
mod bindings;
mod chaining;
mod collector;
mod compiled;
mod component;
mod database;
mod engine;
mod kept;
mod key_value;
mod libsql_server;
mod lifetime;
mod linker;
mod logs;
mod manifest;
mod metrics;
mod networks;
mod observed_body;
mod outbound;
mod passing;
mod places;
mod recorder;
mod redis_store;
mod routes;
mod runtime_config;
pub mod sandbox;
mod served;
mod server;
mod sqlite;
mod traces;
mod variables;
mod welcome;
mod writing;

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
pub use compiled::compile_ahead;
pub use places::{Claim, Places};
use tokio::net::TcpListener;
use tokio_rustls::TlsConnector;

use admission::{Admission, usual_limit};
use chaining::Neighbours;
use component::Settings;
use database::DatabaseFile;
use engine::Source;
use key_value::Store;
use libsql_server::Server;
use lifetime::Lifetime;
use logs::Log;
use manifest::{Component, Manifest};
pub use metrics::Metrics;
use networks::{AllowedHosts, BlockedNetworks};
use outbound::Outbound;
use recorder::Recorder;
use routes::Routes;
use runtime_config::{DatabasePlace, RuntimeConfig, StorePlace};
use served::{Loader, Served, ServedComponent};
use sqlite::Place;
use traces::{Trace, Traces};
use variables::Variables;
use writing::{Writing, require_writable};

pub use variables::WrongVariables;

/// The name of the application whose variables are checked. Of others this host does not know what they mean.
const LECTERN: &str = "lectern";

/// An operator's decisions about an application. The defaults are those of `spin up`, but for
/// [`InstanceLimits::concurrent_requests`].
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where data and logs are kept; without one, `.spin` beside the manifest.
    pub state_dir: Option<PathBuf>,
    /// Values of application variables, stronger than the environment.
    pub variables: Vec<(String, String)>,
    /// Spin's runtime configuration file.
    pub runtime_config: Option<PathBuf>,
    /// The components to run; none means all.
    pub components: Vec<String>,
    /// `"private"` or networks in CIDR notation, added to those of the runtime configuration.
    pub block_networks: Vec<String>,
    /// Takes `"private"` out of the blocked networks again, for development.
    pub allow_private_networks: bool,
    /// Keeps the output of components and the progress of compiling off the terminal.
    pub quiet: bool,
    /// The limits of an instance: its life, and its requests.
    pub instances: InstanceLimits,
    /// Reads that are worked on at the same time, and as many writes; others wait. Without a number it is that which suits the machine.
    pub concurrent_requests: Option<usize>,
    /// Compiles no component that nobody asks for: for many applications on one machine, each of which is asked for a part of it.
    pub load_on_demand: bool,
    /// For development: where the statements that components execute are told, each once.
    pub record_statements: Option<PathBuf>,
    /// For development: the components' wall clock, in the place of the machine's.
    pub clock: Option<sandbox::Clock>,
    /// For development: databases may be lost with the machine's power, and are written faster.
    pub disposable: bool,
}

/// The limits of an instance: its life, and its requests.
#[derive(Clone, Copy, Debug)]
pub struct InstanceLimits {
    /// Requests that one instance answers before it is replaced.
    pub requests: usize,
    /// Requests that one instance answers at the same time. With one, a request that computes for long, or that is cut
    /// off, keeps no other from being answered. Spin's own default is 16.
    pub concurrent_requests: usize,
    /// The time for which an instance without a request is kept.
    pub idle: Duration,
    /// The limit for a request, and then for the work after its response.
    pub request: Option<Duration>,
}

impl Default for InstanceLimits {
    fn default() -> Self {
        Self { requests: 128, concurrent_requests: 1, idle: Duration::from_secs(1), request: None }
    }
}

/// A loaded application, ready to serve.
pub struct App {
    routes: Routes,
    served: Arc<Served>,
    lifetime: Lifetime,
    admission: Admission,
    /// The limit for a request.
    time_limit: Option<Duration>,
    metrics: Metrics,
    traces: Traces,
    is_lectern: bool,
    /// What is known of the writes to the files with data.
    writing: Vec<Writing>,
    /// True once no request has to wait until its component is compiled, as far as that is found out unasked.
    is_ready: AtomicBool,
    /// Keeps the progress of loading off the terminal.
    quiet: bool,
    state_dir: PathBuf,
    /// The places of the data, in words.
    data: String,
    /// Keeps the data from being replaced.
    _claim: Option<Claim>,
}

impl App {
    /// Reads the manifest, resolves variables, opens the data files and finds the components, which are compiled while it
    /// serves.
    ///
    /// # Errors
    /// Tells what is wrong with the manifest, the configuration or a component, and what to do about it.
    pub fn load(manifest: &Path, options: Options) -> Result<Self> {
        let places = Places::find(manifest, options.state_dir.clone(), options.runtime_config.as_deref())?;
        let (claim, data) = (places.claim_to_serve()?, places.to_string());
        if claim.as_ref().is_some_and(|claim| claim.is_shared) {
            tracing::warn!(
                "another process serves {data} already: nothing is lost, but each waits for the other's writes. If that is \
                 not meant, stop one of them, or give this one another --state-dir"
            );
        }
        let brought = compiled::beside(manifest);
        let mut manifest = Manifest::load(manifest)?;
        manifest.retain_components(&options.components)?;
        let routes = Routes::new(&manifest.trigger.http)?;
        let neighbours = Neighbours::default();
        let resources = Resources::new(&manifest, &options, places, neighbours.clone())?;

        let cache = compiled::cache(&resources.state_dir.join("cache"))?;
        // Without it the components are compiled, which is slow and no reason not to serve.
        if let Err(error) = compiled::adopt(&brought, &cache) {
            tracing::warn!("the compiled code of the release is not used: {error:#}");
        }
        let engine = engine::engine(cache)?;
        let linker = linker::linker(&engine)?;
        let lifetime = Lifetime::default();
        let metrics = Metrics::new(resources.data_folders(&manifest));
        let (limits, quiet) = (options.instances, options.quiet);
        let loader = Loader::new(engine, linker, limits, lifetime.clone(), quiet, metrics.clone());
        let (mut opened, mut served) = (Opened::default(), Served::new());
        for (id, declared) in &manifest.component {
            let settings =
                resources.settings(id, declared, &mut opened).with_context(|| format!("component \"{id}\""))?;
            let source = Source::open(id, declared)?;
            served.insert(id.clone(), ServedComponent::new(loader.clone(), source, settings));
        }
        let writing = opened.writing();
        metrics.watch(&writing);
        let with_server = opened.databases.values().any(|place| matches!(place, Place::Server(_)));
        let limit = options.concurrent_requests.unwrap_or_else(|| usual_limit(with_server));
        let served = Arc::new(served);
        neighbours.introduce(&served);
        Ok(Self {
            routes,
            served,
            lifetime,
            admission: Admission::new(limit),
            time_limit: options.instances.request,
            metrics,
            traces: resources.traces,
            is_lectern: manifest.application.name == LECTERN,
            writing,
            is_ready: AtomicBool::new(options.load_on_demand),
            quiet,
            state_dir: resources.state_dir,
            data,
            _claim: claim,
        })
    }

    /// What a person at a terminal wants to know of it; `None` where it is another application than Lectern.
    pub fn welcome(&self, address: SocketAddr) -> Option<String> {
        self.is_lectern.then(|| welcome::of_lectern(address, &self.state_dir, &self.data))
    }

    /// What is counted while it serves.
    pub fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    /// Answers requests until `shutdown` is ready; then finishes running requests and the work after their
    /// responses, each within ten seconds. The components are compiled meanwhile, first those that are asked for.
    ///
    /// # Errors
    /// Fails if `listener` does not work at all, or if a component cannot be loaded.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()>) -> Result<()> {
        let app = Arc::new(self);
        tokio::select! {
            served = server::serve(app.clone(), listener, shutdown) => served?,
            error = app.loading_failed() => return Err(error),
        }
        app.traces.shut_down().await;
        Ok(())
    }

    /// Keeps ready what requests need, and no more. Ends only if a component cannot be loaded.
    async fn loading_failed(&self) -> anyhow::Error {
        if !self.is_ready() {
            if let Err(error) = served::try_all(&self.served, self.quiet).await {
                return error;
            }
            self.is_ready.store(true, Ordering::Relaxed);
        }
        served::give_up_idle(&self.served).await
    }

    fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Relaxed)
    }
}

/// The resources that the components of an application share.
struct Resources {
    state_dir: PathBuf,
    runtime_config: RuntimeConfig,
    variables: Variables,
    blocked: Arc<BlockedNetworks>,
    /// True if the operator has said that private networks may be reached.
    may_reach_private: bool,
    tls: TlsConnector,
    neighbours: Neighbours,
    terminal: bool,
    recorder: Option<Arc<Recorder>>,
    traces: Traces,
    clock: Option<sandbox::Clock>,
    /// True if databases may be lost with the machine's power.
    is_disposable: bool,
}

/// What several components use, by its label.
#[derive(Default)]
struct Opened {
    databases: HashMap<String, Place>,
    stores: HashMap<String, Store>,
}

impl Opened {
    /// What is known of the writes to those that are files.
    fn writing(&self) -> Vec<Writing> {
        let databases = self.databases.values().filter_map(Place::writing);
        databases.chain(self.stores.values().filter_map(Store::writing)).cloned().collect()
    }
}

impl Resources {
    fn new(manifest: &Manifest, options: &Options, places: Places, neighbours: Neighbours) -> Result<Self> {
        let Places { state_dir, runtime_config } = places;
        let environment = |name: &str| std::env::var(name).ok();
        let variables = Variables::resolve(&manifest.variables, &options.variables, environment)?;
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for name in Variables::undeclared(&manifest.variables, names) {
            tracing::warn!("{name} in the environment is a variable that this application does not have");
        }
        let tls = outbound::tls_connector();
        let traces = Traces::from_environment(&tls, environment)?;
        if manifest.application.name == LECTERN {
            variables.check()?;
        }
        let mut blocked = options.block_networks.clone();
        blocked.extend_from_slice(&runtime_config.outbound_networking.block_networks);
        blocked.retain(|name| !(options.allow_private_networks && name == "private"));
        let logs = state_dir.join("logs");
        std::fs::create_dir_all(&logs).with_context(|| format!("cannot create the folder {}", logs.display()))?;
        Ok(Self {
            state_dir,
            runtime_config,
            variables,
            blocked: Arc::new(BlockedNetworks::parse(&blocked)?),
            may_reach_private: options.allow_private_networks,
            tls,
            neighbours,
            terminal: !options.quiet,
            recorder: options.record_statements.as_deref().map(Recorder::start).transpose()?,
            traces,
            clock: options.clock.clone(),
            is_disposable: options.disposable,
        })
    }

    fn settings(&self, id: &str, component: &Component, opened: &mut Opened) -> Result<Settings> {
        let component_id: Arc<str> = id.into();
        let allowed = AllowedHosts::parse(&component.allowed_outbound_hosts, &self.variables)?;
        if allowed.covers_every_host() && !self.blocked.blocks_private() && !self.may_reach_private {
            tracing::warn!(
                "component {id} may connect to every host, those of the private network too: block it with \
                 block_networks = [\"private\"] in the runtime configuration, or say --allow-private-networks"
            );
        }
        let variables = component.variables.iter().map(|(name, template)| {
            let value = self.variables.expand(template).with_context(|| format!("in the variable \"{name}\""))?;
            anyhow::Ok((name.clone(), value))
        });
        let Opened { databases, stores } = opened;
        let databases =
            component.sqlite_databases.iter().map(|label| once(databases, label, |label| self.database(label)));
        let stores = component.key_value_stores.iter().map(|label| once(stores, label, |label| self.store(label)));
        Ok(Settings {
            id: component_id.clone(),
            variables: variables.collect::<Result<_>>()?,
            environment: component.environment.clone(),
            databases: databases.collect::<Result<_>>()?,
            stores: stores.collect::<Result<_>>()?,
            outbound: Outbound {
                component: component_id,
                allowed: Arc::new(allowed),
                blocked: self.blocked.clone(),
                tls: self.tls.clone(),
                neighbours: self.neighbours.clone(),
                trace: Trace::default(),
            },
            stdout: Log::open(&self.state_dir, id, "stdout", self.terminal)?,
            stderr: Log::open(&self.state_dir, id, "stderr", self.terminal)?,
            recorder: self.recorder.clone(),
            is_traced: self.traces.are_wanted(),
            clock: self.clock.clone(),
        })
    }

    /// The folders of the files with data: those of the application's databases and stores, as far as these are files.
    fn data_folders(&self, manifest: &Manifest) -> BTreeSet<PathBuf> {
        let (config, state_dir) = (&self.runtime_config, &self.state_dir);
        let databases = manifest.component.values().flat_map(|component| &component.sqlite_databases);
        let databases = databases.filter_map(|label| config.database(label, state_dir)?.into_file());
        let stores = manifest.component.values().flat_map(|component| &component.key_value_stores);
        let stores = stores.filter_map(|label| config.store(label, state_dir)?.into_file());
        let folders = databases.chain(stores).filter_map(|path| path.parent().map(Path::to_owned));
        folders.chain([state_dir.clone()]).collect()
    }

    fn database(&self, label: &str) -> Result<Place> {
        let place = self.runtime_config.database(label, &self.state_dir);
        let place =
            place.with_context(|| format!("the database \"{label}\" needs a place in the runtime configuration"))?;
        Ok(match place {
            DatabasePlace::File(path) => {
                create_parent(&path)?;
                require_writable(&path)?;
                Place::File(DatabaseFile::new(path, self.is_disposable))
            }
            DatabasePlace::Libsql { url, token } => Place::Server(Server::new(&url, &token, self.tls.clone())),
        })
    }

    fn store(&self, label: &str) -> Result<Store> {
        let place = self.runtime_config.store(label, &self.state_dir);
        let place =
            place.with_context(|| format!("the store \"{label}\" needs a place in the runtime configuration"))?;
        match place {
            StorePlace::File(path) => {
                create_parent(&path)?;
                require_writable(&path)?;
                Store::in_file(label, &path)
            }
            StorePlace::Redis(url) => Store::in_redis(&url).with_context(|| format!("the store \"{label}\"")),
        }
    }
}

/// Opens each database and each store once, however many components use it: all who write to a file take turns.
fn once<T: Clone>(
    opened: &mut HashMap<String, T>,
    label: &str,
    open: impl FnOnce(&str) -> Result<T>,
) -> Result<(String, T)> {
    let known = match opened.get(label) {
        Some(known) => known.clone(),
        None => opened.entry(label.to_owned()).or_insert(open(label)?).clone(),
    };
    Ok((label.to_owned(), known))
}

fn create_parent(path: &Path) -> Result<()> {
    match path.parent() {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))
        }
        None => Ok(()),
    }
}
