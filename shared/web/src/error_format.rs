//! The shapes of errors. The reference systems have several at once, and clients read them: each area answers in its own.
//!
//! See "Errors" in `docs/contract/README.md`, and in the pages of the areas that have a shape of their own.

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

use crate::accept::Reader;
use crate::body::ResponseBody;
use crate::error::{Error, Kind, TokenProblem, Violation};
use crate::reply::{JSON, UntypedReply};

/// The shape of an area's errors. Each area has one, in which it answers whatever its endpoints give no other.
pub trait ErrorFormat: Sync {
    /// The status and the body of an error.
    fn render(&self, kind: &Kind) -> (StatusCode, Value);

    /// The shape of its bodies, for the API description.
    #[cfg(not(target_arch = "wasm32"))]
    fn shape(&self) -> Shape;
}

/// The shape of the bodies of a format: its name among the types, and its schema.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug)]
pub struct Shape {
    /// The name.
    pub name: &'static str,
    /// The schema.
    pub schema: Value,
}

/// `{"errors":[{"message":…}]}`; refused values as 400 `{"errors":{"name":[{"attribute","type","message"}]}}`.
pub struct LmsErrors;

/// `{"error":…,"errors":[{"error_type","message"}]}`, behind the token errors of the LMS.
pub struct QuizEngineErrors;

/// `{"error":…,"error_description":…}`.
pub struct OAuthErrors;

/// The challenge that a client library tells its exceptions by: it must be exact, and stand nowhere else.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"canvas-lms\"");
/// The challenge to a client that the OAuth2 endpoint does not know.
const CLIENT_CHALLENGE: HeaderValue = HeaderValue::from_static("Canvas OAuth 2.0");
const INVALID_CLIENT: &str = "invalid_client";

/// The answer to an error, as clients read it: in one language.
pub(crate) fn refuse(format: &dyn ErrorFormat, error: &Error, _reader: Reader<'_>) -> UntypedReply {
    let rendered = RenderedError::new(format, error);
    let mut headers = rendered.headers;
    headers.insert(CONTENT_TYPE, JSON);
    UntypedReply { status: rendered.status, body: ResponseBody::from(Bytes::from(rendered.body.to_string())), headers }
}

pub(crate) struct RenderedError {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl RenderedError {
    /// The answer to an error. An answer that only one endpoint gives has the shape that the endpoint gives it, and an error of
    /// OAuth2 that of OAuth2.
    pub(crate) fn new(format: &dyn ErrorFormat, error: &Error) -> Self {
        let (status, body) = match error.kind() {
            Kind::Own { status, body } => (*status, body.clone()),
            kind @ Kind::OAuth { error: name, description } => {
                (status(kind), json!({"error": name, "error_description": description}))
            }
            kind => format.render(kind),
        };
        Self { status, headers: headers(error.kind()), body }
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

impl ErrorFormat for LmsErrors {
    fn render(&self, kind: &Kind) -> (StatusCode, Value) {
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

    #[cfg(not(target_arch = "wasm32"))]
    fn shape(&self) -> Shape {
        let violation = json!({ "type": "object", "properties": {
            "attribute": { "type": "string" },
            "type": { "type": "string", "description": "The rule, in one word." },
            "message": { "type": "string", "description": "The rule, as a sentence without its subject." },
        } });
        let message = json!({ "type": "object", "properties": {
            "message": { "type": "string" },
            "error_code": { "type": "string" },
            "expired_at": { "type": "string", "format": "date-time" },
            "page": { "type": "string" },
        } });
        let errors = json!({
            "description": "Messages; or by the name of a parameter what is wrong with its value.",
            "anyOf": [
                { "type": "array", "items": message },
                { "type": "object", "additionalProperties": {
                    "anyOf": [{ "type": "array", "items": violation }, { "type": "string" }, { "type": "object" }],
                } },
                { "type": "string" },
            ],
        });
        let schema = json!({
            "description": "Why a request is refused. Few endpoints say it in `error` or `message` instead.",
            "type": "object",
            "properties": {
                "status": { "type": "string" },
                "errors": errors,
                "error": { "type": "string" },
                "message": { "type": "string" },
            },
        });
        Shape { name: "LmsErrors", schema }
    }
}

impl ErrorFormat for QuizEngineErrors {
    fn render(&self, kind: &Kind) -> (StatusCode, Value) {
        if is_of_the_front(kind) {
            return LmsErrors.render(kind);
        }
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

    #[cfg(not(target_arch = "wasm32"))]
    fn shape(&self) -> Shape {
        let Shape { mut schema, .. } = LmsErrors.shape();
        let fields = schema.pointer_mut("/properties/errors/anyOf/0/items/properties").and_then(Value::as_object_mut);
        if let Some(fields) = fields {
            fields.insert("error_type".to_owned(), json!({ "type": "string" }));
        }
        let description = "Why the quiz engine refuses a request; or, before the request gets there, the LMS.";
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".to_owned(), description.into());
        }
        Shape { name: "QuizEngineErrors", schema }
    }
}

impl ErrorFormat for OAuthErrors {
    fn render(&self, kind: &Kind) -> (StatusCode, Value) {
        let error = match status(kind) {
            StatusCode::UNAUTHORIZED => INVALID_CLIENT,
            status if status.is_server_error() => "server_error",
            _ => "invalid_request",
        };
        (status(kind), json!({"error": error, "error_description": sentence(kind)}))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn shape(&self) -> Shape {
        let schema = json!({
            "description": "Why a request is refused, as OAuth2 has it.",
            "type": "object",
            "properties": {
                "error": { "type": "string", "description": "The error's name." },
                "error_description": { "type": "string", "description": "The reason, for the client's developer." },
                "message": { "type": "string" },
            },
        });
        Shape { name: "OAuthErrors", schema }
    }
}

/// The errors that the LMS decides before the quiz engine sees the request.
fn is_of_the_front(kind: &Kind) -> bool {
    matches!(kind, Kind::Token(_) | Kind::InsufficientScope | Kind::InvalidMasquerade | Kind::Forbidden)
}

/// The status that an error has in most areas.
pub fn status(kind: &Kind) -> StatusCode {
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

/// The error, in one sentence.
pub fn sentence(kind: &Kind) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [&dyn ErrorFormat; 3] = [&LmsErrors, &QuizEngineErrors, &OAuthErrors];

    fn body(format: &dyn ErrorFormat, error: Error) -> (u16, Value) {
        let rendered = RenderedError::new(format, &error);
        (rendered.status.as_u16(), rendered.body)
    }

    #[test]
    fn only_token_errors_carry_the_challenge() {
        for format in FORMATS {
            let challenged = |error| RenderedError::new(format, &error).headers.contains_key(WWW_AUTHENTICATE);
            assert!(challenged(Error::token(TokenProblem::Missing)));
            assert!(challenged(Error::token(TokenProblem::Revoked)));
            assert!(!challenged(Error::insufficient_scope()));
            assert!(!challenged(Error::invalid_masquerade()));
            assert!(!challenged(Error::forbidden()));
        }
    }

    #[test]
    fn an_unknown_client_is_challenged_in_words_of_its_own() {
        let rendered = |error| RenderedError::new(&OAuthErrors, &Error::oauth(error, "why"));
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
        assert_eq!(body(&LmsErrors, error()), (400, lms));
        let message = "Validation failed: name is too long";
        let engine =
            json!({"error": message, "errors": [{"error_type": "ActiveRecord::RecordInvalid", "message": message}]});
        assert_eq!(body(&QuizEngineErrors, error()), (422, engine));
    }

    #[test]
    fn a_full_disk_is_507() {
        for format in FORMATS {
            let (status, body) = body(format, Error::from(database::Error::Full));
            assert_eq!(status, 507);
            assert!(body.to_string().contains("no room left"), "{body}");
        }
    }

    #[test]
    fn a_cause_is_never_sent() {
        for format in FORMATS {
            let (status, body) = body(format, Error::internal(anyhow::anyhow!("no such table: users")));
            assert_eq!(status, 500);
            assert!(!body.to_string().contains("table"), "{body}");
        }
    }
}
