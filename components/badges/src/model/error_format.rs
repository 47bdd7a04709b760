//! The shape of the area's errors:
//! `{"status":{"success":false,"description"},"result":[],"fieldErrors":{…},"validationErrors":[…]}`; what the caller may not do
//! looks like what is not there.

use http::StatusCode;
use serde_json::{Map, Value, json};
use shared::error::{Kind, Violation};
use shared::error_format::{sentence, status};
use shared::{ErrorFormat, OAuthErrors};

/// The errors of badges.
pub(crate) struct BadgesErrors;

impl ErrorFormat for BadgesErrors {
    fn render(&self, kind: &Kind) -> (StatusCode, Value) {
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
        (status, error_body(description, fields, general))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn shape(&self) -> shared::error_format::Shape {
        let words = json!({ "type": "array", "items": { "type": "string" } });
        let fields = json!({ "type": "object", "additionalProperties": words });
        let status = json!({ "type": "object", "properties": {
            "success": { "type": "boolean" },
            "description": { "type": "string" },
        } });
        let schema = json!({
            "description": "Why a request is refused: what is wrong with which field, and with the record as a whole.",
            "type": "object",
            "properties": {
                "status": status,
                "result": { "type": "array", "items": {} },
                "fieldErrors": {
                    "description": "The fields; of a batch, those of each of its elements, in their order.",
                    "anyOf": [fields, { "type": "array", "items": fields }],
                },
                "validationErrors": { "type": "array", "items": {} },
                "error": { "type": "string" },
                "error_description": { "type": "string" },
            },
        });
        shared::error_format::Shape { name: "BadgesErrors", schema }
    }
}

/// The errors of tokens: those of OAuth2, and what clients of the hosted service know for too many attempts.
pub(crate) struct TokenErrors;

impl ErrorFormat for TokenErrors {
    fn render(&self, kind: &Kind) -> (StatusCode, Value) {
        let (status, mut body) = OAuthErrors.render(kind);
        if let Kind::Throttled(seconds) = kind {
            body = json!({
                "error": "too many login attempts",
                "error_description": "There were too many attempts with this login. Please wait.",
                "expires": seconds,
            });
        }
        (status, body)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn shape(&self) -> shared::error_format::Shape {
        OAuthErrors.shape()
    }
}

/// The body of an error: what is wrong with which field, and with the record as a whole.
pub(crate) fn error_body(description: &str, fields: Map<String, Value>, general: Vec<Value>) -> Value {
    json!({
        "status": {"success": false, "description": description},
        "result": [],
        "fieldErrors": fields,
        "validationErrors": general,
    })
}

#[cfg(test)]
mod tests {
    use shared::Error;

    use super::*;

    #[test]
    fn what_the_caller_may_not_do_looks_like_what_is_not_there() {
        let there_is_none = BadgesErrors.render(Error::not_found().kind());
        assert_eq!(there_is_none.0, StatusCode::NOT_FOUND);
        assert_eq!(BadgesErrors.render(Error::forbidden().kind()), there_is_none);
    }

    #[test]
    fn a_full_disk_is_507() {
        let (full, body) = BadgesErrors.render(Error::insufficient_storage().kind());
        assert_eq!(full, StatusCode::INSUFFICIENT_STORAGE);
        assert!(body.to_string().contains("no room left"), "{body}");
    }
}
