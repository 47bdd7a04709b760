//! The sandbox: an application for the tests of a client, which can be set back, put forward, disturbed and looked at.
//!
//! It is the application that a developer starts, on a state folder of its own that goes with it, and under `/sandbox` a small
//! API of the host. Without `lectern-host sandbox` nothing of it is there.

mod calls;
mod clock;
mod copies;
mod faults;
mod gate;
mod inbox;
mod inside;
mod pages;
mod pattern;
mod people;
mod reply;
mod routes;
mod scenario;
mod signature;
mod snapshots;
mod start;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, AUTHORIZATION};
use http::{HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, Limited};
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use wasmtime_wasi_http::WasiBody;

pub use clock::Clock;
pub use start::{Ready, Start};

use crate::App;
use crate::sandbox::calls::Calls;
use crate::sandbox::copies::MAX_BODY_BYTES;
use crate::sandbox::faults::{Fault, Faults, Kind};
use crate::sandbox::inbox::Inboxes;
use crate::sandbox::inside::Inside;
use crate::sandbox::people::Registry;
use crate::sandbox::reply::Problem;
use crate::sandbox::snapshots::{Files, Memory, Snapshot, Snapshots, milliseconds_since};
use crate::server::{self, HEALTH, HungUp, Respond};

/// Where the API of the sandbox is.
const PREFIX: &str = "/sandbox";
/// The time between two calls for background work.
const TICK: Duration = Duration::from_secs(1);
/// The most calls for background work after the clock was moved.
const MAX_TICKS: usize = 50;

/// An application for tests, and what is around it.
pub struct Sandbox {
    inside: Inside,
    files: Files,
    clock: Clock,
    registry: Registry,
    snapshots: Snapshots,
    faults: Faults,
    calls: Calls,
    inboxes: Inboxes,
    tick_token: String,
    oauth_client: OauthClient,
    /// True if background work is called for again and again.
    ticks_by_itself: bool,
    /// Whatever changes everything waits for its turn.
    turn: Mutex<()>,
    /// One call for background work at a time.
    ticking: Mutex<()>,
    _folder: Arc<TempDir>,
}

/// A client for log-ins.
#[derive(Debug, Clone, Serialize)]
struct OauthClient {
    client_id: String,
    client_secret: String,
    redirect_uri: String,
}

impl Sandbox {
    /// Serves until `shutdown` is ready.
    ///
    /// # Errors
    /// Fails if `listener` does not work at all.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()>) -> Result<()> {
        let sandbox = Arc::new(self);
        let ticking = sandbox.ticks_by_itself.then(|| tokio::spawn(tick_again_and_again(sandbox.clone())));
        let served = server::serve(sandbox, listener, shutdown).await;
        if let Some(ticking) = ticking {
            ticking.abort();
        }
        served
    }

    /// Keeps everything.
    async fn keep(&self, name: &str) -> Result<Snapshot, Problem> {
        let _closed = self.inside.gate.close().await;
        let memory =
            Memory { clock: self.clock.reading(), people: self.registry.people(), inboxes: self.inboxes.settings() };
        Ok(Snapshot::take(name, &self.files, memory).await?)
    }

    /// Keeps everything under a name, to come back to it.
    async fn take_snapshot(&self, name: &str) -> Result<Arc<Snapshot>, Problem> {
        self.snapshots.require_room(name)?;
        Ok(self.snapshots.insert(self.keep(name).await?))
    }

    /// The application and its clock become as they were.
    async fn put_back(&self, snapshot: &Snapshot) -> Result<(), Problem> {
        let _closed = self.inside.gate.close().await;
        let kept = snapshot.put_back(&self.files, self.registry.kept_tokens()).await?;
        self.clock.set(snapshot.memory.clock);
        self.registry.restore(snapshot.memory.people.clone(), kept);
        Ok(())
    }

    /// Everything becomes as it was; answers how many milliseconds that took.
    async fn restore(&self, snapshot: &Snapshot) -> Result<u64, Problem> {
        let began = Instant::now();
        self.put_back(snapshot).await?;
        self.inboxes.restore(snapshot.memory.inboxes.clone());
        self.faults.clear();
        self.calls.clear();
        Ok(milliseconds_since(began))
    }

    /// Calls for background work once, beside whatever runs.
    async fn nudge(&self) -> Result<Value, Problem> {
        let _alone = self.ticking.lock().await;
        self.inside.call(Method::POST, "/internal/tick", &self.tick_token, None).await
    }

    /// Calls for background work once, and waits for its end.
    async fn tick(&self) -> Result<Value, Problem> {
        let ticked = self.nudge().await?;
        self.inside.gate.settle().await;
        Ok(ticked)
    }

    /// Calls for background work until nothing is due.
    async fn catch_up(&self) -> Result<(), Problem> {
        for _ in 0..MAX_TICKS {
            let ticked = self.tick().await?;
            let is_some = |name: &str| ticked.get(name).and_then(Value::as_i64).is_some_and(|count| count > 0);
            let is_more = ticked.get("more") == Some(&json!(true));
            if !is_more && !["deliveries", "messages", "exports"].into_iter().any(is_some) {
                break;
            }
        }
        Ok(())
    }

    /// Answers the call of a client, as a fault wants it if one fits.
    async fn pass(&self, request: Request<WasiBody>) -> Result<Response<WasiBody>, HungUp> {
        let call = self.calls.begin(&request, self.clock.moment());
        let fault = self.faults.take(request.method(), request.uri().path());
        let request = call.asked(request);
        let response = match fault {
            None => self.inside.gate.pass(self.inside.app.answer(request)).await,
            Some(fault) => {
                call.faulted(fault.id);
                self.disturbed(&fault, request).await?
            }
        };
        Ok(call.answered(response))
    }

    async fn disturbed(&self, fault: &Fault, mut request: Request<WasiBody>) -> Result<Response<WasiBody>, HungUp> {
        tokio::time::sleep(fault.delay()).await;
        match fault.kind {
            Kind::Delay => {}
            Kind::Status => {
                read_away(request).await;
                return Ok(fault.response());
            }
            Kind::Disconnect => {
                read_away(request).await;
                return Err(HungUp);
            }
            Kind::ExpiredToken => match self.registry.expired_token(&self.inside, &self.clock).await {
                Ok(token) => _ = request.headers_mut().insert(AUTHORIZATION, bearer(&token)),
                Err(problem) => return Ok(problem.response()),
            },
            // A page that is compressed cannot be emptied.
            Kind::EmptyPage => _ = request.headers_mut().remove(ACCEPT_ENCODING),
        }
        let response = self.inside.gate.pass(self.inside.app.answer(request)).await;
        Ok(if fault.kind == Kind::EmptyPage { faults::emptied(response).await } else { response })
    }
}

impl Respond for Sandbox {
    fn app(&self) -> &App {
        &self.inside.app
    }

    async fn respond(&self, request: Request<WasiBody>) -> Result<Response<WasiBody>, HungUp> {
        let path = request.uri().path();
        if path == HEALTH {
            return Ok(self.inside.app.answer(request).await);
        }
        match path.strip_prefix(PREFIX).filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            Some(_ours) => Ok(routes::answer(self, request).await),
            None => Box::pin(self.pass(request)).await,
        }
    }
}

fn bearer(token: &str) -> HeaderValue {
    HeaderValue::try_from(format!("Bearer {token}")).unwrap_or(HeaderValue::from_static("Bearer"))
}

/// Reads a body that nobody asks for, as far as it is kept: the client may not look at an answer before.
async fn read_away(request: Request<WasiBody>) {
    // Whatever is wrong with it, the answer is known.
    let _read =
        Limited::new(request.into_body(), MAX_BODY_BYTES).collect().await.map(|body| drop::<Bytes>(body.to_bytes()));
}

/// Calls for background work as long as the clock runs.
async fn tick_again_and_again(sandbox: Arc<Sandbox>) {
    loop {
        tokio::time::sleep(TICK).await;
        if !sandbox.clock.is_frozen()
            && let Err(problem) = sandbox.nudge().await
        {
            // A restoration may have cut it off.
            tracing::debug!("the tick: {problem}");
        }
    }
}
