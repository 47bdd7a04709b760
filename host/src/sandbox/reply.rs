//! Answers of the sandbox itself: JSON, and what is wrong with a request.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use wasmtime_wasi_http::{Error, WasiBody};

/// What is wrong with a request to the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) message: String,
    pub(super) field: Option<String>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), field: None }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// The value of a field breaks a rule, which is told without its subject.
    pub(super) fn of_field(field: &str, rule: &str) -> Self {
        Self::bad_request(format!("{field} {rule}")).at(field)
    }

    /// The same, at that place.
    pub(super) fn at(self, place: &str) -> Self {
        Self { field: Some(place.to_owned()), ..self }
    }

    pub(super) fn response(&self) -> Response<WasiBody> {
        let mut error = json!({ "message": self.message });
        if let (Some(field), Some(error)) = (&self.field, error.as_object_mut()) {
            error.insert("field".to_owned(), json!(field));
        }
        json_response(self.status, &json!({ "errors": [error] }))
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.field {
            Some(field) if !self.message.starts_with(field.as_str()) => write!(f, "{field}: {}", self.message),
            _ => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Problem {}

/// Something of ours has failed.
impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}"))
    }
}

/// Reads the body of a request.
pub(super) fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body)
        .map_err(|error| Problem::bad_request(format!("the body is not as it should be: {error}")))
}

/// A name that may stand in a path.
pub(super) fn require_name(name: &str) -> Result<(), Problem> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    match !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain) {
        true => Ok(()),
        false => Err(Problem::of_field("name", "is 1 to 64 letters, digits, dots, dashes and underscores")),
    }
}

pub(super) fn json_response(status: StatusCode, value: &impl Serialize) -> Response<WasiBody> {
    match serde_json::to_vec(value) {
        Ok(json) => response(status, "application/json", json),
        Err(error) => response(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", error.to_string()),
    }
}

pub(super) fn no_content() -> Response<WasiBody> {
    let mut response = response(StatusCode::NO_CONTENT, "", Bytes::new());
    response.headers_mut().remove(CONTENT_TYPE);
    response
}

pub(super) fn page(html: String) -> Response<WasiBody> {
    let mut response = response(StatusCode::OK, "text/html; charset=utf-8", html);
    let policy = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response
}

pub(super) fn response(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Response<WasiBody> {
    // Such an answer has no body, whatever was to be said.
    let body = if status == StatusCode::NO_CONTENT { Bytes::new() } else { body.into() };
    let mut response = Response::new(Full::new(body).map_err(Error::from).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_stand_in_a_path() {
        for name in ["start", "a.b-c_1"] {
            assert_eq!(require_name(name), Ok(()));
        }
        for name in ["", "a/b", "ä", "a b", &"a".repeat(65)] {
            assert!(require_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_problem_names_its_field_in_words_and_by_itself() {
        let problem = Problem::of_field("status", "is not a status");
        assert_eq!(problem.to_string(), "status is not a status");
        assert_eq!(Problem::not_found("nothing").field, None);
    }
}
