//! The calls of clients: what was asked and answered, for a test that looks at what a client did.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use chrono::{DateTime, Utc};
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION};
use http::{HeaderMap, Method, Request, Response};
use serde::Serialize;
use serde_json::{Map, Value, json};
use wasmtime_wasi_http::WasiBody;

use crate::sandbox::clock;
use crate::sandbox::copies::BodyCopy;
use crate::sandbox::pattern::Pattern;
use crate::sandbox::reply::Problem;
use crate::sandbox::snapshots::milliseconds_since;

/// The most calls that are kept; the oldest go first.
const MAX_CALLS: usize = 1000;
/// So many characters of a secret, its last, tell it from others without giving it away.
const HINT: usize = 5;
/// Names of parameters whose values are secrets.
const SECRETS: [&str; 3] = ["access_token", "api_key", "client_secret"];
/// The header by which the application tells who called; the number at which such ids begin.
const CALLER: &str = "x-canvas-user-id";
const GLOBAL_IDS: i64 = 10_000_000_000_000;

/// The calls of clients.
#[derive(Default)]
pub(super) struct Calls {
    last: AtomicU64,
    calls: Mutex<VecDeque<Arc<Call>>>,
}

/// A call, which may still be under way.
pub(super) struct Call {
    id: u64,
    at: DateTime<Utc>,
    began: Instant,
    method: Method,
    path: String,
    query: String,
    headers: HeaderMap,
    request: BodyCopy,
    response: BodyCopy,
    outcome: Mutex<Outcome>,
}

/// What became of a call so far.
#[derive(Default, Clone)]
struct Outcome {
    status: Option<u16>,
    milliseconds: Option<u64>,
    headers: HeaderMap,
    caller: Option<i64>,
    fault: Option<u64>,
}

/// A call as the API of the sandbox tells of it.
#[derive(Serialize)]
pub(super) struct Shown {
    id: u64,
    at: String,
    method: String,
    path: String,
    query: String,
    /// Null: there is no answer, or none yet.
    status: Option<u16>,
    milliseconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) login: Option<String>,
    /// Whose login that is.
    #[serde(skip)]
    pub(super) caller: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<u64>,
    request_headers: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_body: Option<String>,
}

/// Which calls are asked for.
#[derive(Default)]
pub(super) struct Filter {
    pattern: Pattern,
    since: Option<Since>,
}

enum Since {
    Id(u64),
    Time(DateTime<Utc>),
}

impl Filter {
    /// The filter of a query.
    pub(super) fn of(query: &str) -> Result<Self, Problem> {
        let mut filter = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()).filter(|(_, value)| !value.is_empty()) {
            match &*name {
                "method" => filter.pattern.method = Some(value.into_owned()),
                "path" => filter.pattern.path = Some(value.into_owned()),
                "since" => filter.since = Some(Since::read(&value)?),
                other => return Err(Problem::of_field(other, "is not one of method, path and since")),
            }
        }
        Ok(filter)
    }

    fn takes(&self, call: &Call) -> bool {
        let is_later = match &self.since {
            Some(Since::Id(id)) => call.id > *id,
            Some(Since::Time(time)) => call.at >= *time,
            None => true,
        };
        is_later && self.pattern.fits(&call.method, &call.path)
    }
}

impl Since {
    fn read(text: &str) -> Result<Self, Problem> {
        if let Ok(id) = text.parse() {
            return Ok(Self::Id(id));
        }
        let time = DateTime::parse_from_rfc3339(text);
        time.map(|time| Self::Time(time.to_utc()))
            .map_err(|_error| Problem::of_field("since", "is neither the id of a call nor an ISO 8601 time"))
    }
}

impl Calls {
    /// Notes that a client calls.
    pub(super) fn begin(&self, request: &Request<WasiBody>, at: DateTime<Utc>) -> Arc<Call> {
        let mut calls = self.locked();
        let call = Arc::new(Call {
            id: self.last.fetch_add(1, Ordering::Relaxed).saturating_add(1),
            at,
            began: Instant::now(),
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            query: without_secrets(request.uri().query().unwrap_or_default()),
            headers: request.headers().clone(),
            request: BodyCopy::default(),
            response: BodyCopy::default(),
            outcome: Mutex::default(),
        });
        if calls.len() >= MAX_CALLS {
            calls.pop_front();
        }
        calls.push_back(call.clone());
        call
    }

    /// The calls that are asked for, the newest last.
    pub(super) fn list(&self, filter: &Filter) -> Vec<Shown> {
        let calls: Vec<_> = self.locked().iter().filter(|call| filter.takes(call)).cloned().collect();
        calls.iter().map(|call| call.show()).collect()
    }

    pub(super) fn clear(&self) {
        self.locked().clear();
    }

    fn locked(&self) -> MutexGuard<'_, VecDeque<Arc<Call>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call {
    /// The request, whose body is copied while the application reads it.
    pub(super) fn asked(&self, request: Request<WasiBody>) -> Request<WasiBody> {
        request.map(|body| self.request.of(body))
    }

    /// Notes by which fault the call is not answered as usual.
    pub(super) fn faulted(&self, fault: u64) {
        self.outcome().fault = Some(fault);
    }

    /// Notes the answer, whose body is copied while the client reads it.
    pub(super) fn answered(&self, response: Response<WasiBody>) -> Response<WasiBody> {
        {
            let mut outcome = self.outcome();
            outcome.status = Some(response.status().as_u16());
            outcome.milliseconds = Some(milliseconds_since(self.began));
            outcome.headers = response.headers().clone();
            outcome.caller = caller(response.headers());
        }
        response.map(|body| self.response.of(body))
    }

    fn outcome(&self) -> MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self) -> Shown {
        let outcome = self.outcome().clone();
        Shown {
            id: self.id,
            at: clock::text(self.at),
            method: self.method.to_string(),
            path: self.path.clone(),
            query: self.query.clone(),
            status: outcome.status,
            milliseconds: outcome.milliseconds,
            login: None,
            caller: outcome.caller,
            fault: outcome.fault,
            request_headers: shown_headers(&self.headers),
            request_body: self.request.text(&self.headers),
            response_body: self.response.text(&outcome.headers),
        }
    }
}

/// The id of who called, as far as the application tells it.
fn caller(headers: &HeaderMap) -> Option<i64> {
    let id: i64 = headers.get(CALLER)?.to_str().ok()?.parse().ok()?;
    id.checked_sub(GLOBAL_IDS)
}

/// The headers by name, without secrets.
pub(super) fn shown_headers(headers: &HeaderMap) -> Value {
    let mut shown = Map::new();
    for (name, value) in headers {
        let is_secret = [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE].contains(name);
        let value = String::from_utf8_lossy(value.as_bytes());
        let value = if is_secret { credentials(&value) } else { value.into_owned() };
        match shown.get_mut(name.as_str()) {
            Some(Value::String(before)) => before.extend([", ", &value]),
            _ => _ = shown.insert(name.as_str().to_owned(), json!(value)),
        }
    }
    shown.into()
}

/// The scheme and the end of credentials.
fn credentials(value: &str) -> String {
    match value.split_once(' ') {
        Some((scheme, secret)) => format!("{scheme} {}", hint(secret)),
        None => hint(value),
    }
}

fn hint(secret: &str) -> String {
    let start = secret.chars().count().saturating_sub(HINT);
    // Of what is as short nothing is left.
    let end: String = if start < HINT { String::new() } else { secret.chars().skip(start).collect() };
    format!("…{end}")
}

/// The query without the values of secrets. The rest stays as it was written.
fn without_secrets(query: &str) -> String {
    let part = |part: &str| match part.split_once('=') {
        Some((name, value)) if SECRETS.contains(&name) => format!("{name}={}", hint(value)),
        _ => part.to_owned(),
    };
    query.split('&').map(part).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::StatusCode;
    use http_body_util::{BodyExt, Full};

    use super::*;
    use crate::sandbox::reply;

    fn body(text: &'static str) -> WasiBody {
        Full::new(Bytes::from_static(text.as_bytes())).map_err(wasmtime_wasi_http::Error::from).boxed_unsync()
    }

    fn request(method: &str, path: &str) -> Request<WasiBody> {
        let uri = format!("http://localhost{path}");
        let request = Request::builder().method(method).uri(uri).header("authorization", "Bearer abcdefghijklmnop");
        request.body(body("{\"name\":\"x\"}")).unwrap()
    }

    async fn made(calls: &Calls, method: &str, path: &str) {
        let request = request(method, path);
        let call = calls.begin(&request, Utc::now());
        call.asked(request).into_body().collect().await.unwrap();
        let mut response = reply::response(StatusCode::CREATED, "text/plain", "done");
        response.headers_mut().insert(CALLER, (GLOBAL_IDS + 7).into());
        call.answered(response).into_body().collect().await.unwrap();
    }

    #[tokio::test]
    async fn a_call_is_told_with_its_bodies_and_without_its_secrets() {
        let calls = Calls::default();
        made(&calls, "POST", "/api/v1/courses?page=2&access_token=0123456789abcdef").await;
        let shown = calls.list(&Filter::default()).remove(0);
        assert_eq!((shown.id, shown.status, shown.caller), (1, Some(201), Some(7)));
        assert_eq!(shown.query, "page=2&access_token=…bcdef");
        assert_eq!(shown.request_headers["authorization"], "Bearer …lmnop");
        assert_eq!(shown.request_body.as_deref(), Some("{\"name\":\"x\"}"));
        assert_eq!(shown.response_body.as_deref(), Some("done"));
        assert_eq!(hint("short"), "…");
    }

    #[tokio::test]
    async fn calls_are_found_by_method_path_and_what_was_before() {
        let calls = Calls::default();
        for (method, path) in [("GET", "/a/1"), ("POST", "/a/2"), ("GET", "/b")] {
            made(&calls, method, path).await;
        }
        let found =
            |query: &str| -> Vec<u64> { calls.list(&Filter::of(query).unwrap()).iter().map(|call| call.id).collect() };
        assert_eq!(found("method=GET"), [1, 3]);
        assert_eq!(found("path=/a/*"), [1, 2]);
        assert_eq!(found("since=2"), [3]);
        assert!(found("since=2100-01-01T00:00:00Z").is_empty());
        assert!(Filter::of("since=yesterday").is_err() && Filter::of("methd=GET").is_err());
        calls.clear();
        assert!(calls.list(&Filter::default()).is_empty());
    }

    #[tokio::test]
    async fn the_oldest_calls_go_first() {
        let calls = Calls::default();
        for _ in 0..=MAX_CALLS {
            calls.begin(&request("GET", "/"), Utc::now());
        }
        let ids: Vec<_> = calls.list(&Filter::default()).iter().map(|call| call.id).collect();
        assert_eq!((ids.len(), ids.first()), (MAX_CALLS, Some(&2)));
    }
}
