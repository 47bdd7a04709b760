//! Components, and the instances that answer requests.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::time::Sleep;
use tokio_util::sync::WaitForCancellationFutureOwned;
use tokio_util::task::task_tracker::TaskTrackerToken;
use wasmtime::component::{Component, GuestTaskId, Linker, ResourceTable};
use wasmtime::{CallHook, Engine, Result, Store, StoreContextMut, StoreLimits, StoreLimitsBuilder};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};
use wasmtime_wasi_http::handler::{
    HandlerState, Instance, ProxyPre, ShouldAccept, WorkerExpiration, WorkerState, WorkerStatus,
};
use wasmtime_wasi_http::p3::bindings::ServicePre;
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::InstanceLimits;
use crate::database::Owner;
use crate::engine::MAX_MEMORY_BYTES;
use crate::key_value::Store as KeyValueStore;
use crate::lifetime::{Generation, Lifetime};
use crate::logs::Log;
use crate::metrics::{ComponentMetrics, CountedInstance};
use crate::outbound::Outbound;
use crate::passing::{Moment, Passing};
use crate::recorder::Recorder;
use crate::sandbox::Clock;
use crate::sqlite::Place;
use crate::traces::{self, Trace};

/// The resources that one component may use, from its manifest and the operator's configuration.
pub(crate) struct Settings {
    pub(crate) id: Arc<str>,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) databases: HashMap<String, Place>,
    pub(crate) stores: HashMap<String, KeyValueStore>,
    pub(crate) outbound: Outbound,
    pub(crate) stdout: Log,
    pub(crate) stderr: Log,
    pub(crate) recorder: Option<Arc<Recorder>>,
    /// True if there is a collector of traces.
    pub(crate) is_traced: bool,
    /// The wall clock of the instances, if it is not the machine's.
    pub(crate) clock: Option<Clock>,
}

impl Settings {
    /// Tells the recorder, if there is one, of a statement.
    pub(crate) fn note(&self, sql: &str, parameters: usize) {
        if let Some(recorder) = &self.recorder {
            recorder.note(&self.id, sql, parameters);
        }
    }
}

/// The host's side of one instance.
pub(crate) struct State {
    pub(crate) settings: Arc<Settings>,
    pub(crate) table: ResourceTable,
    /// Open connections to databases.
    pub(crate) connections: usize,
    /// Who they belong to.
    pub(crate) owner: Owner,
    /// The traces of the requests that are worked for, by their tasks. A task that has ended gives its id to another.
    traces: HashMap<GuestTaskId, Trace>,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    outbound: Outbound,
    limits: StoreLimits,
}

impl State {
    fn new(settings: Arc<Settings>) -> Self {
        let mut wasi = WasiCtxBuilder::new();
        wasi.stdout(settings.stdout.clone()).stderr(settings.stderr.clone());
        for (name, value) in &settings.environment {
            wasi.env(name, value);
        }
        if let Some(clock) = &settings.clock {
            wasi.wall_clock(clock.clone());
        }
        Self {
            outbound: settings.outbound.clone(),
            settings,
            table: ResourceTable::new(),
            connections: 0,
            owner: Owner::default(),
            traces: HashMap::new(),
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            limits: StoreLimitsBuilder::new().memory_size(MAX_MEMORY_BYTES).build(),
        }
    }
}

impl State {
    /// The trace of the request for which the component makes the call that it makes just now.
    pub(crate) fn trace(&self) -> &Trace {
        &self.outbound.trace
    }

    /// Says that the task works for a request.
    fn begin(&mut self, task: GuestTaskId, trace: Trace) {
        if self.settings.is_traced {
            self.traces.insert(task, trace);
        }
    }

    /// Says that the call that is made just now is one of these tasks.
    pub(crate) fn attribute(&mut self, tasks: &[GuestTaskId]) {
        let trace = tasks.iter().find_map(|task| self.traces.get(task));
        self.outbound.trace = trace.cloned().unwrap_or_default();
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.outbound, table: &mut self.table, ctx: &mut self.http }
    }
}

/// Makes the instances of one component.
pub(crate) struct Handler {
    engine: Engine,
    pre: ProxyPre<State>,
    settings: Arc<Settings>,
    limits: InstanceLimits,
    lifetime: Lifetime,
    metrics: ComponentMetrics,
}

impl Handler {
    pub(crate) fn new(
        linker: &Linker<State>,
        component: &Component,
        settings: Arc<Settings>,
        limits: InstanceLimits,
        lifetime: Lifetime,
        metrics: ComponentMetrics,
    ) -> Result<Self> {
        let pre = ProxyPre::P3(ServicePre::new(linker.instantiate_pre(component)?)?);
        Ok(Self { engine: component.engine().clone(), pre, settings, limits, lifetime, metrics })
    }
}

impl HandlerState for Handler {
    type StoreData = State;
    type WorkerExpiration = Expiration;
    type WorkerState = Worker;

    async fn instantiate(&self) -> Result<Instance<State, Expiration, Worker>> {
        let mut store = Store::new(&self.engine, State::new(self.settings.clone()));
        store.limiter(|state| &mut state.limits);
        // A component that computes for long lets others go first at every tick of the engine.
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        if self.settings.is_traced {
            store.call_hook(|store, hook| match hook {
                CallHook::CallingHost => traces::attribute(store),
                _ => Ok(()),
            });
        }
        let proxy = self.pre.instantiate_async(&mut store).await?;
        let end = Arc::<Mutex<Option<End>>>::default();
        let moved = Moment::now();
        let generation = self.lifetime.current();
        Ok(Instance {
            store,
            proxy,
            view: State::http,
            expiration: Expiration {
                end: end.clone(),
                moved: moved.clone(),
                limits: self.limits,
                sleep: Box::pin(tokio::time::sleep(self.limits.idle)),
                stopped: Box::pin(generation.stopping.clone().cancelled_owned()),
                cut_off: Box::pin(generation.cutting_off.clone().cancelled_owned()),
                generation: generation.clone(),
            },
            state: Worker {
                component: self.settings.id.clone(),
                limits: self.limits,
                end,
                moved,
                metrics: self.metrics.clone(),
                _counted: self.metrics.instance(),
                _alive: generation.instances.token(),
            },
        })
    }
}

/// When an instance has to go: idle for too long, busy for too long, or no longer needed.
pub(crate) struct Expiration {
    limits: InstanceLimits,
    end: Arc<Mutex<Option<End>>>,
    moved: Moment,
    sleep: Pin<Box<Sleep>>,
    generation: Generation,
    stopped: Pin<Box<WaitForCancellationFutureOwned>>,
    cut_off: Pin<Box<WaitForCancellationFutureOwned>>,
}

/// Why an instance was stopped in the middle of its work.
#[derive(Clone, Copy)]
enum End {
    /// This took longer than the limit.
    OutOfTime(&'static str),
    /// Nobody wants to know any more what it does.
    CutOff,
}

impl WorkerExpiration for Expiration {
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>, status: WorkerStatus, since: Instant) -> Poll<()> {
        let idle = matches!(status, WorkerStatus::Idle);
        if idle && (self.generation.stopping.is_cancelled() || self.stopped.as_mut().poll(cx).is_ready()) {
            return Poll::Ready(());
        }
        if self.cut_off.as_mut().poll(cx).is_ready() {
            *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(End::CutOff);
            return Poll::Ready(());
        }
        let (limit, since) = match idle {
            true => (Some(self.limits.idle), since),
            // Who still sends or takes bytes is waited for.
            false => (self.limits.request, since.max(self.moved.get().into_std())),
        };
        match limit.and_then(|limit| since.checked_add(limit)) {
            Some(deadline) => {
                let deadline = deadline.into();
                if self.sleep.deadline() != deadline {
                    self.sleep.as_mut().reset(deadline);
                }
                ready!(self.sleep.as_mut().poll(cx));
                *self.end.lock().unwrap_or_else(PoisonError::into_inner) = match status {
                    WorkerStatus::Idle => None,
                    WorkerStatus::Requests => Some(End::OutOfTime("a request")),
                    WorkerStatus::PostReturn => Some(End::OutOfTime("work after a response")),
                };
                Poll::Ready(())
            }
            None => Poll::Pending,
        }
    }
}

/// An instance's worker, which counts its requests.
pub(crate) struct Worker {
    component: Arc<str>,
    limits: InstanceLimits,
    end: Arc<Mutex<Option<End>>>,
    moved: Moment,
    metrics: ComponentMetrics,
    _counted: CountedInstance,
    _alive: TaskTrackerToken,
}

impl WorkerState for Worker {
    type StoreData = State;
    type RequestData = (Trace, Passing);

    fn should_accept_request(&self, running: usize, total: usize) -> ShouldAccept {
        if total >= self.limits.requests {
            ShouldAccept::Never
        } else if running >= self.limits.concurrent_requests {
            ShouldAccept::No
        } else {
            ShouldAccept::Yes
        }
    }

    fn on_request_start(
        &self,
        mut store: StoreContextMut<'_, State>,
        (trace, passing): (Trace, Passing),
        task: GuestTaskId,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + Sync>> {
        store.data_mut().begin(task, trace);
        passing.begin(&self.moved);
        match self.limits.request {
            Some(limit) => Box::pin(passing.stands_still(limit)),
            None => Box::pin(std::future::pending()),
        }
    }

    fn drop(&self, _: Store<State>, result: Result<()>) {
        let Err(error) = result else { return };
        match *self.end.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(End::CutOff) => tracing::debug!("an instance of {} was cut off", self.component),
            Some(End::OutOfTime(what)) => {
                self.metrics.timed_out();
                tracing::error!(
                    "an instance of {} was stopped: {what} took longer than {:?}",
                    self.component,
                    self.limits.request.unwrap_or_default()
                );
            }
            None => {
                self.metrics.trapped();
                tracing::error!("an instance of {} failed: {error:?}", self.component);
            }
        }
    }
}
