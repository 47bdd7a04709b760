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
            // The codes are a closed table, which has none for what a client tells by the status alone.
            kind => match status(kind) {
                status @ (StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => (status, "not_found"),
                status @ (StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS) => (status, "forbidden"),
                status if status.is_server_error() => (status, "forbidden"),
                StatusCode::UNAUTHORIZED => (StatusCode::UNAUTHORIZED, "not_authorized"),
                // A body that is too large, of another type, or at odds with what is there.
                _ => (StatusCode::UNPROCESSABLE_ENTITY, "validation_error"),
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

    #[test]
    fn every_code_is_one_of_the_table() {
        let rendered = |error: Error| {
            let (status, body) = MasteryErrors.render(error.kind());
            (status.as_u16(), body["errors"][0]["code"].as_str().unwrap().to_owned())
        };
        let cases = [
            (Error::conflict("x"), (422, "validation_error")),
            (Error::unsupported_media_type("x"), (422, "validation_error")),
            (Error::not_found(), (404, "not_found")),
            (Error::forbidden(), (403, "forbidden")),
            (Error::insufficient_storage(), (507, "forbidden")),
            (Error::unavailable("x"), (503, "forbidden")),
        ];
        for (error, (status, code)) in cases {
            assert_eq!(rendered(error), (status, code.to_owned()));
        }
    }
}
