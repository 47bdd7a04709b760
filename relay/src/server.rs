//! The HTTP side: `POST /messages` and `GET /health`.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Result, ensure};
use bytes::Bytes;
use hmac::digest::CtOutput;
use hmac::{Hmac, Mac};
use http::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use serde_json::json;
use serving::{GracefulShutdown, Limits, RequestBody};
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use crate::ledger::{Accepted, Id, Ledger};
use crate::message::{Headers, Posted};
use crate::pool::Pool;
use crate::refusal::Refusal;
use crate::smtp::MailServer;

/// A token is refused that is shorter than this: it could be guessed.
pub const MIN_TOKEN_CHARS: usize = 32;

/// Messages at one time, those included on which nobody waits any more.
const MAX_MESSAGES: usize = 256;
/// The time that a client has to send the head of a request, and then its body.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
const LIMITS: Limits = Limits { connections: 64, header_timeout: READ_TIMEOUT };
/// After so long a request is answered, whatever the mail server does: the application waits for 15 seconds.
const ANSWER_WITHIN: Duration = Duration::from_secs(12);
/// After how many seconds it should be asked what became of a message that is on its way.
const ASK_AGAIN_SECONDS: u16 = 60;
/// What a key of the sender's may have.
const MAX_KEY_BYTES: usize = 255;
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// What the operator decides, beside the mail server.
pub struct Settings {
    /// What whoever posts a message has to show.
    pub token: String,
    /// The token before it, which is good too while the application changes to the new one.
    pub previous_token: Option<String>,
    /// What is written into each message.
    pub headers: Headers,
    /// Conversations with the mail server at one time.
    pub connections: usize,
    /// The time that the mail server has for one message, all in all.
    pub timeout: Duration,
    /// The most bytes of a request.
    pub max_message_bytes: usize,
}

impl Settings {
    /// The tokens that are good.
    fn tokens(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.token.as_str()).chain(self.previous_token.as_deref())
    }
}

/// The relay.
pub struct Relay {
    settings: Settings,
    /// Makes codes under the token, from which nobody learns what they were made of.
    codes: Hmac<Sha256>,
    pool: Arc<Pool>,
    ledger: Ledger,
    /// Messages on their way.
    messages: TaskTracker,
}

impl Relay {
    /// A relay to that mail server. A short token is an error.
    pub fn new(server: MailServer, settings: Settings) -> Result<Arc<Self>> {
        for token in settings.tokens() {
            let length = token.chars().count();
            ensure!(length >= MIN_TOKEN_CHARS, "the token has {length} characters: it needs {MIN_TOKEN_CHARS} or more");
        }
        let codes = Hmac::new_from_slice(settings.token.as_bytes())?;
        let pool = Pool::new(server, settings.connections, settings.timeout);
        Ok(Arc::new(Self { settings, codes, pool, ledger: Ledger::default(), messages: TaskTracker::new() }))
    }

    /// Talks to the mail server without a message. Why that does not work is an error in words.
    pub async fn check(&self) -> Result<(), String> {
        self.pool.check().await.map_err(|refusal| refusal.words())
    }

    /// Answers requests until `shutdown` is ready, then finishes what runs.
    pub async fn serve(self: Arc<Self>, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let sweeping = tokio::spawn({
            let pool = self.pool.clone();
            async move { pool.sweep().await }
        });
        let relay = self.clone();
        let answer = move |request| {
            let relay = relay.clone();
            async move { Ok::<_, Infallible>(relay.respond(request).await) }
        };
        let open = serving::serve(listener, LIMITS, answer, shutdown).await;
        self.finish(open).await;
        sweeping.abort();
    }

    /// A message that the mail server has begun to take is seen through, so that it need not come twice.
    async fn finish(&self, open: GracefulShutdown) {
        if timeout(ANSWER_WITHIN + READ_TIMEOUT, open.shutdown()).await.is_err() {
            tracing::warn!("some requests did not finish in time and are cut off");
        }
        self.messages.close();
        if timeout(ANSWER_WITHIN, self.messages.wait()).await.is_err() {
            tracing::warn!("some messages are cut off on their way, and may come twice");
        }
        self.pool.close().await;
    }

    async fn respond(self: &Arc<Self>, request: Request<RequestBody>) -> Response<Full<Bytes>> {
        match (request.uri().path(), request.method()) {
            ("/health", &Method::GET) => json_response(StatusCode::OK, &json!({ "status": "ok" })),
            ("/messages", &Method::POST) => match self.take(request).await {
                Ok(Accepted { message_id, response }) => {
                    json_response(StatusCode::OK, &json!({ "message_id": message_id, "response": response }))
                }
                Err(refusal) => refused(&refusal),
            },
            ("/health", _) => not_allowed("GET"),
            ("/messages", _) => not_allowed("POST"),
            _ => error(StatusCode::NOT_FOUND, "not_found", "there are /messages and /health"),
        }
    }

    async fn take(self: &Arc<Self>, request: Request<RequestBody>) -> Result<Accepted, Refusal> {
        let (head, body) = request.into_parts();
        if !self.is_authorized(&head.headers) {
            return Err(Refusal::Unauthorized);
        }
        let key = key(&head.headers)?;
        let body = self.read(body).await?;
        let posted = serde_json::from_slice::<Posted>(&body);
        let posted = posted.map_err(|error| Refusal::Unreadable(format!("the message cannot be read: {error}")))?;
        let id = self.id(&key, &body);
        if self.messages.len() >= MAX_MESSAGES {
            return Err(Refusal::Busy);
        }
        // Nobody takes a message back: whoever does not wait for the answer gets it when they post it again.
        let relay = self.clone();
        let sending = self.messages.spawn(async move { relay.send(&posted, id).await });
        match timeout(ANSWER_WITHIN, sending).await {
            Ok(Ok(outcome)) => outcome,
            // Nobody knows how far a message came whose task has failed either.
            Ok(Err(_)) | Err(_) => Err(Refusal::Unfinished),
        }
    }

    fn is_authorized(&self, headers: &HeaderMap) -> bool {
        let shown = headers.get(AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        // Compared by their codes, in a time that tells nothing.
        let is_shown = |shown: &[u8], token: &str| self.code(&[shown]) == self.code(&[token.as_bytes()]);
        shown.is_some_and(|shown| self.settings.tokens().any(|token| is_shown(shown, token)))
    }

    async fn read(&self, body: RequestBody) -> Result<Bytes, Refusal> {
        let limit = self.settings.max_message_bytes;
        match timeout(READ_TIMEOUT, Limited::new(body, limit).collect()).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge(limit)),
            Ok(Err(error)) => Err(Refusal::Unreadable(format!("the message broke off: {error}"))),
            Err(_) => Err(Refusal::Unreadable("the message did not come in time".to_owned())),
        }
    }

    /// What tells a message from all others: its key alone does not, because another database counts from one, too.
    fn id(&self, key: &[u8], body: &[u8]) -> Id {
        let code = self.code(&[key, &[0], body]).into_bytes();
        let mut id = Id::default();
        for (to, from) in id.iter_mut().zip(code) {
            *to = from;
        }
        id
    }

    fn code(&self, parts: &[&[u8]]) -> CtOutput<Hmac<Sha256>> {
        parts.iter().fold(self.codes.clone(), Mac::chain_update).finalize()
    }

    /// Sends a message. Addresses stand in no log.
    async fn send(&self, posted: &Posted, id: Id) -> Result<Accepted, Refusal> {
        let outcome = self
            .ledger
            .once(id, async || {
                let message = posted.compose(&self.settings.headers, id, SystemTime::now())?;
                let response = self.pool.deliver(&message).await?;
                Ok(Accepted { message_id: message.message_id, response })
            })
            .await;
        match &outcome {
            Ok(accepted) => tracing::info!("{} was taken", accepted.message_id),
            Err(refusal @ (Refusal::Account(_) | Refusal::Unavailable(_))) => {
                tracing::warn!("{}: {}", refusal.code(), without_addresses(&refusal.words()));
            }
            Err(refusal) => tracing::warn!("{}", refusal.code()),
        }
        outcome
    }
}

fn without_addresses(words: &str) -> String {
    words.split(' ').map(|word| if word.contains('@') { "…" } else { word }).collect::<Vec<_>>().join(" ")
}

/// The sender's own name for the message.
fn key(headers: &HeaderMap) -> Result<Vec<u8>, Refusal> {
    let key = headers.get(IDEMPOTENCY_KEY).map(HeaderValue::as_bytes).unwrap_or_default();
    match key.len() {
        1..=MAX_KEY_BYTES => Ok(key.to_vec()),
        _ => Err(Refusal::Unreadable(format!("the header {IDEMPOTENCY_KEY} has 1 to {MAX_KEY_BYTES} characters"))),
    }
}

fn refused(refusal: &Refusal) -> Response<Full<Bytes>> {
    let mut response = error(refusal.status(), refusal.code(), &refusal.words());
    let headers = response.headers_mut();
    match refusal {
        Refusal::Unauthorized => drop(headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        Refusal::Unfinished | Refusal::Busy => drop(headers.insert(RETRY_AFTER, ASK_AGAIN_SECONDS.into())),
        _ => {}
    }
    response
}

fn not_allowed(method: &'static str) -> Response<Full<Bytes>> {
    let mut response = error(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &format!("it takes {method}"));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(method));
    response
}

fn error(status: StatusCode, code: &str, words: &str) -> Response<Full<Bytes>> {
    json_response(status, &json!({ "error": { "code": code, "message": words } }))
}

fn json_response(status: StatusCode, body: &serde_json::Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.to_string().into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_no_addresses() {
        let words = "554 5.7.1 <ada@school.test>: Relay access denied";
        assert_eq!(without_addresses(words), "554 5.7.1 … Relay access denied");
    }

    #[test]
    fn a_key_is_neither_missing_nor_endless() {
        let with = |value: &str| HeaderMap::from_iter([(IDEMPOTENCY_KEY.parse().unwrap(), value.parse().unwrap())]);
        assert_eq!(key(&with("12")), Ok(b"12".to_vec()));
        for headers in [HeaderMap::new(), with(""), with(&"x".repeat(MAX_KEY_BYTES + 1))] {
            assert_eq!(key(&headers).unwrap_err().code(), "unreadable");
        }
    }
}
