//! The shapes of errors. The reference systems have several at once, and clients read them: each area answers in its own.
//!
//! See "Errors" in `docs/contract/README.md`, and in the pages of the areas that have a shape of their own.

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

use crate::body::Outgoing;
use crate::error::{Error, Kind, TokenProblem, Violation};
use crate::reply::{Answer, JSON};

/// The shape of an area's errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Envelope {
    /// `{"errors":[{"message":…}]}`; refused values as 400 `{"errors":{"name":[{"attribute","type","message"}]}}`.
    Lms,
    /// As [`Envelope::Lms`], but refused values as 422 `{"errors":{"name":"is too long"}}`.
    QuizGroups,
    /// `{"error":…,"errors":[{"error_type","message"}]}`, behind the token errors of the LMS.
    QuizEngine,
    /// `{"error":…,"error_description":…}`.
    OAuth,
    /// `{"errors":[{"status","code","title","detail"}]}`, with 422 for every parameter that is refused.
    Mastery,
    /// `{"status":{"success":false,"description"},"result":[],"fieldErrors":{…},"validationErrors":[…]}`; what the caller
    /// may not do looks like what is not there.
    Badges,
}

/// The challenge that a client library tells its exceptions by: it must be exact, and stand nowhere else.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"canvas-lms\"");
/// The challenge to a client that the OAuth2 endpoint does not know.
const CLIENT_CHALLENGE: HeaderValue = HeaderValue::from_static("Canvas OAuth 2.0");
const INVALID_CLIENT: &str = "invalid_client";

/// The answer to an error, as clients read it.
pub(crate) fn refuse(envelope: Envelope, error: &Error) -> Answer {
    let rendered = envelope.render(error);
    let mut headers = rendered.headers;
    headers.insert(CONTENT_TYPE, JSON);
    Answer { status: rendered.status, body: Outgoing::from(Bytes::from(rendered.body.to_string())), headers }
}

pub(crate) struct Rendered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Envelope {
    /// The answer to an error.
    pub(crate) fn render(self, error: &Error) -> Rendered {
        let (status, body) = match (self, error.kind()) {
            (_, Kind::Own { status, body }) => (*status, body.clone()),
            (_, Kind::OAuth { error: name, description }) => {
                (status(error.kind()), json!({"error": name, "error_description": description}))
            }
            (Self::OAuth, kind) => oauth(kind),
            (Self::Mastery, kind) => mastery(kind),
            (Self::Badges, kind) => badges(kind),
            (Self::QuizEngine, kind) if !is_of_the_front(kind) => quiz_engine(kind),
            (Self::QuizGroups, Kind::Invalid(violations)) => (StatusCode::UNPROCESSABLE_ENTITY, plain_map(violations)),
            (_, kind) => lms(kind),
        };
        Rendered { status, headers: headers(error.kind()), body }
    }
}

fn headers(kind: &Kind) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut set = |name: HeaderName, value: HeaderValue| headers.insert(name, value);
    match kind {
        Kind::Token(_) => drop(set(WWW_AUTHENTICATE, CHALLENGE)),
        Kind::OAuth { error: INVALID_CLIENT, .. } => drop(set(WWW_AUTHENTICATE, CLIENT_CHALLENGE)),
        Kind::MethodNotAllowed(allow) => {
            if let Ok(allow) = HeaderValue::from_str(allow) {
                set(ALLOW, allow);
            }
        }
        Kind::Throttled(seconds) => drop(set(RETRY_AFTER, HeaderValue::from(*seconds))),
        Kind::Busy => drop(set(RETRY_AFTER, HeaderValue::from_static("1"))),
        _ => {}
    }
    headers
}

/// What the LMS decides before the quiz engine sees the request.
fn is_of_the_front(kind: &Kind) -> bool {
    matches!(kind, Kind::Token(_) | Kind::InsufficientScope | Kind::InvalidMasquerade | Kind::Forbidden)
}

fn lms(kind: &Kind) -> (StatusCode, Value) {
    let status = status(kind);
    let body = match kind {
        Kind::Token(TokenProblem::Missing) => {
            json!({"status": "unauthenticated", "errors": [{"message": "user authorization required"}]})
        }
        Kind::Token(TokenProblem::Expired(at)) => {
            json!({"errors": [{"message": "Expired access token.", "expired_at": at}]})
        }
        Kind::Forbidden => {
            json!({"status": "unauthorized", "errors": [{"message": sentence(kind)}]})
        }
        Kind::InvalidMasquerade => json!({"errors": "Invalid as_user_id"}),
        Kind::BadPage => {
            let message = "Invalid page; please restart iteration and follow `next` links";
            json!({"status": "bad_request", "errors": [{"page": message}]})
        }
        Kind::Invalid(violations) => attribute_map(violations),
        Kind::Internal => {
            json!({"errors": [{"message": sentence(kind), "error_code": "internal_server_error"}]})
        }
        Kind::Unavailable(_) => {
            json!({"errors": [{"message": sentence(kind), "error_code": "service_unavailable"}]})
        }
        _ => json!({"errors": [{"message": sentence(kind)}]}),
    };
    (status, body)
}

fn quiz_engine(kind: &Kind) -> (StatusCode, Value) {
    let (status, error_type) = match kind {
        Kind::NotFound => (StatusCode::NOT_FOUND, "ActiveRecord::RecordNotFound"),
        Kind::Invalid(_) => (StatusCode::UNPROCESSABLE_ENTITY, "ActiveRecord::RecordInvalid"),
        Kind::BadRequest(_) | Kind::BadPage => (StatusCode::BAD_REQUEST, "ActionController::BadRequest"),
        Kind::Conflict(_) => (StatusCode::CONFLICT, "ActiveRecord::StaleObjectError"),
        kind => (status(kind), "StandardError"),
    };
    let message = match kind {
        Kind::Invalid(violations) => {
            let all: Vec<_> = violations.iter().map(full_message).collect();
            format!("Validation failed: {}", all.join(", "))
        }
        kind => sentence(kind),
    };
    (status, json!({"error": message, "errors": [{"error_type": error_type, "message": message}]}))
}

fn mastery(kind: &Kind) -> (StatusCode, Value) {
    let (status, code) = match kind {
        Kind::Token(_) => (StatusCode::UNAUTHORIZED, "invalid_token"),
        Kind::InsufficientScope => (StatusCode::FORBIDDEN, "insufficient_scope"),
        Kind::BadRequest(_) | Kind::Invalid(_) | Kind::BadPage => {
            (StatusCode::UNPROCESSABLE_ENTITY, "validation_error")
        }
        kind => match status(kind) {
            StatusCode::FORBIDDEN => (StatusCode::FORBIDDEN, "forbidden"),
            StatusCode::NOT_FOUND => (StatusCode::NOT_FOUND, "not_found"),
            StatusCode::METHOD_NOT_ALLOWED => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            StatusCode::TOO_MANY_REQUESTS => (StatusCode::TOO_MANY_REQUESTS, "rate_limited"),
            status if status.is_server_error() => (status, "server_error"),
            status => (status, "bad_request"),
        },
    };
    (status, mastery_error(status, code, &sentence(kind)))
}

/// The body of an error of the mastery area.
pub fn mastery_error(status: StatusCode, code: &str, detail: &str) -> Value {
    let title = status.canonical_reason().unwrap_or_default();
    json!({"errors": [{"status": status.as_str(), "code": code, "title": title, "detail": detail}]})
}

fn badges(kind: &Kind) -> (StatusCode, Value) {
    let (status, description) = match kind {
        Kind::Token(_) => (StatusCode::UNAUTHORIZED, "no valid auth token found"),
        Kind::InsufficientScope | Kind::InvalidMasquerade | Kind::Forbidden | Kind::NotFound => {
            (StatusCode::NOT_FOUND, "entity not found or insufficient privileges")
        }
        Kind::BadRequest(_) | Kind::BadPage | Kind::Invalid(_) => (StatusCode::BAD_REQUEST, "bad request"),
        kind => (status(kind), "miscellaneous error"),
    };
    let (mut fields, mut general) = (Map::new(), Vec::new());
    match kind {
        Kind::Invalid(violations) => {
            for Violation { field, message, .. } in violations {
                let message = Value::String(message.clone());
                match field {
                    Some(field) => match fields.entry(field.clone()).or_insert_with(|| json!([])) {
                        Value::Array(messages) => messages.push(message),
                        other => *other = message,
                    },
                    None => general.push(message),
                }
            }
        }
        Kind::Token(_) | Kind::InsufficientScope | Kind::InvalidMasquerade | Kind::Forbidden | Kind::NotFound => {}
        kind => general.push(Value::String(sentence(kind))),
    }
    (status, badges_error(description, fields, general))
}

/// The body of an error of the badges area.
pub fn badges_error(description: &str, fields: Map<String, Value>, general: Vec<Value>) -> Value {
    json!({
        "status": {"success": false, "description": description},
        "result": [],
        "fieldErrors": fields,
        "validationErrors": general,
    })
}

fn oauth(kind: &Kind) -> (StatusCode, Value) {
    let error = match status(kind) {
        StatusCode::UNAUTHORIZED => INVALID_CLIENT,
        status if status.is_server_error() => "server_error",
        _ => "invalid_request",
    };
    (status(kind), json!({"error": error, "error_description": sentence(kind)}))
}

fn status(kind: &Kind) -> StatusCode {
    match kind {
        Kind::Token(_)
        | Kind::InsufficientScope
        | Kind::InvalidMasquerade
        | Kind::OAuth { error: INVALID_CLIENT, .. } => StatusCode::UNAUTHORIZED,
        Kind::Forbidden => StatusCode::FORBIDDEN,
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
        Kind::BadRequest(_) | Kind::BadPage | Kind::Invalid(_) | Kind::OAuth { .. } => StatusCode::BAD_REQUEST,
        Kind::Conflict(_) => StatusCode::CONFLICT,
        Kind::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        Kind::UnsupportedMediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Kind::Throttled(_) => StatusCode::TOO_MANY_REQUESTS,
        Kind::Busy | Kind::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        Kind::InsufficientStorage => StatusCode::INSUFFICIENT_STORAGE,
        Kind::Own { status, .. } => *status,
        Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// What went wrong, in one sentence.
pub(crate) fn sentence(kind: &Kind) -> String {
    let fixed = match kind {
        Kind::Token(TokenProblem::Missing) => "user authorization required",
        Kind::Token(TokenProblem::Invalid) => "Invalid access token.",
        Kind::Token(TokenProblem::Expired(_)) => "Expired access token.",
        Kind::Token(TokenProblem::Revoked) => "Revoked access token.",
        Kind::InsufficientScope => "Insufficient scopes on access token.",
        Kind::InvalidMasquerade => "Invalid as_user_id",
        Kind::Forbidden => "user not authorized to perform that action",
        Kind::NotFound => "The specified resource does not exist.",
        Kind::MethodNotAllowed(_) => "The specified resource does not support this method.",
        Kind::BadPage => "Invalid page; please restart iteration and follow `next` links",
        // A client library knows it by these words.
        Kind::Throttled(_) => "Rate Limit Exceeded",
        Kind::Busy => "The service is busy; please try again.",
        Kind::InsufficientStorage => "The service has no room left to store this.",
        Kind::Internal | Kind::Own { .. } => "An error occurred.",
        Kind::TooLarge { limit } => return format!("The body is larger than {limit} bytes."),
        Kind::BadRequest(message)
        | Kind::Conflict(message)
        | Kind::UnsupportedMediaType(message)
        | Kind::Unavailable(message) => return message.clone(),
        Kind::OAuth { description, .. } => return description.clone(),
        Kind::Invalid(violations) => return violations.iter().map(full_message).collect::<Vec<_>>().join(", "),
    };
    fixed.to_owned()
}

fn full_message(violation: &Violation) -> String {
    match &violation.field {
        Some(field) => format!("{field} {}", violation.message),
        None => violation.message.clone(),
    }
}

fn attribute_map(violations: &[Violation]) -> Value {
    let mut errors = Map::new();
    for Violation { field, code, message } in violations {
        let attribute = field.as_deref().unwrap_or("base");
        let list = errors.entry(attribute).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(json!({"attribute": attribute, "type": code, "message": message}));
        }
    }
    json!({ "errors": errors })
}

fn plain_map(violations: &[Violation]) -> Value {
    let entries = violations.iter().map(|violation| {
        (violation.field.clone().unwrap_or_else(|| "base".to_owned()), Value::String(violation.message.clone()))
    });
    json!({ "errors": entries.collect::<Map<_, _>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(envelope: Envelope, error: Error) -> (u16, Value) {
        let rendered = envelope.render(&error);
        (rendered.status.as_u16(), rendered.body)
    }

    #[test]
    fn only_token_errors_carry_the_challenge() {
        for envelope in [Envelope::Lms, Envelope::QuizGroups, Envelope::QuizEngine] {
            let challenged = |error| envelope.render(&error).headers.contains_key(WWW_AUTHENTICATE);
            assert!(challenged(Error::token(TokenProblem::Missing)));
            assert!(challenged(Error::token(TokenProblem::Revoked)));
            assert!(!challenged(Error::insufficient_scope()));
            assert!(!challenged(Error::invalid_masquerade()));
            assert!(!challenged(Error::forbidden()));
        }
    }

    #[test]
    fn an_unknown_client_is_challenged_in_words_of_its_own() {
        let rendered = |error| Envelope::OAuth.render(&Error::oauth(error, "why"));
        let unknown = rendered("invalid_client");
        assert_eq!((unknown.status.as_u16(), unknown.headers.get(WWW_AUTHENTICATE)), (401, Some(&CLIENT_CHALLENGE)));
        assert_eq!(unknown.body, json!({"error": "invalid_client", "error_description": "why"}));
        let refused = rendered("invalid_grant");
        assert_eq!((refused.status.as_u16(), refused.headers.get(WWW_AUTHENTICATE)), (400, None));
    }

    #[test]
    fn each_area_words_a_refused_value_in_its_own_way() {
        let error = || Error::invalid("name", "too_long", "is too long");
        let lms = json!({"errors": {"name": [{"attribute": "name", "type": "too_long", "message": "is too long"}]}});
        assert_eq!(body(Envelope::Lms, error()), (400, lms));
        assert_eq!(body(Envelope::QuizGroups, error()), (422, json!({"errors": {"name": "is too long"}})));
        let message = "Validation failed: name is too long";
        let engine =
            json!({"error": message, "errors": [{"error_type": "ActiveRecord::RecordInvalid", "message": message}]});
        assert_eq!(body(Envelope::QuizEngine, error()), (422, engine));
    }

    #[test]
    fn a_full_disk_is_507_in_every_area() {
        use Envelope::{Badges, Lms, Mastery, OAuth, QuizEngine, QuizGroups};
        for envelope in [Lms, QuizGroups, QuizEngine, OAuth, Mastery, Badges] {
            let (status, body) = body(envelope, Error::from(database::Error::Full));
            assert_eq!(status, 507);
            assert!(body.to_string().contains("no room left"), "{body}");
        }
    }

    #[test]
    fn a_cause_is_never_sent() {
        for envelope in [Envelope::Lms, Envelope::QuizGroups, Envelope::QuizEngine, Envelope::OAuth] {
            let (status, body) = body(envelope, Error::internal(anyhow::anyhow!("no such table: users")));
            assert_eq!(status, 500);
            assert!(!body.to_string().contains("table"), "{body}");
        }
    }
}
