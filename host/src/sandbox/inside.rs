//! Requests of the sandbox itself into the application, without a network.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::Value;
use wasmtime_wasi_http::Error;

use crate::App;
use crate::sandbox::gate::Gate;
use crate::sandbox::reply::Problem;

/// The way into the application, as it can be called by one name and address.
#[derive(Clone)]
pub(super) struct Inside {
    pub(super) app: Arc<App>,
    pub(super) gate: Arc<Gate>,
    /// The name under which clients call: links in answers have it.
    pub(super) authority: String,
}

/// An answer of the application.
pub(super) struct Answered {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

impl Answered {
    /// The body, which is text where it is no JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_no_json| String::from_utf8_lossy(&self.body).into_owned().into())
    }
}

impl Inside {
    /// The address of the application, without a slash at its end.
    pub(super) fn address(&self) -> String {
        format!("http://{}", self.authority)
    }

    /// Sends a request, and waits for the whole answer.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> Result<Answered, Problem> {
        let json = body.map(Value::to_string).unwrap_or_default();
        let request = self.request(method, path, token, json)?;
        let answered = self.gate.pass(async {
            let (head, body) = self.app.answer(request).await.into_parts();
            anyhow::Ok(Answered { status: head.status, body: body.collect().await?.to_bytes() })
        });
        Ok(answered.await?)
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        token: &str,
        json: String,
    ) -> anyhow::Result<Request<wasmtime_wasi_http::WasiBody>> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.address()));
        request = request.header(HOST, &self.authority);
        if !token.is_empty() {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if !json.is_empty() {
            request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        Ok(request.body(Full::new(Bytes::from(json)).map_err(Error::from).boxed_unsync())?)
    }

    /// Sends a request that must succeed.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> Result<Value, Problem> {
        let answered = self.send(method.clone(), path, token, body).await?;
        match answered.status.is_success() {
            true => Ok(answered.json()),
            false => Err(refused(&method, path, &answered)),
        }
    }

    pub(super) async fn get(&self, path: &str, token: &str) -> Result<Value, Problem> {
        self.call(Method::GET, path, token, None).await
    }

    pub(super) async fn post(&self, path: &str, token: &str, body: &Value) -> Result<Value, Problem> {
        self.call(Method::POST, path, token, Some(body)).await
    }
}

/// What the application has refused, as something that is wrong with what was asked of the sandbox.
pub(super) fn refused(method: &Method, path: &str, answered: &Answered) -> Problem {
    let message = format!("{method} {path} was refused with {}: {}", answered.status, answered.json());
    match answered.status.is_server_error() {
        true => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, message),
        false => Problem::bad_request(message),
    }
}

/// The text under `key` of an answer.
pub(super) fn text(value: &Value, key: &str) -> Result<String, Problem> {
    let text = value.get(key).and_then(Value::as_str).map(str::to_owned);
    text.ok_or_else(|| lacks(value, key))
}

/// The number under `key` of an answer.
pub(super) fn number(value: &Value, key: &str) -> Result<i64, Problem> {
    value.get(key).and_then(Value::as_i64).ok_or_else(|| lacks(value, key))
}

fn lacks(value: &Value, key: &str) -> Problem {
    anyhow::anyhow!("an answer of the application has no {key}: {value}").into()
}
