//! The components of a running application, each with what it takes to load it.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use futures::{StreamExt, TryStreamExt, stream};
use terminal::Progress;
use tokio::sync::Semaphore;
use wasmtime::Engine;
use wasmtime::component::Linker;
use wasmtime_wasi_http::handler::ProxyHandler;

use crate::InstanceLimits;
use crate::component::{Handler, Settings, State};
use crate::engine::{self, Source};
use crate::lifetime::Lifetime;
use crate::metrics::{ComponentMetrics, Metrics};
use crate::once::Once;

/// The components of an application, by their ids.
pub(crate) type Served = HashMap<String, ServedComponent>;

/// The engine and the limits that the components of an application share.
pub(crate) struct Loader {
    engine: Engine,
    linker: Linker<State>,
    limits: InstanceLimits,
    lifetime: Lifetime,
    /// Keeps the progress of compiling off the terminal.
    quiet: bool,
    metrics: Metrics,
    /// Those that are loaded at one time: to compile one takes more than a hundred megabytes.
    turns: Semaphore,
}

impl Loader {
    pub(crate) fn new(
        engine: Engine,
        linker: Linker<State>,
        limits: InstanceLimits,
        lifetime: Lifetime,
        quiet: bool,
        metrics: Metrics,
    ) -> Arc<Self> {
        // One more than cores: what is asked for does not wait for what is loaded unasked.
        let turns = Semaphore::new(cores() + 1);
        Arc::new(Self { engine, linker, limits, lifetime, quiet, metrics, turns })
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A component that is loaded once: by the first request to it, or before.
pub(crate) struct ServedComponent {
    loader: Arc<Loader>,
    source: Source,
    settings: Arc<Settings>,
    handler: Once<ProxyHandler<Handler>>,
    pub(crate) metrics: ComponentMetrics,
}

impl ServedComponent {
    /// A component whose file is there.
    pub(crate) fn new(loader: Arc<Loader>, source: Source, settings: Settings) -> Result<Self> {
        source.require_file()?;
        let metrics = loader.metrics.of_component(&source.id);
        Ok(Self { loader, source, settings: Arc::new(settings), handler: Once::default(), metrics })
    }

    /// Whoever answers its requests.
    pub(crate) async fn handler(&self) -> Result<&ProxyHandler<Handler>> {
        self.handler.get(|| self.load()).await
    }

    pub(crate) fn is_loaded(&self) -> bool {
        self.handler.is_made()
    }

    /// Loads it, whatever becomes of who has asked.
    fn load(&self) -> impl Future<Output = Result<ProxyHandler<Handler>>> + Send + use<> {
        let (loader, source, settings) = (self.loader.clone(), self.source.clone(), self.settings.clone());
        let (turns, metrics) = (loader.clone(), self.metrics.clone());
        let load = move || {
            let component = engine::compile(&loader.engine, &source, !loader.quiet)?;
            let lifetime = loader.lifetime.clone();
            let handler = Handler::new(&loader.linker, &component, settings, loader.limits, lifetime, metrics)
                .map_err(anyhow::Error::from)
                .with_context(|| format!("component \"{}\" does not fit this host", source.id))?;
            Ok(ProxyHandler::new(handler))
        };
        async move {
            let _turn = turns.turns.acquire().await?;
            tokio::task::spawn_blocking(load).await?
        }
    }
}

/// Loads all components on half of the cores, so that one that a request asks for is loaded before those that nobody has asked
/// for yet. Tells the person at the terminal how many are loaded, unless `quiet` is on.
pub(crate) async fn load_all(served: &Served, quiet: bool) -> Result<()> {
    let mut progress = Progress::start();
    let mut loading = stream::iter(served.values())
        .map(|component| async { component.handler().await.map(|_loaded| ()) })
        .buffer_unordered(cores().div_ceil(2));
    let mut loaded = 0;
    while let Some(()) = loading.try_next().await? {
        loaded += 1;
        if !quiet {
            progress.tell(&format!("Loading the components: {loaded} of {}", served.len()));
        }
    }
    Ok(())
}
