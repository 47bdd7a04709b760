//! Faults: answers that a client should be able to bear, where and as often as a test wants them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, RETRY_AFTER};
use http::{HeaderValue, Method, Response, StatusCode};
use http_body_util::BodyExt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wasmtime_wasi_http::WasiBody;

use crate::sandbox::pattern::Pattern;
use crate::sandbox::reply::{self, Problem};

/// The most faults there are at a time.
const MAX_FAULTS: usize = 1000;
/// The longest delay.
const MAX_DELAY: Duration = Duration::from_secs(600);

/// A fault, and how often it is still to come.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Fault {
    pub(super) id: u64,
    #[serde(flatten)]
    pattern: Pattern,
    pub(super) kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
    times: u32,
    /// Null: without end.
    left: Option<u32>,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// Another answer, without asking the application.
    Status,
    /// The answer is late.
    Delay,
    /// There is no answer.
    Disconnect,
    /// The application is asked with a token that has ended.
    ExpiredToken,
    /// The page of a list that the application answers has nothing on it.
    EmptyPage,
}

/// A wish for a fault.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wish {
    method: Option<String>,
    path: Option<String>,
    kind: Kind,
    status: Option<u16>,
    retry_after: Option<u32>,
    delay_ms: Option<u64>,
    body: Option<Value>,
    times: Option<u32>,
}

impl Wish {
    fn check(&self) -> Result<(), Problem> {
        let is_status = self.kind == Kind::Status;
        if is_status && !self.status.is_some_and(|status| (200..=599).contains(&status)) {
            return Err(Problem::of_field("status", "is needed, from 200 to 599"));
        }
        let only_of_status = [
            ("status", self.status.is_some()),
            ("retry_after", self.retry_after.is_some()),
            ("body", self.body.is_some()),
        ];
        if let Some((field, _)) = only_of_status.iter().find(|(_, is_given)| *is_given && !is_status) {
            return Err(Problem::of_field(field, "belongs to the kind status"));
        }
        if self.kind == Kind::Delay && self.delay_ms.is_none() {
            return Err(Problem::of_field("delay_ms", "is needed"));
        }
        if self.delay_ms.is_some_and(|delay| Duration::from_millis(delay) > MAX_DELAY) {
            return Err(Problem::of_field("delay_ms", "is at most 600000"));
        }
        if let Some(method) = &self.method
            && Method::from_bytes(method.to_ascii_uppercase().as_bytes()).is_err()
        {
            return Err(Problem::of_field("method", "is not a method"));
        }
        if self.path.as_ref().is_some_and(|path| !path.starts_with(['/', '*'])) {
            return Err(Problem::of_field("path", "begins with a slash or a star"));
        }
        Ok(())
    }
}

impl Fault {
    pub(super) fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms.unwrap_or_default())
    }

    /// The answer in the place of the application's.
    pub(super) fn response(&self) -> Response<WasiBody> {
        let status = self.status.and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or_default();
        let mut response = match &self.body {
            Some(Value::String(text)) => reply::response(status, "text/plain; charset=utf-8", text.clone()),
            Some(body) => reply::json_response(status, body),
            None => {
                let message = status.canonical_reason().unwrap_or("A fault of the sandbox");
                reply::json_response(status, &json!({ "errors": [{ "message": message }] }))
            }
        };
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// The page without what is on it; its headers stay. What is no list stays as it is.
pub(super) async fn emptied(response: Response<WasiBody>) -> Response<WasiBody> {
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| is_json(kind.as_bytes()));
    if !response.status().is_success() || !is_json || response.headers().contains_key(CONTENT_ENCODING) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let body = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => return Problem::from(anyhow::anyhow!("the page cannot be read: {error}")).response(),
    };
    let mut json: Value = serde_json::from_slice(&body).unwrap_or_default();
    let was_list = match &mut json {
        Value::Array(records) => {
            records.clear();
            true
        }
        Value::Object(fields) => {
            let lists = fields.values_mut().filter_map(Value::as_array_mut);
            lists.map(Vec::clear).count() > 0
        }
        _ => false,
    };
    let body = if was_list { json.to_string().into() } else { body };
    if was_list {
        head.headers.remove(ETAG);
        head.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    let body = http_body_util::Full::new(body).map_err(wasmtime_wasi_http::Error::from).boxed_unsync();
    Response::from_parts(head, body)
}

fn is_json(content_type: &[u8]) -> bool {
    let essence = content_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    essence.eq_ignore_ascii_case(b"application/json") || essence.ends_with(b"+json")
}

/// All faults, in the order in which they were made.
#[derive(Default)]
pub(super) struct Faults(Mutex<Made>);

#[derive(Default)]
struct Made {
    last: u64,
    faults: Vec<Fault>,
}

impl Made {
    fn add(&mut self, wish: Wish) -> Fault {
        self.last = self.last.saturating_add(1);
        let Wish { method, path, kind, status, retry_after, delay_ms, body, times } = wish;
        let times = times.unwrap_or(1);
        let left = (times > 0).then_some(times);
        let pattern = Pattern { method, path };
        let fault = Fault { id: self.last, pattern, kind, status, retry_after, delay_ms, body, times, left };
        self.faults.push(fault.clone());
        fault
    }
}

impl Faults {
    fn made(&self) -> MutexGuard<'_, Made> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, wish: Wish) -> Result<Fault, Problem> {
        wish.check()?;
        let mut made = self.made();
        if made.faults.len() >= MAX_FAULTS {
            return Err(Problem::new(StatusCode::CONFLICT, format!("there are {MAX_FAULTS} faults already")));
        }
        Ok(made.add(wish))
    }

    /// Forgets all faults for these, unless one of them makes no sense.
    pub(super) fn replace(&self, wishes: Vec<Wish>) -> Result<Vec<Fault>, Problem> {
        wishes.iter().try_for_each(Wish::check)?;
        if wishes.len() > MAX_FAULTS {
            return Err(Problem::new(StatusCode::CONFLICT, format!("there are {MAX_FAULTS} faults at most")));
        }
        let mut made = self.made();
        made.faults.clear();
        Ok(wishes.into_iter().map(|wish| made.add(wish)).collect())
    }

    /// The fault of a call, which is one less from now on.
    pub(super) fn take(&self, method: &Method, path: &str) -> Option<Fault> {
        let mut made = self.made();
        let fits = |fault: &&mut Fault| fault.left != Some(0) && fault.pattern.fits(method, path);
        let fault = made.faults.iter_mut().find(fits)?;
        fault.left = fault.left.map(|left| left.saturating_sub(1));
        Some(fault.clone())
    }

    pub(super) fn list(&self) -> Vec<Fault> {
        self.made().faults.clone()
    }

    pub(super) fn get(&self, id: u64) -> Option<Fault> {
        self.made().faults.iter().find(|fault| fault.id == id).cloned()
    }

    /// Forgets a fault; false if there is none with that id.
    pub(super) fn remove(&self, id: u64) -> bool {
        let mut made = self.made();
        let before = made.faults.len();
        made.faults.retain(|fault| fault.id != id);
        made.faults.len() < before
    }

    pub(super) fn clear(&self) {
        self.made().faults.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(json: Value) -> Wish {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn the_first_that_fits_comes_until_it_is_used_up() {
        let faults = Faults::default();
        let first = json!({ "path": "/api/*", "kind": "status", "status": 429, "times": 2 });
        let second = json!({ "method": "GET", "kind": "disconnect", "times": 0 });
        let (first, second) = (faults.add(wish(first)).unwrap(), faults.add(wish(second)).unwrap());
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(faults.take(&Method::GET, "/api/v1/courses").unwrap().id);
        }
        assert_eq!(taken, [first.id, first.id, second.id, second.id]);
        assert!(faults.take(&Method::POST, "/api/v1/courses").is_none());
        assert_eq!(faults.list().iter().map(|fault| fault.left).collect::<Vec<_>>(), [Some(0), None]);
        assert!(faults.remove(first.id) && !faults.remove(first.id) && faults.get(second.id).is_some());
    }

    #[tokio::test]
    async fn a_status_comes_with_its_body_and_when_to_come_again() {
        let faults = Faults::default();
        let busy = faults.add(wish(json!({ "kind": "status", "status": 503, "retry_after": 2 }))).unwrap().response();
        assert_eq!((busy.status().as_u16(), &busy.headers()[RETRY_AFTER]), (503, &HeaderValue::from(2)));
        let body = busy.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body, r#"{"errors":[{"message":"Service Unavailable"}]}"#);
        let text = faults.add(wish(json!({ "kind": "status", "status": 502, "body": "<h1>" }))).unwrap().response();
        assert_eq!(text.headers()[CONTENT_TYPE], "text/plain; charset=utf-8");
    }

    #[test]
    fn wishes_that_make_no_sense_are_refused() {
        let faults = Faults::default();
        for (wrong, field) in [
            (json!({ "kind": "status" }), "status"),
            (json!({ "kind": "status", "status": 99 }), "status"),
            (json!({ "kind": "delay" }), "delay_ms"),
            (json!({ "kind": "delay", "delay_ms": 600_001 }), "delay_ms"),
            (json!({ "kind": "disconnect", "status": 500 }), "status"),
            (json!({ "kind": "empty_page", "body": [] }), "body"),
            (json!({ "kind": "disconnect", "path": "api" }), "path"),
            (json!({ "kind": "disconnect", "method": "GE T" }), "method"),
        ] {
            assert_eq!(faults.add(wish(wrong)).unwrap_err().field.as_deref(), Some(field));
        }
        assert!(serde_json::from_value::<Wish>(json!({ "kind": "status", "code": 500 })).is_err());
    }

    #[tokio::test]
    async fn a_page_loses_its_records_and_keeps_its_headers() {
        for (page, emptied_page) in [
            (json!([1, 2]), json!([])),
            (
                json!({ "polls": [1], "meta": { "primaryCollection": "polls" } }),
                json!({ "polls": [], "meta": { "primaryCollection": "polls" } }),
            ),
            (json!({ "name": "no list" }), json!({ "name": "no list" })),
        ] {
            let mut response = reply::json_response(StatusCode::OK, &page);
            response.headers_mut().insert("link", HeaderValue::from_static("<x>; rel=\"next\""));
            let response = emptied(response).await;
            assert_eq!(response.headers()["link"], "<x>; rel=\"next\"");
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), emptied_page);
        }
    }
}
