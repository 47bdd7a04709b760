//! The ways out: which transport takes the messages of a kind is the operator's choice, by variables.

mod outbox;
mod postmark;
mod relay;
mod sendgrid;
mod ses;
mod sns;
mod twilio;

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use http::header::RETRY_AFTER;
use http::{Request, StatusCode};
use serde_json::json;
use shared::aws::Aws;
use shared::channels::{self, Kind};
use shared::config::{self, Secret};
use shared::outbound::{self, Limits};
use shared::{Context, Result, background, clock, retries};

use crate::store::messages::Message;

/// A transport takes a message at once or not at all: who waits longer holds up the next one.
const LIMITS: Limits = Limits {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(15),
    between_bytes: Duration::from_secs(5),
    total: Duration::from_secs(20),
    body_bytes: 64 * 1024,
};

/// So much of what a transport says about a failure is kept.
const MAX_SAID_CHARS: usize = 300;

/// Text messages are cut here, where the services refuse longer ones.
const MAX_TEXT_CHARS: usize = 1600;

/// Takes messages to their recipients.
pub(super) trait Transport {
    /// Its name in variables and logs.
    fn name(&self) -> &'static str;

    /// True if a message that it has taken goes anywhere.
    fn delivers(&self) -> bool {
        true
    }

    /// Tries to get rid of the message.
    fn send<'a>(&'a self, cx: &'a Context, message: &'a Message) -> LocalBoxFuture<'a, Outcome>;
}

/// The outcome of an attempt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The transport has taken it.
    Sent {
        /// Its name at the transport.
        reference: Option<String>,
    },
    /// It may be taken another time.
    Later {
        /// Why not now.
        failure: Failure,
        /// After how many seconds, if the transport says so.
        after: Option<i64>,
    },
    /// It will never be taken.
    Never {
        /// Why.
        failure: Failure,
        /// True if it is for the address that it was refused.
        bounced: bool,
    },
    /// The device is gone.
    Gone {
        /// The words of the service.
        failure: Failure,
    },
}

/// Why a message was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// In our words, which name nobody.
    pub(super) reason: String,
    /// In the transport's words.
    said: String,
}

impl Failure {
    fn new(reason: impl Into<String>, said: impl Into<String>) -> Self {
        let said: String = said.into();
        Self { reason: reason.into(), said: said.chars().take(MAX_SAID_CHARS).collect() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.said.as_str() {
            "" => f.write_str(&self.reason),
            said => write!(f, "{}: {said}", self.reason),
        }
    }
}

impl Outcome {
    fn later(reason: impl Into<String>) -> Self {
        Self::Later { failure: Failure::new(reason, ""), after: None }
    }

    fn never(reason: impl Into<String>) -> Self {
        Self::Never { failure: Failure::new(reason, ""), bounced: false }
    }
}

/// The transport for messages of a kind. Where its configuration is incomplete, messages wait for a better one.
pub(super) async fn of(kind: Kind) -> Result<Box<dyn Transport>> {
    let settings = Settings::read(kind).await?;
    let transport = match (kind, settings.transport.as_str()) {
        (_, "outbox") => Ok(boxed(outbox::Outbox)),
        (Kind::Email, "ses") => ses::Ses::new(settings).map(boxed),
        (Kind::Email, "sendgrid") => sendgrid::SendGrid::new(settings).map(boxed),
        (Kind::Email, "postmark") => postmark::Postmark::new(settings).map(boxed),
        (Kind::Email, "relay") => relay::Relay::new(settings).map(boxed),
        (Kind::Sms, "twilio") => twilio::Twilio::new(settings).map(boxed),
        (Kind::Sms, "sns") => sns::Sms::new(settings).map(boxed),
        (Kind::Push, "sns") => sns::Push::new(settings).map(boxed),
        (_, other) => Err(format!("there is no transport {other}")),
    };
    Ok(transport.unwrap_or_else(|reason| boxed(Unconfigured(reason))))
}

fn boxed(transport: impl Transport + 'static) -> Box<dyn Transport> {
    Box::new(transport)
}

/// The settings of the operator.
struct Settings {
    transport: String,
    from: Option<String>,
    account: Option<String>,
    key: Option<Secret>,
    base_url: Option<String>,
    aws: Option<Aws>,
}

impl Settings {
    async fn read(kind: Kind) -> Result<Self> {
        let aws = Aws::configured().await?;
        let prefix = match kind {
            Kind::Email => "mail",
            Kind::Sms => "sms",
            // Devices are reached through the account alone.
            Kind::Push => {
                let transport = if aws.is_some() { "sns" } else { "outbox" }.to_owned();
                return Ok(Self { transport, from: None, account: None, key: None, base_url: None, aws });
            }
        };
        let transport = config::get(&format!("{prefix}_transport")).await?;
        Ok(Self {
            transport: transport.unwrap_or_else(|| "outbox".to_owned()),
            from: config::get(&format!("{prefix}_from")).await?,
            account: config::get(&format!("{prefix}_account")).await?,
            key: config::secret(&format!("{prefix}_api_key")).await?,
            base_url: config::get(&format!("{prefix}_base_url")).await?,
            aws,
        })
    }

    fn base_url(&self, default: &str) -> String {
        self.base_url.as_deref().unwrap_or(default).trim_end_matches('/').to_owned()
    }
}

/// The setting, or the reason why nothing can be sent.
fn required<T>(setting: Option<T>, what: &str) -> Result<T, String> {
    setting.ok_or_else(|| format!("{what} is not set"))
}

struct Unconfigured(String);

impl Transport for Unconfigured {
    fn name(&self) -> &'static str {
        "unconfigured"
    }

    fn send<'a>(&'a self, _: &'a Context, _: &'a Message) -> LocalBoxFuture<'a, Outcome> {
        Box::pin(async { Outcome::later(self.0.clone()) })
    }
}

/// An answer of a service, read far enough to tell what to do.
struct ServiceResponse {
    status: StatusCode,
    head: http::HeaderMap,
    body: Bytes,
}

impl ServiceResponse {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.get(name)?.to_str().ok()
    }

    /// A value of the JSON that was answered.
    fn json(&self, pointer: &str) -> Option<serde_json::Value> {
        serde_json::from_slice::<serde_json::Value>(&self.body).ok()?.pointer_mut(pointer).map(serde_json::Value::take)
    }

    fn text(&self, pointer: &str) -> Option<String> {
        self.json(pointer)?.as_str().map(str::to_owned)
    }

    fn failure(&self) -> Failure {
        Failure::new(format!("it answered {}", self.status.as_u16()), String::from_utf8_lossy(&self.body))
    }

    /// The rules for all services: refusals of us are the operator's to mend, and of too much, or of everybody, pass.
    fn later(&self) -> Outcome {
        Outcome::Later { failure: self.failure(), after: self.retry_after() }
    }

    fn never(&self, bounced: bool) -> Outcome {
        Outcome::Never { failure: self.failure(), bounced }
    }

    /// The seconds for which the service wants to be left alone: it may tell them, or the moment.
    fn retry_after(&self) -> Option<i64> {
        retries::retry_after(self.head.get(RETRY_AFTER)?.to_str().ok()?, clock::now())
    }

    /// True if another time, or another configuration, may change the answer.
    fn passes(&self) -> bool {
        self.status.is_server_error()
            || matches!(
                self.status,
                StatusCode::UNAUTHORIZED
                    | StatusCode::PAYMENT_REQUIRED
                    | StatusCode::FORBIDDEN
                    | StatusCode::NOT_FOUND
                    | StatusCode::REQUEST_TIMEOUT
                    | StatusCode::TOO_EARLY
                    | StatusCode::TOO_MANY_REQUESTS
            )
            || self.status.is_redirection()
    }
}

/// Sends the request. A request that nobody answers is tried again; an answer is the caller's to read.
async fn ask(request: Result<Request<Bytes>, http::Error>) -> Result<ServiceResponse, Outcome> {
    let request = request.map_err(|error| Outcome::later(format!("the request cannot be written: {error}")))?;
    let response = outbound::send(request, &LIMITS).await.map_err(|failure| {
        background::log(&json!({ "transport_failure": failure.detail() }));
        Outcome::later(unanswered(&failure))
    })?;
    let (head, body) = response.into_parts();
    Ok(ServiceResponse { status: head.status, head: head.headers, body })
}

/// The address of a service is the operator's, so it may be said what keeps us from it.
fn unanswered(failure: &outbound::Failure) -> &'static str {
    match failure {
        outbound::Failure::Denied => "its address is not allowed: see mail_http_host and block_networks",
        other => other.public_text(),
    }
}

/// The same, but refusals that pass are tried again, too.
async fn exchange(request: Result<Request<Bytes>, http::Error>) -> Result<ServiceResponse, Outcome> {
    let answer = ask(request).await?;
    if answer.passes() { Err(answer.later()) } else { Ok(answer) }
}

/// Sends the request, and lets the transport judge what is answered.
async fn outcome_of_request(
    request: Result<Request<Bytes>, http::Error>,
    judge: impl FnOnce(&ServiceResponse) -> Outcome,
) -> Outcome {
    match exchange(request).await {
        Ok(answer) => judge(&answer),
        Err(outcome) => outcome,
    }
}

/// The number that a text message goes to, as services take it.
fn number(message: &Message) -> String {
    channels::dialled(&message.recipient).unwrap_or_else(|| message.recipient.clone())
}

/// The text of a text message.
fn short_text(message: &Message) -> String {
    let text = match message.body.trim() {
        "" => message.subject.clone(),
        body => format!("{}\n\n{body}", message.subject),
    };
    text.chars().take(MAX_TEXT_CHARS).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The answer of a service.
    pub(super) fn answer(status: u16, body: &str) -> ServiceResponse {
        let status = StatusCode::from_u16(status).unwrap();
        ServiceResponse { status, head: http::HeaderMap::new(), body: Bytes::from(body.to_owned()) }
    }

    #[test]
    fn what_the_operator_can_mend_is_tried_again() {
        for status in [401, 403, 404, 408, 429, 500, 503, 301] {
            assert!(answer(status, "").passes(), "{status}");
        }
        for status in [200, 202, 400, 413, 422] {
            assert!(!answer(status, "").passes(), "{status}");
        }
    }

    #[test]
    fn a_service_says_in_two_ways_when_to_come_back() {
        let mut answer = answer(429, "");
        assert_eq!(answer.retry_after(), None);
        let mut after = |text: &str| {
            answer.head.insert(RETRY_AFTER, text.parse().unwrap());
            answer.retry_after()
        };
        assert_eq!(after("120"), Some(120));
        assert_eq!(after("Wed, 21 Oct 2015 07:28:00 GMT"), Some(0));
        assert!(after("Wed, 21 Oct 2099 07:28:00 GMT").is_some_and(|seconds| seconds > 0));
        assert_eq!(after("soon"), None);
    }

    #[test]
    fn what_is_said_is_cut_and_kept_apart() {
        let failure = answer(400, &"x".repeat(1000)).failure();
        assert_eq!(failure.reason, "it answered 400");
        assert_eq!(failure.to_string().len(), "it answered 400: ".len() + MAX_SAID_CHARS);
    }
}
