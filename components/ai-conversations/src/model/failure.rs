//! The failures of the model, and the answers to the client: always 503, with a code that says whether to try again.
//!
//! See "Errors" in `docs/contract/ai-conversations.md`.

use http::StatusCode;
use serde_json::{Value, json};
use shared::status::ModelFailure;
use shared::{Context, Error, outbound};

/// Why there is no answer of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// None is configured, it cannot be reached, or it does not know us.
    Unavailable,
    /// It is on a host that the manifest does not allow: one without https must stand in `ai_http_host`.
    Denied,
    /// It is in a network that the operator blocks for all components.
    Blocked,
    /// It has more to do than it can.
    RateLimited,
    /// It did not answer in time.
    TimedOut,
    /// It said nothing, or failed itself.
    NoResponse,
    /// It said something else than it was asked for.
    InvalidResponse,
    /// Its evaluation was not in the shape that was asked for.
    EvaluationUnreadable,
    /// It will not talk about this.
    ContentFiltered,
    /// It refused what we sent.
    Rejected(StatusCode),
}

impl Failure {
    /// The stable name of the failure.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Unavailable | Self::Denied | Self::Blocked => "service_unavailable",
            Self::RateLimited => "rate_limited",
            Self::TimedOut | Self::NoResponse => "llm_no_response",
            Self::InvalidResponse => "llm_invalid_response",
            Self::EvaluationUnreadable => "evaluation_parse_failed",
            Self::ContentFiltered => "content_filtered",
            Self::Rejected(_) => "context_invalid",
        }
    }

    /// True if the same request may succeed later.
    pub(crate) fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::RateLimited | Self::TimedOut | Self::NoResponse | Self::InvalidResponse | Self::EvaluationUnreadable
        )
    }

    /// The kind by which it is counted among the figures of the installation.
    pub(crate) fn kind(self) -> ModelFailure {
        match self {
            Self::TimedOut => ModelFailure::Timeout,
            Self::Unavailable | Self::Denied | Self::Blocked | Self::NoResponse => ModelFailure::Unavailable,
            Self::ContentFiltered | Self::Rejected(_) => ModelFailure::Refused,
            Self::InvalidResponse | Self::EvaluationUnreadable => ModelFailure::Malformed,
            Self::RateLimited => ModelFailure::RateLimited,
        }
    }

    /// The body that tells the client.
    pub(crate) fn body(self, reference: &str) -> Value {
        json!({
            "error": "The AI service is temporarily unavailable.",
            "code": self.code(),
            "retryable": self.is_retryable(),
            "reference_id": reference,
        })
    }

    /// The reason for the log, in words where the operator can change it.
    pub(crate) fn detail(self) -> String {
        match self {
            Self::Denied => "no outbound host allows the address of ai_base_url: one without https has to stand in \
                             ai_http_host too"
                .to_owned(),
            Self::Blocked => "block_networks of the runtime configuration blocks the network of ai_base_url: see \
                              \"A model in the own network\" in docs/OPERATIONS.md"
                .to_owned(),
            other => format!("{other:?}"),
        }
    }

    /// The answer to the request.
    pub(crate) fn answer(self, cx: &Context) -> Error {
        let body = self.body(cx.request_id());
        Error::own(StatusCode::SERVICE_UNAVAILABLE, body).because(anyhow::anyhow!("the model: {}", self.detail()))
    }
}

impl From<outbound::Failure> for Failure {
    fn from(failure: outbound::Failure) -> Self {
        match failure {
            outbound::Failure::Denied => Self::Denied,
            outbound::Failure::Blocked => Self::Blocked,
            outbound::Failure::Unreachable(_) => Self::Unavailable,
            outbound::Failure::TimedOut(_) => Self::TimedOut,
            outbound::Failure::Broken(_) => Self::NoResponse,
            outbound::Failure::TooLarge => Self::InvalidResponse,
        }
    }
}
