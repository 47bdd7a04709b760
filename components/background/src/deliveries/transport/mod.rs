//! One attempt: a signed POST to the receiver, or a message to its queue.

mod sqs;

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_TYPE, HeaderName, RETRY_AFTER, USER_AGENT};
use http::{Request, StatusCode};
use serde_json::json;
use shared::auth::encryption;
use shared::aws::Aws;
use shared::config::Secret;
use shared::live_events::SUBSCRIPTION;
use shared::outbound::queue::QueueRules;
use shared::outbound::{self, Incoming, Limits, address};
use shared::retries::retry_after;
use shared::standard_webhooks as signing;
use shared::{Error, Result, background, clock};

use crate::deliveries::payload;
use crate::store::deliveries::{Due, RequestHeader, SentRequest};

/// The time that a receiver may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The part of a body that is kept: of what it is sent, and of what it answers.
const KEPT: usize = 20_000;
/// The headers whose values are kept. The signature of a webhook gives nothing away; what signs a message to a queue names the
/// operator's keys, and may be a token of its session.
const SHOWN: [HeaderName; 8] = [
    CONTENT_TYPE,
    USER_AGENT,
    SUBSCRIPTION,
    signing::ID,
    signing::TIMESTAMP,
    signing::SIGNATURE,
    HeaderName::from_static("x-amz-date"),
    HeaderName::from_static("x-amz-target"),
];

const AGENT: &str = concat!("Lectern/", env!("CARGO_PKG_VERSION"), " (webhooks)");

/// The things that all attempts of a run have in common.
pub(super) struct Settings {
    pub(super) development: bool,
    pub(super) base_url: String,
    pub(super) aws: Option<Aws>,
    pub(super) queues: QueueRules,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Delivered,
    /// It may be tried again; the receiver may have asked for so many seconds.
    Failed {
        why: String,
        wait: Option<i64>,
    },
    /// It will never be taken.
    Impossible {
        why: String,
    },
    /// The receiver wants nothing any more.
    Gone,
}

/// The answer of the receiver.
#[derive(Default)]
pub(super) struct ReceiverResponse {
    pub(super) status: Option<u16>,
    pub(super) body: Option<String>,
}

/// An attempt that was made.
pub(super) struct Attempt {
    pub(super) outcome: Outcome,
    /// What was sent; nothing where there was nothing to send.
    pub(super) request: Option<SentRequest>,
    pub(super) answer: ReceiverResponse,
    pub(super) latency: Duration,
    /// Why there was no answer.
    pub(super) reason: Option<String>,
}

/// Makes an attempt. Whatever goes wrong is its outcome, so that no delivery keeps others from being sent.
pub(super) async fn attempt(due: &Due, settings: &Settings) -> Attempt {
    let began = Instant::now();
    let request = match request(due, settings).await {
        Ok(request) => request,
        Err(refusal) => {
            let outcome = match refusal {
                Refusal::Never(why) => Outcome::Impossible { why },
                Refusal::Now(why) => Outcome::Failed { why, wait: None },
            };
            let (answer, latency) = (ReceiverResponse::default(), began.elapsed());
            return Attempt { outcome, request: None, answer, latency, reason: None };
        }
    };
    let sent = kept(&request);
    let answered = send(request).await;
    let latency = began.elapsed();
    match answered {
        Ok((outcome, answer)) => Attempt { outcome, request: Some(sent), answer, latency, reason: None },
        Err(failure) => {
            background::log(&json!({ "delivery": due.id, "failure": failure.detail() }));
            let outcome = Outcome::Failed { why: failure.public_text().to_owned(), wait: None };
            let (answer, reason) = (ReceiverResponse::default(), Some(failure.reason().to_owned()));
            Attempt { outcome, request: Some(sent), answer, latency, reason }
        }
    }
}

/// What is kept of a request: no secret of the operator's.
fn kept(request: &Request<Bytes>) -> SentRequest {
    let headers = request.headers().iter().map(|(name, value)| {
        let is_shown = SHOWN.contains(name);
        let value = is_shown.then(|| String::from_utf8_lossy(value.as_bytes()).into_owned());
        RequestHeader { name: name.as_str().to_owned(), value }
    });
    let body = request.body();
    SentRequest {
        request_headers: headers.collect(),
        request_body: text(body.get(..KEPT).unwrap_or(body)),
        request_bytes: body.len(),
    }
}

/// Why nothing was sent.
pub(super) enum Refusal {
    /// The delivery cannot be sent.
    Never(String),
    /// Something of ours is missing.
    Now(String),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        // The cause is for the log: the operator's secrets and addresses may be in it.
        background::log_failure(&error);
        Self::Now("the delivery could not be prepared: see the log".to_owned())
    }
}

async fn request(due: &Due, settings: &Settings) -> Result<Request<Bytes>, Refusal> {
    let body = payload::of(due, &settings.base_url)?.to_string();
    if due.transport_type == "sqs" {
        return sqs::request(due, &body, settings);
    }
    // The rules may be stricter now than when the subscription was made.
    let uri =
        address::check(&due.url, settings.development).map_err(|rule| Refusal::Now(format!("the address {rule}")))?;
    let now = clock::now();
    let signatures = signing::signatures(&secrets(due).await?, &due.message_id, now, body.as_bytes());
    let signatures = signatures.ok_or_else(|| Refusal::Now("the signing secret is damaged".to_owned()))?;
    let request = Request::post(uri)
        .header(CONTENT_TYPE, "application/json")
        .header(USER_AGENT, AGENT)
        .header(SUBSCRIPTION, &due.subscription_uuid)
        .header(signing::ID, &due.message_id)
        .header(signing::TIMESTAMP, now.unix())
        .header(signing::SIGNATURE, signatures);
    request.body(body.into()).map_err(|error| Error::internal(error).into())
}

/// The secret, and while it is being changed the one before it.
async fn secrets(due: &Due) -> Result<Vec<Secret>> {
    let mut secrets = Vec::new();
    for sealed in std::iter::once(&due.sealed_secret).chain(&due.sealed_previous_secret) {
        secrets.push(encryption::open(encryption::SIGNING_SECRET, sealed).await?);
    }
    Ok(secrets)
}

async fn send(request: Request<Bytes>) -> Result<(Outcome, ReceiverResponse), outbound::Failure> {
    let limits = Limits {
        connect: Duration::from_secs(10),
        first_byte: TIMEOUT,
        between_bytes: TIMEOUT,
        total: TIMEOUT,
        // Only its beginning is read.
        body_bytes: usize::MAX,
    };
    let (head, body) = outbound::open(request, &limits).await?.into_parts();
    let asked = head.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let outcome = outcome(head.status, asked.and_then(|asked| retry_after(asked, clock::now())));
    Ok((outcome, ReceiverResponse { status: Some(head.status.as_u16()), body: Some(beginning(body).await) }))
}

fn outcome(status: StatusCode, asked: Option<i64>) -> Outcome {
    let slow_down = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    match status {
        _ if status.is_success() => Outcome::Delivered,
        StatusCode::GONE => Outcome::Gone,
        _ => Outcome::Failed {
            why: format!("the receiver answered {}", status.as_u16()),
            wait: asked.filter(|_| slow_down),
        },
    }
}

/// As much of an answer as is kept. An answer that breaks off is one all the same.
async fn beginning(mut body: Incoming) -> String {
    let mut bytes = BytesMut::new();
    while bytes.len() < KEPT {
        match body.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) | Err(_) => break,
        }
    }
    bytes.truncate(KEPT);
    text(&bytes)
}

/// Bytes as they are kept: SQLite's text ends at a NUL.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{FFFD}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, asked: Option<i64>) -> Outcome {
        outcome(StatusCode::from_u16(status).unwrap(), asked)
    }

    #[test]
    fn of_a_request_everything_is_kept_but_secrets_and_the_end_of_a_long_body() {
        let body = "x".repeat(KEPT + 1);
        let request = Request::post("https://queue.test/")
            .header(CONTENT_TYPE, "application/json")
            .header(signing::SIGNATURE, "v1,abc=")
            .header("authorization", "AWS4-HMAC-SHA256 Credential=AKIA")
            .header("x-amz-security-token", "of a session")
            .body(Bytes::from(body))
            .unwrap();
        let SentRequest { request_headers, request_body, request_bytes } = kept(&request);
        let shown = |name: &str| request_headers.iter().find(|header| header.name == name).unwrap().value.as_deref();
        assert_eq!((shown("content-type"), shown("webhook-signature")), (Some("application/json"), Some("v1,abc=")));
        assert_eq!((shown("authorization"), shown("x-amz-security-token")), (None, None));
        assert_eq!((request_body, request_bytes), ("x".repeat(KEPT), KEPT + 1));
    }

    #[test]
    fn only_success_is_success() {
        for status in [200, 201, 202, 204, 299] {
            assert_eq!(of(status, None), Outcome::Delivered);
        }
        for status in [301, 302, 307, 400, 401, 404, 408, 500, 502] {
            let why = format!("the receiver answered {status}");
            assert_eq!(of(status, Some(60)), Outcome::Failed { why, wait: None });
        }
        assert_eq!(of(410, None), Outcome::Gone);
    }

    #[test]
    fn a_receiver_that_is_busy_is_left_alone_for_as_long_as_it_asks() {
        for status in [429, 503] {
            let why = format!("the receiver answered {status}");
            assert_eq!(of(status, Some(60)), Outcome::Failed { why, wait: Some(60) });
        }
    }
}
