//! The shape of the area's errors: `{"errors":[{"status","code","title","detail"}]}`, with 422 for every parameter that is
//! refused.

use http::StatusCode;
use serde_json::{Value, json};
use shared::ErrorFormat;
use shared::error::Kind;
use shared::error_format::{sentence, status};

/// The errors of mastery tracking.
pub(crate) struct MasteryErrors;

impl ErrorFormat for MasteryErrors {
    fn render(&self, kind: &Kind) -> (StatusCode, Value) {
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
        (status, error_body(status, code, &sentence(kind)))
    }
}

/// The body of an error with that code.
pub(crate) fn error_body(status: StatusCode, code: &str, detail: &str) -> Value {
    let title = status.canonical_reason().unwrap_or_default();
    json!({"errors": [{"status": status.as_str(), "code": code, "title": title, "detail": detail}]})
}

#[cfg(test)]
mod tests {
    use shared::Error;

    use super::*;

    #[test]
    fn a_refused_parameter_is_422_and_a_full_disk_507() {
        let (refused, body) = MasteryErrors.render(Error::bad_request("limit must be an integer").kind());
        assert_eq!(
            (refused, &body["errors"][0]["code"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!("validation_error"))
        );
        let (full, body) = MasteryErrors.render(Error::insufficient_storage().kind());
        assert_eq!(full, StatusCode::INSUFFICIENT_STORAGE);
        assert!(body.to_string().contains("no room left"), "{body}");
    }
}
