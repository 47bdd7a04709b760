//! The HTTP server in front of the components.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bytes::Bytes;
use http::uri::{Authority, Scheme, Uri};
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use serde_json::json;
use serving::{GracefulShutdown, Limits, RequestBody};
use tokio::net::TcpListener;
use tokio::time::timeout;
use wasmtime_wasi_http::handler::{ExpirationError, TrapOrPanicError};
use wasmtime_wasi_http::{Error, WasiBody};

use crate::App;
use crate::passing::Passing;
use crate::served::ServedComponent;
use crate::traces::Trace;

/// Where Spin tells that it serves, which it does when all is compiled.
pub(crate) const HEALTH: &str = "/.well-known/spin/health";
/// Where the application tells whether it can do its work.
const READY: &str = "/ready";
const LIMITS: Limits = Limits { connections: 1024, header_timeout: Duration::from_secs(30) };
/// The time that running requests, and then the work after their responses, have when the host stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// The time that what is cut off then has to end.
const CUTTING_OFF: Duration = Duration::from_secs(1);

/// Whoever answers requests: the application, or something in front of it.
pub(crate) trait Respond: Send + Sync + 'static {
    /// The application.
    fn app(&self) -> &App;

    /// Answers a request, whose address has its scheme and its authority.
    fn respond(&self, request: Request<WasiBody>) -> impl Future<Output = Result<Response<WasiBody>, HungUp>> + Send;
}

/// The connection is closed without an answer.
#[derive(Debug)]
pub(crate) struct HungUp;

impl fmt::Display for HungUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection is closed without an answer")
    }
}

impl std::error::Error for HungUp {}

impl Respond for App {
    fn app(&self) -> &App {
        self
    }

    async fn respond(&self, request: Request<WasiBody>) -> Result<Response<WasiBody>, HungUp> {
        Ok(self.answer(request).await)
    }
}

/// Answers requests until `shutdown` is ready, then finishes what runs.
pub(crate) async fn serve(
    responder: Arc<impl Respond>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Result<()> {
    let address = listener.local_addr().context("the listener has no address")?;
    let answering = responder.clone();
    let answer = move |request| {
        let responder = answering.clone();
        async move {
            match absolute(request, address) {
                Some(request) => responder.respond(request).await,
                None => Ok(refusal(StatusCode::BAD_REQUEST)),
            }
        }
    };
    let open = serving::serve(listener, LIMITS, answer, shutdown).await;
    finish(responder.app(), open).await;
    Ok(())
}

async fn finish(app: &App, open: GracefulShutdown) {
    if timeout(SHUTDOWN_TIMEOUT, open.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time and are cut off");
    }
    if !app.lifetime.current().end(SHUTDOWN_TIMEOUT).await {
        tracing::warn!("some work after a response did not finish in time and is cut off");
        // The end of the program would tell of each instance that it has failed.
        let _in_time = timeout(CUTTING_OFF, app.lifetime.current().cut_off()).await;
    }
}

impl App {
    /// The answer to a request, whose address has its scheme and its authority.
    pub(crate) async fn answer(&self, request: Request<WasiBody>) -> Response<WasiBody> {
        let path = request.uri().path();
        if path == HEALTH {
            return health(self.is_ready());
        }
        let found = self.routes.find(path).and_then(|route| Some((route, self.served.get(&route.component)?)));
        let Some((route, component)) = found else {
            return refusal(StatusCode::NOT_FOUND);
        };
        let asks_whether_ready = self.is_lectern && path == READY;
        let counted = component.metrics.request();
        let span = self.traces.request(&request, &route.pattern, &route.component);
        let mut response = call(self, &route.component, component, request, span.trace()).await;
        if asks_whether_ready && response.status() == StatusCode::OK {
            response = self.unless_unwritable(response).await;
        }
        counted.answered(response.status());
        span.answered(response.status());
        response
    }

    /// The answer that the application is ready, unless its data cannot be written: a component does not try.
    async fn unless_unwritable(&self, ready: Response<WasiBody>) -> Response<WasiBody> {
        let mut problems = Vec::new();
        for writing in &self.writing {
            problems.extend(writing.problem().await);
        }
        match problems.is_empty() {
            true => ready,
            false => not_ready(ready, &problems.join("; ")),
        }
    }
}

/// The answer of the application where something is the matter, in its own form.
fn not_ready(ready: Response<WasiBody>, problems: &str) -> Response<WasiBody> {
    let message = format!("Not ready: {problems}.");
    let body = json!({ "errors": [{ "error_code": "service_unavailable", "message": message }] }).to_string();
    let (mut head, _ready) = ready.into_parts();
    head.status = StatusCode::SERVICE_UNAVAILABLE;
    head.headers.insert(header::CONTENT_LENGTH, body.len().into());
    Response::from_parts(head, Full::new(Bytes::from(body)).map_err(Error::from).boxed_unsync())
}

/// The answer of a component.
async fn call(
    app: &App,
    id: &str,
    component: &ServedComponent,
    request: Request<WasiBody>,
    trace: Trace,
) -> Response<WasiBody> {
    let handler = match component.handler().await {
        Ok(handler) => handler,
        Err(error) => {
            tracing::error!("{error:#}");
            return refusal(StatusCode::INTERNAL_SERVER_ERROR);
        }
    };
    let (method, passing) = (request.method().clone(), Passing::default());
    let request = request.map(|body| passing.watch_request(body, app.time_limit));
    let work = async {
        let began = Instant::now();
        handler.handle((trace, passing.clone()), request).await.map_err(|error| (error, began.elapsed()))
    };
    match app.admission.admit(&method, work).await {
        Ok(response) => response.map(|body| passing.watch(body)),
        Err((error, after)) => {
            // What was cut off has been told where that was done.
            if !app.lifetime.current().cutting_off.is_cancelled() {
                tracing::error!("{}", why_not(id, &error, after, app.time_limit));
            }
            refusal(StatusCode::INTERNAL_SERVER_ERROR)
        }
    }
}

/// The reason why a component did not answer. An instance that is stopped at the limit is as dead for its requests as
/// one that trapped: the time tells which of both it was.
fn why_not(id: &str, error: &wasmtime::Error, after: Duration, limit: Option<Duration>) -> String {
    let is_lost = error.is::<TrapOrPanicError>();
    match limit {
        Some(limit) if error.is::<ExpirationError>() || (is_lost && after >= limit) => {
            format!("request timed out after {limit:?} in component {id}")
        }
        _ if is_lost => format!("component {id} did not answer: its instance failed"),
        _ => format!("component {id} did not answer: {error:?}"),
    }
}

/// The request as a component wants it: with scheme and authority in its address.
fn absolute(request: Request<RequestBody>, address: SocketAddr) -> Option<Request<WasiBody>> {
    let (mut head, body) = request.into_parts();
    let mut hosts = head.headers.get_all(header::HOST).iter();
    let authority = match (hosts.next(), hosts.next()) {
        (Some(host), None) => Authority::try_from(host.as_bytes()).ok()?,
        // A proxy may have looked at the other one.
        (Some(_), Some(_)) => return None,
        (None, _) => address.to_string().parse().ok()?,
    };
    let mut uri = head.uri.into_parts();
    uri.scheme = Some(Scheme::HTTP);
    uri.authority = Some(authority);
    head.uri = Uri::from_parts(uri).ok()?;
    // As an error of hyper it would be told in the log: clients that go away in the middle are nothing to write about.
    let body = body.map_err(|broken| {
        tracing::debug!("the body of a request breaks off: {broken}");
        Error::HttpProtocolError
    });
    Some(Request::from_parts(head, body.boxed_unsync()))
}

fn health(is_ready: bool) -> Response<WasiBody> {
    let (status, text) = match is_ready {
        true => (StatusCode::OK, "OK"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "Loading"),
    };
    response(status, Full::new(Bytes::from_static(text.as_bytes())).map_err(Error::from).boxed_unsync())
}

/// The answer of the host in the place of a component's, in the form that most areas have.
fn refusal(status: StatusCode) -> Response<WasiBody> {
    let error = match status {
        StatusCode::BAD_REQUEST => {
            json!({ "message": "The address cannot be used, or Host names no host, or several." })
        }
        StatusCode::NOT_FOUND => json!({ "message": "The specified resource does not exist." }),
        _ => json!({ "message": "An error occurred.", "error_code": "internal_server_error" }),
    };
    let body = json!({ "errors": [error] }).to_string();
    let mut response = response(status, Full::new(Bytes::from(body)).map_err(Error::from).boxed_unsync());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn response(status: StatusCode, body: WasiBody) -> Response<WasiBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use http_body_util::Empty;
    use serde_json::Value;
    use tempfile::TempDir;

    use super::*;
    use crate::Options;

    /// An application whose only component is none.
    fn broken(folder: &TempDir, load_on_demand: bool) -> App {
        const MANIFEST: &str = r#"
            spin_manifest_version = 2
            application.name = "broken"
            trigger.http = [{ route = "/...", component = "broken" }]
            component.broken.source = "broken.wasm"
        "#;
        let manifest = folder.path().join("spin.toml");
        std::fs::write(&manifest, MANIFEST).unwrap();
        std::fs::write(folder.path().join("broken.wasm"), "text").unwrap();
        App::load(&manifest, Options { quiet: true, load_on_demand, ..Options::default() }).unwrap()
    }

    async fn ask(app: &App, path: &str) -> StatusCode {
        let body = Empty::new().map_err(Error::from).boxed_unsync();
        app.answer(Request::get(format!("http://lms.test{path}")).body(body).unwrap()).await.status()
    }

    #[tokio::test]
    async fn it_tells_that_it_serves_when_all_is_loaded_that_is_loaded_without_a_request() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(ask(&broken(&folder, true), HEALTH).await, StatusCode::OK);
        assert_eq!(ask(&broken(&folder, false), HEALTH).await, StatusCode::SERVICE_UNAVAILABLE);
    }

    #[tokio::test]
    async fn a_component_that_cannot_be_loaded_fails_its_requests_and_then_all() {
        let folder = tempfile::tempdir().unwrap();
        let app = broken(&folder, false);
        assert_eq!(ask(&app, "/").await, StatusCode::INTERNAL_SERVER_ERROR);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let error = app.serve(listener, std::future::pending()).await.unwrap_err();
        assert!(format!("{error:#}").contains("cannot compile component \"broken\""), "{error:#}");
    }

    #[tokio::test]
    async fn what_the_host_answers_is_json_as_what_components_answer() {
        let folder = tempfile::tempdir().unwrap();
        let app = broken(&folder, true);
        let body = Empty::new().map_err(Error::from).boxed_unsync();
        let failed = app.answer(Request::get("http://lms.test/").body(body).unwrap()).await;
        for (refused, status) in [(failed, 500), (refusal(StatusCode::NOT_FOUND), 404)] {
            let (head, body) = refused.into_parts();
            assert_eq!(head.status.as_u16(), status);
            assert_eq!(head.headers[header::CONTENT_TYPE], "application/json; charset=utf-8");
            let body = body.collect().await.unwrap().to_bytes();
            let message = serde_json::from_slice::<Value>(&body).unwrap()["errors"][0]["message"].clone();
            assert!(message.is_string(), "{status}: {message}");
        }
    }

    #[tokio::test]
    async fn what_is_not_ready_is_told_as_the_application_does() {
        let mut ready = response(StatusCode::OK, Full::new("{}".into()).map_err(Error::from).boxed_unsync());
        ready.headers_mut().insert(header::CONTENT_LENGTH, 2.into());
        ready.headers_mut().insert(header::CACHE_CONTROL, "no-store".parse().unwrap());
        let (head, body) = not_ready(ready, "database (it cannot be written)").into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let message = "Not ready: database (it cannot be written).";
        let expected = json!({ "errors": [{ "error_code": "service_unavailable", "message": message }] });
        assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), expected);
        assert_eq!((head.status, head.headers.len()), (StatusCode::SERVICE_UNAVAILABLE, 2));
        assert_eq!(head.headers[header::CONTENT_LENGTH], body.len().to_string());
    }

    #[test]
    fn a_request_that_runs_out_of_time_is_told_as_such() {
        let (short, minute) = (Duration::from_secs(2), Duration::from_secs(60));
        let why = |error: wasmtime::Error, after, limit| why_not("polls", &error, after, limit);
        let timed_out = "request timed out after 60s in component polls";
        assert_eq!(why(ExpirationError.into(), minute, Some(minute)), timed_out);
        assert_eq!(why(TrapOrPanicError.into(), minute, Some(minute)), timed_out);
        let failed = "component polls did not answer: its instance failed";
        assert_eq!(why(TrapOrPanicError.into(), short, Some(minute)), failed);
        assert_eq!(why(TrapOrPanicError.into(), minute, None), failed);
        assert!(why(wasmtime::Error::msg("no memory"), short, None).contains("no memory"));
    }
}
