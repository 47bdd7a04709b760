//! The reasons for which something on the page of a conversation did not work, in words.

use http::StatusCode;
use serde_json::Value;
use shared::Error;
use shared::error::Kind;
use shared::texts::{Language, talk as texts};

/// The most characters of a message.
pub(crate) const MAX_MESSAGE_CHARS: usize = 4000;

/// What went wrong, as people are told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The message is blank.
    Blank,
    /// It is too long.
    TooLong,
    /// The form came without the button that was pressed, or with another value than the page has.
    Incomplete,
    /// Something was done as often as it may be.
    TooOften,
    /// No more messages fit into the conversation.
    Full,
    /// No more conversations are kept.
    TooMany,
    /// The conversation is not the active one any more.
    EndedElsewhere,
    /// The model may answer another time.
    NoAnswer,
    /// The model will not talk about this.
    WillNotTalk,
    /// There is no model, or it will not have us.
    Away,
}

impl Problem {
    /// The problem that an error of this area's own is.
    pub(crate) fn of(error: &Error) -> Option<(StatusCode, Self)> {
        let Kind::Own { status, body } = error.kind() else { return None };
        let problem = match *status {
            StatusCode::BAD_REQUEST => Self::Blank,
            StatusCode::UNPROCESSABLE_ENTITY => Self::TooLong,
            StatusCode::TOO_MANY_REQUESTS => Self::TooOften,
            StatusCode::CONFLICT => body.get("code").and_then(Value::as_str).map_or(Self::Full, Self::of_code),
            StatusCode::SERVICE_UNAVAILABLE => Self::of_code(body.get("code").and_then(Value::as_str)?),
            _ => return None,
        };
        Some((*status, problem))
    }

    /// The problem that the `code` of a failure is, as the event `error` tells it, too.
    pub(crate) fn of_code(code: &str) -> Self {
        match code {
            "service_unavailable" | "context_invalid" => Self::Away,
            "content_filtered" => Self::WillNotTalk,
            _ => Self::NoAnswer,
        }
    }

    /// The words for it.
    pub(crate) fn words(self, language: Language) -> String {
        let text = match self {
            Self::Blank => texts::BLANK,
            Self::TooLong => return texts::TOO_LONG.fill(language, &[("most", &MAX_MESSAGE_CHARS)]),
            Self::Incomplete => texts::INCOMPLETE,
            Self::TooOften => texts::TOO_OFTEN,
            Self::Full => texts::FULL,
            Self::TooMany => texts::TOO_MANY,
            Self::EndedElsewhere => texts::ENDED_ELSEWHERE,
            Self::NoAnswer => texts::NO_ANSWER,
            Self::WillNotTalk => texts::WILL_NOT_TALK,
            Self::Away => texts::AWAY,
        };
        text.get(language).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn failures_are_told_in_words() {
        let own = |status: StatusCode, code: &str| Error::own(status, json!({ "code": code }));
        let of = |status, code| Problem::of(&own(status, code)).map(|(_, problem)| problem);
        assert_eq!(of(StatusCode::SERVICE_UNAVAILABLE, "llm_no_response"), Some(Problem::NoAnswer));
        assert_eq!(of(StatusCode::SERVICE_UNAVAILABLE, "service_unavailable"), Some(Problem::Away));
        assert_eq!(of(StatusCode::TOO_MANY_REQUESTS, "rate_limited"), Some(Problem::TooOften));
        assert_eq!(of(StatusCode::CONFLICT, "turn_lost"), Some(Problem::NoAnswer));
        let full = Error::own(StatusCode::CONFLICT, json!({"error": "full"}));
        assert_eq!(Problem::of(&full), Some((StatusCode::CONFLICT, Problem::Full)));
        assert_eq!(of(StatusCode::NOT_FOUND, ""), None);
        assert!(Problem::of(&Error::forbidden()).is_none());
        assert!(Problem::TooLong.words(Language::French).contains("4000"));
    }
}
