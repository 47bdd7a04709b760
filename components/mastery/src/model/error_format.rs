//! The shape of the area's errors: `{"errors":[{"status","code","title","detail"}]}`, with 422 for every parameter that is
//! refused. A code is one of [`Code`], and no error has another.

use http::StatusCode;
use serde_json::{Value, json};
use shared::ErrorFormat;
use shared::error::Kind;
use shared::error_format::{sentence, status};

/// The codes of errors: the table under "Errors" in `docs/contract/mastery.md`, which is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    InvalidToken,
    ExpiredClient,
    RevokedCredential,
    UnknownDistrict,
    NotAuthorized,
    FeatureDisabled,
    InsufficientScope,
    Forbidden,
    NotFound,
    ValidationError,
}

impl Code {
    /// The code as it is sent.
    fn name(self) -> &'static str {
        match self {
            Self::InvalidToken => "invalid_token",
            Self::ExpiredClient => "expired_client",
            Self::RevokedCredential => "revoked_credential",
            Self::UnknownDistrict => "unknown_district",
            Self::NotAuthorized => "not_authorized",
            Self::FeatureDisabled => "feature_disabled",
            Self::InsufficientScope => "insufficient_scope",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::ValidationError => "validation_error",
        }
    }
}

/// The errors of mastery tracking.
pub(crate) struct MasteryErrors;

impl ErrorFormat for MasteryErrors {
    fn render(&self, kind: &Kind) -> (StatusCode, Value) {
        let (status, code) = match kind {
            Kind::Token(_) => (StatusCode::UNAUTHORIZED, Code::InvalidToken),
            Kind::InsufficientScope => (StatusCode::FORBIDDEN, Code::InsufficientScope),
            Kind::BadRequest(_) | Kind::Invalid(_) | Kind::BadPage => {
                (StatusCode::UNPROCESSABLE_ENTITY, Code::ValidationError)
            }
            // The codes are a closed table, which has none for what a client tells by the status alone.
            kind => match status(kind) {
                status @ (StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => (status, Code::NotFound),
                status @ (StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS) => (status, Code::Forbidden),
                status if status.is_server_error() => (status, Code::Forbidden),
                StatusCode::UNAUTHORIZED => (StatusCode::UNAUTHORIZED, Code::NotAuthorized),
                // A body that is too large, of another type, or at odds with what is there.
                _ => (StatusCode::UNPROCESSABLE_ENTITY, Code::ValidationError),
            },
        };
        (status, error_body(status, code, &sentence(kind)))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn shape(&self) -> shared::error_format::Shape {
        let names = ["status", "code", "title", "detail"];
        let fields: serde_json::Map<_, _> =
            names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
        let schema = json!({
            "description": "Why a request is refused.",
            "type": "object",
            "required": ["errors"],
            "properties": {
                "errors": { "type": "array", "items": { "type": "object", "required": names, "properties": fields } },
            },
        });
        shared::error_format::Shape { name: "MasteryErrors", schema }
    }
}

/// The body of an error with that code.
pub(crate) fn error_body(status: StatusCode, code: Code, detail: &str) -> Value {
    let title = status.canonical_reason().unwrap_or_default();
    json!({"errors": [{"status": status.as_str(), "code": code.name(), "title": title, "detail": detail}]})
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use shared::{Error, LimitKind};

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

    /// The statuses and codes of the table in the contract, as they stand there.
    fn documented() -> Vec<(&'static str, &'static str)> {
        let contract = include_str!("../../../../docs/contract/mastery.md");
        let (_, table) = contract.split_once("\n## Errors\n").unwrap();
        let (table, _) = table.split_once("\n## ").unwrap();
        let rows = table.lines().filter_map(|line| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            Some((cells.next()?, cells.next()?.strip_prefix('`')?.strip_suffix('`')?))
        });
        rows.filter(|(status, _)| status.starts_with(|c: char| c.is_ascii_digit())).collect()
    }

    #[test]
    fn the_codes_are_those_of_the_table_and_no_others() {
        // The names are read from this file, so that a new one cannot be left out here.
        let (_, names) = include_str!("error_format.rs").split_once("match self {").unwrap();
        let (names, _) = names.split_once("\n        }").unwrap();
        let names: BTreeSet<_> = names.lines().filter_map(|line| line.split('"').nth(1)).collect();
        assert_eq!(names, documented().into_iter().map(|(_, code)| code).collect());
    }

    #[test]
    fn an_error_of_every_kind_has_one_of_these_codes() {
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
            (Error::throttled(LimitKind::MasteryRequests, 5), (429, "forbidden")),
            (Error::insufficient_scope(), (403, "insufficient_scope")),
            (Error::token(shared::error::TokenProblem::Missing), (401, "invalid_token")),
            (Error::bad_request("x"), (422, "validation_error")),
        ];
        for (error, (status, code)) in cases {
            assert_eq!(rendered(error), (status, code.to_owned()));
            let documented = documented();
            let is_in_table = |status: &str| documented.contains(&(status, code));
            assert!(is_in_table(&status.to_string()) || is_in_table(&format!("{}xx", status / 100)), "{status} {code}");
        }
    }
}
