//! The way in: every request of every component goes through [`serve`], and every answer leaves with the same headers.

use std::io::Write;
use std::time::Instant;

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Method, StatusCode};
use serde_json::json;
use uuid::Uuid;

use crate::api::{Access, Api, Endpoint, Reading, Refuse};
use crate::auth::{self, Caller};
use crate::body::{BodyStream, BoxError, Outgoing, RequestBody};
use crate::context::Context;
use crate::cors;
use crate::envelope::Envelope;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::params::{self, Params};
use crate::reply::{Answer, JSON};

/// A request as Spin hands it over.
pub type Request = spin_sdk::http::Request;

/// An answer as Spin takes it. Its length is known and sent: without it, the last bytes of a connection come late.
pub type Response = http::Response<Outgoing>;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-context-id");
const USER_ID: HeaderName = HeaderName::from_static("x-canvas-user-id");
const REAL_USER_ID: HeaderName = HeaderName::from_static("x-canvas-real-user-id");

/// Where the global ids of a service begin.
const GLOBAL_IDS: i64 = 10_000_000_000_000;

/// Headers of every answer whose handler has not set them itself.
const DEFAULTS: [(HeaderName, HeaderValue); 4] = [
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];

/// Answers a request with the endpoint of `api` that it names.
pub async fn serve(api: &Api, request: Request) -> Response {
    let began = Instant::now();
    let id = Uuid::new_v4().to_string();
    let (parts, body) = request.into_parts();
    let (method, origin) = (parts.method.clone(), parts.headers.get(ORIGIN).cloned());
    let found = api.find(&method, parts.uri.path());
    let route = found.as_ref().map_or("", |(endpoint, _)| endpoint.path);
    let envelope = found.as_ref().ok().and_then(|(endpoint, _)| endpoint.envelope).unwrap_or(api.envelope);
    let refuse: Refuse = found.as_ref().map_or(refuse, |(endpoint, _)| endpoint.refuse);

    let mut caller = None;
    let answered = match found {
        Ok((endpoint, path)) => answer(endpoint, path, &id, parts, body, &mut caller).await,
        Err(error) => Err(error),
    };
    let (mut answer, cause) = match answered {
        Ok(answer) => (answer, None),
        Err(error) => (refuse(envelope, &error), error.log_cause().map(|cause| format!("{cause:#}"))),
    };
    // Without a token in it the preflight names no endpoint: it is answered by what the path allows.
    if let Ok(mut cors) = cors::headers(origin).await {
        if method == Method::OPTIONS
            && let Some(allow) = answer.headers.get(ALLOW).cloned()
        {
            cors::preflight(&mut cors, &allow);
            answer = Answer { status: StatusCode::NO_CONTENT, body: Outgoing::default(), headers: answer.headers };
            answer.headers.remove(CONTENT_TYPE);
        }
        answer.headers.extend(cors);
    }
    log(&[
        ("area", json!(api.name)),
        ("method", json!(method.as_str())),
        ("route", json!(route)),
        ("status", json!(answer.status.as_u16())),
        ("milliseconds", json!(began.elapsed().as_millis())),
        ("user", json!(caller.as_ref().map(|caller| caller.user))),
        ("request", json!(id)),
        ("cause", json!(cause)),
    ]);
    respond(answer, &method, &id, caller.as_ref())
}

async fn answer(
    endpoint: &Endpoint,
    path: Params,
    id: &str,
    parts: http::request::Parts,
    body: impl http_body::Body<Data = Bytes, Error: Into<BoxError>> + 'static,
    caller: &mut Option<Caller>,
) -> Result<Answer> {
    let body = BodyStream::new(body, endpoint.body_limit);
    let body = match endpoint.reading {
        Reading::Streamed => RequestBody::Stream(body),
        Reading::Parameters | Reading::Raw => RequestBody::Whole(body.collect().await?),
    };
    let cx = Context::new(id, parts, body);
    let params = parameters(&cx, endpoint).await;
    let cx = match endpoint.access {
        Access::Public => cx,
        Access::Token | Access::TokenOptional => {
            let of_query;
            let named = match &params {
                Ok(params) => params,
                Err(_unreadable) => {
                    of_query = query(&cx).unwrap_or_default();
                    &of_query
                }
            };
            *caller = auth::caller(&cx, endpoint, named).await?;
            cx.with_caller(caller.clone())
        }
    };
    // What cannot be read may have asked for less than the caller may do: such a request goes no further.
    endpoint.call(cx, path, params?).await
}

fn query(cx: &Context) -> Result<Params> {
    params::parse_pairs(params::pairs(cx.query().as_bytes())?.into_iter())
}

async fn parameters(cx: &Context, endpoint: &Endpoint) -> Result<Params> {
    let mut params = query(cx)?;
    if endpoint.reading != Reading::Parameters {
        return Ok(params);
    }
    params.extend(params::parse_body(&cx.parts().headers, &cx.bytes()).await?);
    Ok(params)
}

/// The answer to an error, as clients read it.
pub(crate) fn refuse(envelope: Envelope, error: &Error) -> Answer {
    let rendered = envelope.render(error);
    let mut headers = rendered.headers;
    headers.insert(CONTENT_TYPE, JSON);
    Answer { status: rendered.status, body: Outgoing::from(Bytes::from(rendered.body.to_string())), headers }
}

fn respond(answer: Answer, method: &Method, id: &str, caller: Option<&Caller>) -> Response {
    let Answer { status, body, mut headers } = answer;
    for (name, value) in DEFAULTS {
        headers.entry(name).or_insert(value);
    }
    if let Some(length) = body.length()
        && !matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
    {
        headers.insert(CONTENT_LENGTH, length.into());
    }
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    if let Some(caller) = caller {
        headers.insert(USER_ID, global(caller.user));
        headers.extend(caller.real_user.map(|real| (REAL_USER_ID, global(real))));
    }
    let body = if *method == Method::HEAD { Outgoing::default() } else { body };
    let mut response = http::Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// An id as it is known beyond this service, which is the first of its kind.
fn global(user: UserId) -> HeaderValue {
    user.0.saturating_add(GLOBAL_IDS).into()
}

/// One line of JSON on standard error for each request: no token, no body, no address of a person.
fn log(fields: &[(&str, serde_json::Value)]) {
    let line: serde_json::Map<_, _> = fields
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    // Written at once, so that the lines of requests that run together stay whole. A log that cannot be written is no
    // reason to fail the request.
    let _ = std::io::stderr().write_all(format!("{}\n", serde_json::Value::Object(line)).as_bytes());
}
