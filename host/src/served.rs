//! The components of a running application, each with what it takes to load it. One that nobody asks for takes no memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
use crate::kept::Kept;
use crate::lifetime::Lifetime;
use crate::metrics::{ComponentMetrics, Metrics};

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

/// The time after which the code of a component that nobody asks for is given up. To load it again takes 10 to 80 ms.
const IDLE_CODE: Duration = Duration::from_secs(120);
/// How often that is looked at.
const LOOK: Duration = Duration::from_secs(30);

/// A component, which is loaded by the first request to it.
pub(crate) struct ServedComponent {
    loader: Arc<Loader>,
    source: Source,
    settings: Arc<Settings>,
    handler: Kept<ProxyHandler<Handler>>,
    /// True once it is told that it can be loaded.
    is_known: AtomicBool,
    pub(crate) metrics: ComponentMetrics,
}

impl ServedComponent {
    pub(crate) fn new(loader: Arc<Loader>, source: Source, settings: Settings) -> Self {
        let metrics = loader.metrics.of_component(&source.id);
        Self {
            loader,
            source,
            settings: Arc::new(settings),
            handler: Kept::default(),
            is_known: AtomicBool::new(false),
            metrics,
        }
    }

    /// Whoever answers its requests.
    pub(crate) async fn handler(&self) -> Result<ProxyHandler<Handler>> {
        self.handler.get(|| self.load()).await
    }

    /// Loads it, whatever becomes of who has asked.
    fn load(&self) -> impl Future<Output = Result<ProxyHandler<Handler>>> + Send + use<> {
        let (loader, source, settings) = (self.loader.clone(), self.source.clone(), self.settings.clone());
        let (turns, metrics) = (loader.clone(), self.metrics.clone());
        let is_news = !self.is_known.swap(true, Ordering::Relaxed);
        let load = move || {
            let component = engine::compile(&loader.engine, &source, is_news && !loader.quiet)?;
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

/// Finds out whether all components can be loaded, which compiles those that never were. Half of the cores do it, so that one
/// that a request asks for is loaded before those that nobody has asked for yet. Tells the person at the terminal how many are
/// ready, unless `quiet` is on.
pub(crate) async fn try_all(served: &Served, quiet: bool) -> Result<()> {
    let mut progress = Progress::start();
    let mut trying = stream::iter(served.values())
        .map(|component| component.handler.try_out(|| component.load()))
        .buffer_unordered(cores().div_ceil(2));
    let mut ready = 0;
    while let Some(()) = trying.try_next().await? {
        ready += 1;
        if !quiet {
            progress.tell(&format!("Loading the components: {ready} of {}", served.len()));
        }
    }
    Ok(())
}

/// Gives up the code of components that nobody has asked for lately, again and again.
pub(crate) async fn give_up_idle(served: &Served) -> ! {
    let mut looks = tokio::time::interval(LOOK);
    loop {
        looks.tick().await;
        for component in served.values() {
            component.handler.give_up_after(IDLE_CODE);
        }
    }
}
