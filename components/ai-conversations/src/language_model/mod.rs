//! The model: a server of the institution's choice, which answers in JSON of a given shape.

mod anthropic;
mod events;
mod openai;

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderName};
use http::uri::Uri;
use serde_json::{Value, json};
use shared::config::{self, Secret};
use shared::outbound::{self, Incoming, Limits};
use shared::{Error, Result};

pub(crate) use crate::language_model::events::Events;

use crate::model::failure::Failure;

/// The model that the variables name.
pub(crate) struct Model {
    dialect: Dialect,
    base: Uri,
    key: Option<Secret>,
    name: String,
    temperature: Option<f64>,
    max_tokens: i64,
    timeout: Duration,
}

/// The protocol that the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    OpenAi,
    Anthropic,
}

/// The question to the model.
#[derive(Clone)]
pub(crate) struct Question {
    /// Its instructions, which no student sees.
    pub(crate) system: String,
    /// The messages, oldest first; a user speaks last.
    pub(crate) turns: Vec<Utterance>,
    /// The name of the shape of its answer.
    pub(crate) shape: &'static str,
    /// The shape of its answer, as JSON schema.
    pub(crate) schema: Value,
}

/// The words of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Utterance {
    pub(crate) by_user: bool,
    pub(crate) text: String,
}

/// The answer of the model: text that should be JSON of the shape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    /// Tokens that question and answer took, where the server counts them.
    pub(crate) tokens: Option<i64>,
}

impl Model {
    /// The model of the variables; `None` where none is configured.
    pub(crate) async fn configured() -> Result<Option<Self>> {
        let Some(base) = config::get("ai_base_url").await? else {
            return Ok(None);
        };
        let base = base.trim_end_matches('/').parse().map_err(Error::internal)?;
        let dialect = match config::get("ai_api").await?.as_deref() {
            Some("anthropic") => Dialect::Anthropic,
            _ => Dialect::OpenAi,
        };
        let timeout = config::number("ai_timeout_seconds").await?;
        Ok(Some(Self {
            dialect,
            base,
            key: config::secret("ai_api_key").await?,
            name: config::get("ai_model").await?.unwrap_or_default(),
            temperature: config::optional_number("ai_temperature").await?,
            max_tokens: config::number("ai_max_tokens").await?,
            timeout: Duration::try_from_secs_f64(timeout).map_err(Error::internal)?,
        }))
    }

    /// The time that an answer may take.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The most tokens that an answer takes.
    pub(crate) fn max_tokens(&self) -> i64 {
        self.max_tokens
    }

    /// Asks, and waits for the whole answer.
    pub(crate) async fn ask(&self, question: &Question) -> Result<Reply, Failure> {
        let answer = self.post(question, false).await?;
        let body = answer.collect().await?;
        let body: Value = serde_json::from_slice(&body).map_err(|_no_json| Failure::InvalidResponse)?;
        match self.dialect {
            Dialect::OpenAi => openai::reply(&body),
            Dialect::Anthropic => anthropic::reply(&body),
        }
    }

    /// Asks, and answers what comes as it comes.
    pub(crate) async fn ask_streaming(&self, question: &Question) -> Result<Events, Failure> {
        let answer = self.post(question, true).await?;
        Ok(Events::new(
            answer,
            match self.dialect {
                Dialect::OpenAi => openai::delta,
                Dialect::Anthropic => anthropic::delta,
            },
        ))
    }

    async fn post(&self, question: &Question, stream: bool) -> Result<Incoming, Failure> {
        let mut body = match self.dialect {
            Dialect::OpenAi => openai::body(self, question),
            Dialect::Anthropic => anthropic::body(self, question),
        };
        if let Some(body) = body.as_object_mut()
            && stream
        {
            body.insert("stream".to_owned(), true.into());
            if self.dialect == Dialect::OpenAi {
                body.insert("stream_options".to_owned(), json!({"include_usage": true}));
            }
        }
        match self.send(&body).await {
            // Some servers do not know how to hold an answer to a shape. The instructions describe it as well.
            Err(Failure::Rejected(_)) if self.dialect == Dialect::OpenAi => {
                if let Some(body) = body.as_object_mut() {
                    body.remove("response_format");
                    body.remove("stream_options");
                }
                self.send(&body).await
            }
            answer => answer,
        }
    }

    async fn send(&self, body: &Value) -> Result<Incoming, Failure> {
        let mut request = http::Request::post(self.address()).header(CONTENT_TYPE, "application/json");
        for (name, value) in self.credentials() {
            request = request.header(name, value);
        }
        // The key is in no message: what cannot be a header is not shown.
        let request = request.body(Bytes::from(body.to_string())).map_err(|_not_shown| Failure::Unavailable)?;
        let limits =
            Limits { first_byte: self.timeout, between_bytes: self.timeout, total: self.timeout, ..Limits::default() };
        let (head, body) = outbound::open(request, &limits).await?.into_parts();
        if head.status.is_success() {
            return Ok(body);
        }
        Err(match head.status {
            StatusCode::TOO_MANY_REQUESTS => Failure::RateLimited,
            StatusCode::REQUEST_TIMEOUT => Failure::TimedOut,
            StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY => {
                Failure::Rejected(head.status)
            }
            status if status.is_server_error() => Failure::NoResponse,
            _ => Failure::Unavailable,
        })
    }

    /// The address of the operation: below the base, before a query that the base may have.
    fn address(&self) -> String {
        let operation = match self.dialect {
            Dialect::OpenAi => "/chat/completions",
            Dialect::Anthropic => "/messages",
        };
        let base = self.base.to_string();
        match base.split_once('?') {
            Some((path, query)) => format!("{}{operation}?{query}", path.trim_end_matches('/')),
            None => format!("{}{operation}", base.trim_end_matches('/')),
        }
    }

    fn credentials(&self) -> Vec<(HeaderName, String)> {
        let mut headers = Vec::new();
        if self.dialect == Dialect::Anthropic {
            headers.push((HeaderName::from_static("anthropic-version"), "2023-06-01".to_owned()));
        }
        if let Some(key) = &self.key {
            headers.push(match self.dialect {
                Dialect::Anthropic => (HeaderName::from_static("x-api-key"), key.expose().to_owned()),
                Dialect::OpenAi if self.is_at(".azure.com") => {
                    (HeaderName::from_static("api-key"), key.expose().to_owned())
                }
                Dialect::OpenAi => (http::header::AUTHORIZATION, format!("Bearer {}", key.expose())),
            });
        }
        headers
    }

    fn is_at(&self, domain: &str) -> bool {
        self.base.host().is_some_and(|host| host.ends_with(domain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(dialect: Dialect, base: &'static str) -> Model {
        Model {
            dialect,
            base: Uri::from_static(base),
            key: None,
            name: String::new(),
            temperature: None,
            max_tokens: 10,
            timeout: Duration::ZERO,
        }
    }

    #[test]
    fn the_operation_stands_below_the_base() {
        let cases = [
            (Dialect::OpenAi, "http://127.0.0.1:8081/v1", "http://127.0.0.1:8081/v1/chat/completions"),
            (Dialect::OpenAi, "http://ollama", "http://ollama/chat/completions"),
            (
                Dialect::OpenAi,
                "https://a.azure.com/x?api-version=1",
                "https://a.azure.com/x/chat/completions?api-version=1",
            ),
            (Dialect::Anthropic, "https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages"),
        ];
        for (dialect, base, address) in cases {
            assert_eq!(model(dialect, base).address(), address);
        }
    }
}
