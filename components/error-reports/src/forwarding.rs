//! Forwarding new reports to a receiver of the operator's, such as a desk that has its own tool.
//!
//! The row that is to be sent is written with the report. It is sent after the response, and by the tick; a row that is
//! being sent is leased. So a receiver gets every report at least once, and knows a repetition by its `webhook-id`.

use std::time::{Duration, Instant};

use anyhow::anyhow;
use bytes::Bytes;
use futures::future::join_all;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{Request, StatusCode, Uri};
use serde::Serialize;
use serde_json::json;
use shared::background::JobOutcome;
use shared::clock::{DAY, HOUR, MINUTE};
use shared::config::{self, Secret};
#[cfg(not(target_arch = "wasm32"))]
use shared::openapi::Webhook;
use shared::outbound::{self, Limits, address};
use shared::retries::Schedule;
use shared::standard_webhooks as signing;
use shared::{Context, Db, Error, JsonSchema, Result, Timestamp, background, clock};

use crate::model::reports::Details;
use crate::store::forwards::{self as store, Due};
use crate::store::reports;

/// The address to which reports are sent; empty: none.
const URL: &str = "error_report_webhook_url";
/// The secret that signs them.
const SECRET: &str = "error_report_webhook_secret";

const EVENT: &str = "error_report.created";
const AGENT: &str = concat!("Lectern/", env!("CARGO_PKG_VERSION"), " (error reports)");
/// The number of reports that are sent side by side.
const AT_ONCE: i64 = 8;
/// The time that the receiver may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The waits between attempts, in seconds: about 41 hours together. After the last the report is only here.
const WAITS: [i64; 7] = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, DAY];

/// True if new reports are forwarded.
pub(crate) async fn is_wanted() -> Result<bool> {
    Ok(config::get(URL).await?.is_some())
}

struct Receiver {
    uri: Uri,
    /// While the secret is being changed there are two, and both sign.
    secrets: Vec<Secret>,
}

/// The body that is sent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ForwardedReport")]
struct Message {
    /// `error_report.created`.
    r#type: &'static str,
    /// When the report was filed.
    timestamp: Timestamp,
    data: Details,
}

/// The request to the receiver, for the API description.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn webhooks() -> Vec<Webhook> {
    let created = Webhook::new(EVENT, "Somebody filed an error report")
        .description("Sent to the address that the operator has set up for it.")
        .payload::<Message>();
    vec![signing::described(created)]
}

/// The outcome of an attempt.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Delivered,
    /// It may be tried again.
    Failed(String),
    /// The receiver wants nothing any more.
    Gone,
}

/// Sends what is due at the context's time.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    let Some(receiver) = receiver().await? else { return Ok(JobOutcome::default()) };
    let mut done = 0_i64;
    while Instant::now() < until {
        let due = store::lease(&cx.db, AT_ONCE, cx.now).await?;
        if due.is_empty() {
            return Ok(JobOutcome { done, more: false });
        }
        for settled in join_all(due.iter().map(|due| forward(&cx, &receiver, due))).await {
            settled?;
            done = done.saturating_add(1);
        }
    }
    Ok(JobOutcome { done, more: true })
}

/// The receiver; `None` where the operator has none. A fault of it is written to the log, and reports wait.
async fn receiver() -> Result<Option<Receiver>> {
    let Some(url) = config::get(URL).await? else { return Ok(None) };
    let uri = target(&url, config::flag("development").await?)
        .ok_or_else(|| Error::internal(anyhow!("{URL} must be an https address")))?;
    config::required_secret(SECRET).await?;
    Ok(Some(Receiver { uri, secrets: config::own_secrets(SECRET).await? }))
}

/// The operator may name a host of an inner network, which users may not. On a developer's machine the loopback is one
/// without https.
fn target(url: &str, development: bool) -> Option<Uri> {
    if let Ok(uri) = address::check(url, development) {
        return Some(uri);
    }
    let uri: Uri = url.parse().ok()?;
    let is_plain = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    (uri.scheme_str() == Some("https") && is_plain).then_some(uri)
}

/// Sends a report, and notes what became of it.
async fn forward(cx: &Context, receiver: &Receiver, due: &Due) -> Result<()> {
    let outcome = match request(&cx.db, receiver, due).await {
        Ok(Some(request)) => send(due, request).await,
        // It was forgotten in the meantime.
        Ok(None) => return Ok(()),
        Err(error) => {
            // The cause is for the log: it may name the operator's secrets.
            background::log_failure(&error);
            Outcome::Failed("the report could not be prepared: see the log".to_owned())
        }
    };
    match outcome {
        Outcome::Delivered => store::delivered(&cx.db, due).await?,
        Outcome::Failed(why) => store::failed(&cx.db, due, &why, next(due.attempts, cx.now)).await?,
        Outcome::Gone => store::failed(&cx.db, due, "the receiver answered 410", None).await?,
    }
    Ok(())
}

/// When to try again after so many attempts.
fn next(attempts: i64, now: Timestamp) -> Option<Timestamp> {
    Schedule::exact(&WAITS).wait(attempts, None).map(|wait| now.plus_seconds(wait))
}

async fn request(db: &Db, receiver: &Receiver, due: &Due) -> Result<Option<Request<Bytes>>> {
    let Some(data) = reports::details(db, due.report_id).await? else { return Ok(None) };
    let message = Message { r#type: EVENT, timestamp: data.summary.created_at, data };
    let body = serde_json::to_vec(&message).map_err(Error::internal)?;
    // Receivers compare it with their own clock, whatever that of the tick says.
    let now = clock::now();
    let signatures = signing::signatures(&receiver.secrets, &due.message_id, now, &body)
        .ok_or_else(|| Error::internal(anyhow!("{SECRET} must be whsec_ and base64")))?;
    let request = Request::post(receiver.uri.clone())
        .header(CONTENT_TYPE, "application/json")
        .header(USER_AGENT, AGENT)
        .header(signing::ID, &due.message_id)
        .header(signing::TIMESTAMP, now.unix())
        .header(signing::SIGNATURE, signatures);
    request.body(body.into()).map(Some).map_err(Error::internal)
}

async fn send(due: &Due, request: Request<Bytes>) -> Outcome {
    let limits = Limits {
        connect: Duration::from_secs(10),
        first_byte: TIMEOUT,
        between_bytes: TIMEOUT,
        total: TIMEOUT,
        // It is not read.
        body_bytes: usize::MAX,
    };
    match outbound::open(request, &limits).await {
        Ok(answer) => outcome(answer.status()),
        Err(failure) => {
            background::log(&json!({ "error_report": due.report_id, "failure": failure.detail() }));
            Outcome::Failed(failure.public_text().to_owned())
        }
    }
}

fn outcome(status: StatusCode) -> Outcome {
    match status {
        _ if status.is_success() => Outcome::Delivered,
        StatusCode::GONE => Outcome::Gone,
        _ => Outcome::Failed(format!("the receiver answered {}", status.as_u16())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_may_name_an_inner_host_but_not_without_https() {
        for (url, anywhere, in_development) in [
            ("https://desk.example.edu/hook", true, true),
            ("https://desk.internal/hook", true, true),
            ("https://10.0.0.7:8443/hook", true, true),
            ("http://desk.example.edu/hook", false, false),
            ("http://127.0.0.1:4711/hook", false, true),
            ("https://user:password@desk.example.edu/", false, false),
            ("desk", false, false),
            ("", false, false),
        ] {
            assert_eq!(
                (target(url, false).is_some(), target(url, true).is_some()),
                (anywhere, in_development),
                "{url}"
            );
        }
    }

    #[test]
    fn eight_attempts_are_made() {
        let now = Timestamp::from_unix(0).unwrap();
        let waits: Vec<_> = (1..).map_while(|attempts| next(attempts, now)).map(Timestamp::unix).collect();
        assert_eq!(waits, WAITS);
        assert_eq!((next(0, now), next(8, now)), (None, None));
    }

    #[test]
    fn only_success_is_success() {
        let of = |status| outcome(StatusCode::from_u16(status).unwrap());
        for status in [200, 201, 204, 299] {
            assert_eq!(of(status), Outcome::Delivered);
        }
        for status in [301, 400, 404, 429, 500, 503] {
            assert_eq!(of(status), Outcome::Failed(format!("the receiver answered {status}")));
        }
        assert_eq!(of(410), Outcome::Gone);
    }
}
