//! The answers of an endpoint by their status: success as its types tell it, refusals as its area words them.

use std::collections::BTreeMap;

use http::{Method, StatusCode};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};
use types::clock::Timestamp;

use super::schemas::SCHEMAS;
use super::set;
use crate::api::{BODY_LIMIT, Endpoint, Paging, Reading, Stranger};
use crate::error::{Error, TokenProblem, Violation};
use crate::error_format::{ErrorFormat, RenderedError};
use crate::limits_hit::LimitKind;

/// The refusals of all areas: those of one format and one status are one response, which operations refer to.
#[derive(Default)]
pub(super) struct Refusals {
    responses: BTreeMap<String, Refusal>,
    schemas: BTreeMap<String, Value>,
}

/// A response with the bodies that it may have, each under the name of its reason.
struct Refusal {
    status: u16,
    /// The name of its schema; a page has none.
    schema: Option<String>,
    /// True if a person may see a page in its place.
    may_be_page: bool,
    examples: BTreeMap<&'static str, Value>,
}

impl Refusals {
    /// Adds one, and answers its name among the responses.
    fn add(&mut self, endpoint: &Endpoint, format: &dyn ErrorFormat, status: u16) -> (String, &mut Refusal) {
        let shape = format.shape();
        let schema = (!endpoint.details.is_page).then(|| shape.name.to_owned());
        let may_be_page = schema.is_some() && endpoint.details.sent.contains(&"text/html");
        let alternative = if may_be_page { "OrPage" } else { "" };
        let name = format!("{}{}{alternative}", schema.as_deref().unwrap_or("Page"), reason(status));
        if let Some(schema) = &schema {
            self.schemas.entry(schema.clone()).or_insert(shape.schema);
        }
        let refusal = self.responses.entry(name.clone());
        (name, refusal.or_insert_with(|| Refusal { status, schema, may_be_page, examples: BTreeMap::new() }))
    }

    /// The responses and the schemas that they refer to.
    pub(super) fn into_components(self) -> (Map<String, Value>, BTreeMap<String, Value>) {
        let responses = self.responses.into_iter().map(|(name, refusal)| (name, refusal.described()));
        (responses.collect(), self.schemas)
    }
}

impl Refusal {
    fn described(self) -> Value {
        let Self { status, schema, may_be_page, examples } = self;
        let page = json!({ "schema": { "type": "string" } });
        let content = match schema {
            None => json!({ "text/html": page }),
            Some(name) => {
                let mut content = json!({ "schema": { "$ref": format!("{SCHEMAS}{name}") } });
                if !examples.is_empty() {
                    let examples = examples.into_iter().map(|(name, body)| (name.to_owned(), json!({ "value": body })));
                    set(&mut content, "examples", examples.collect::<Map<_, _>>().into());
                }
                let mut content = json!({ "application/json": content });
                if may_be_page {
                    set(&mut content, "text/html", page);
                }
                content
            }
        };
        let mut response = json!({ "description": words(status), "content": content });
        if [429, 503].contains(&status) {
            let after = json!({ "description": "In seconds.", "schema": { "type": "integer" } });
            set(&mut response, "headers", json!({ "Retry-After": after }));
        }
        response
    }
}

/// The reason that a status stands for, as a part of a name: `NotFound`.
fn reason(status: u16) -> String {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Refused");
    reason.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The meaning of a refusal, whichever endpoint answers it.
fn words(status: u16) -> &'static str {
    match status {
        400 => "The request cannot be understood, or one of its values is refused; the body says which.",
        401 => "There is no valid token, or one without the scope that is needed.",
        403 => "The caller is known, and lacks the right.",
        404 => "There is no such record that the caller may know of.",
        409 => "The record is not in a state for this.",
        410 => "The record was taken back.",
        413 => "The body has more bytes than the endpoint takes.",
        415 => "The body is of a type that the endpoint does not take.",
        416 => "The file has no such part.",
        422 => "One of the values is refused; the body says which.",
        429 => "It was done too often; after so many seconds it may be done again.",
        501 => "It cannot be done here.",
        503 => {
            "Others are writing, or the operator has not set something up. Where Retry-After stands, the same request may be \
                sent again after that."
        }
        507 => "There is no room for what the request brings.",
        _ => "The request is refused.",
    }
}

/// The responses of an endpoint.
pub(super) fn of(
    endpoint: &Endpoint,
    format: &dyn ErrorFormat,
    answered: &mut SchemaGenerator,
    refusals: &mut Refusals,
) -> Value {
    let mut responses = BTreeMap::new();
    for (name, error) in errors(endpoint) {
        let RenderedError { status, body, .. } = RenderedError::new(format, &error);
        let (reference, refusal) = refusals.add(endpoint, format, status.as_u16());
        refusal.examples.entry(name).or_insert(body);
        responses.insert(status.as_u16(), json!({ "$ref": format!("#/components/responses/{reference}") }));
    }
    let expected = endpoint.expectations.iter().map(|expected| (expected.status, None));
    let declared = endpoint.details.statuses.iter().map(|(status, when)| (*status, Some(*when)));
    let throttled = endpoint.throttled.iter().map(|what| (429, Some(*what)));
    for (status, when) in expected.chain(declared).chain(throttled) {
        if status >= 400 {
            let (reference, _) = refusals.add(endpoint, format, status);
            let response = responses
                .entry(status)
                .or_insert_with(|| json!({ "$ref": format!("#/components/responses/{reference}") }));
            if let Some(when) = when {
                let prefix = if status == 429 { "Too often: " } else { "" };
                set(response, "description", format!("{prefix}{when}").into());
            }
        } else if let Some(when) = when {
            responses.insert(status, moved_or_unchanged(endpoint, status, when));
        }
    }
    if endpoint.details.has_entity_tag {
        responses.insert(304, json!({ "description": "The client has what is answered." }));
    }
    let status = endpoint.details.redirects.unwrap_or(endpoint.operation.status);
    responses.insert(status, success(endpoint, status, answered));
    let responses = responses.into_iter().map(|(status, response)| (status.to_string(), response));
    responses.collect::<Map<_, _>>().into()
}

/// The errors that an endpoint may meet, as far as its declaration tells them, each with its name.
fn errors(endpoint: &Endpoint) -> Vec<(&'static str, Error)> {
    let has_form = endpoint.reading == Reading::Parameters && endpoint.operation.form.is_some();
    let takes_body = endpoint.method != Method::GET && (has_form || endpoint.reading != Reading::Parameters);
    let needs_token = endpoint.access.needs_caller();
    let looks_at_token = endpoint.access.looks_at_tokens();
    let is_asked = has_form || endpoint.operation.query.is_some();
    let changes = endpoint.method != Method::GET || endpoint.changes_state;
    let is_numbered = matches!(endpoint.paging, Some(Paging::Numbered | Paging::NumberedOrWhole));
    let expired = Timestamp::from_unix(1_798_761_600);
    [
        (needs_token, "no_token", Error::token(TokenProblem::Missing)),
        (looks_at_token || endpoint.credential.is_some(), "unknown_token", Error::token(TokenProblem::Invalid)),
        (looks_at_token, "expired_token", Error::token(expired.map_or(TokenProblem::Invalid, TokenProblem::Expired))),
        (looks_at_token, "revoked_token", Error::token(TokenProblem::Revoked)),
        (needs_token && endpoint.scoped, "scope_lacking", Error::insufficient_scope()),
        (looks_at_token, "invalid_masquerade", Error::invalid_masquerade()),
        (asks_for_a_right(endpoint), "right_lacking", Error::forbidden()),
        (endpoint.path.contains("/:") || is_numbered, "not_found", Error::not_found()),
        (true, "unreadable", Error::bad_request("the name of a parameter is not valid UTF-8")),
        (endpoint.paging.is_some(), "unknown_page", Error::bad_page()),
        (is_asked, "refused_value", Error::violations(vec![Violation::new("name", "too_long", "is too long")])),
        (takes_body, "too_large", Error::too_large(BODY_LIMIT)),
        (has_form && takes_body, "unsupported_type", Error::unsupported_media_type("text/plain is not supported")),
        (endpoint.throttled.is_some(), "too_often", Error::throttled(LimitKind::LogIns, 60)),
        (true, "busy", database::Error::Busy.into()),
        (changes, "no_room", Error::insufficient_storage()),
    ]
    .into_iter()
    .filter_map(|(occurs, name, error)| occurs.then_some((name, error)))
    .collect()
}

/// True if some who are known are refused: by what the endpoint needs, by the record that its path names, or as a student of the
/// course is unless it says otherwise.
fn asks_for_a_right(endpoint: &Endpoint) -> bool {
    let student = endpoint.expectations.iter().find(|expected| expected.stranger == Stranger::Student);
    let is_refused = student.map_or(endpoint.access.needs_caller(), |expected| expected.status == 403);
    let names_record =
        endpoint.path.contains("/:") && (endpoint.access.needs_caller() || endpoint.credential.is_some());
    is_refused || names_record || !endpoint.operation.who().is_empty()
}

/// Success as the declaration has it.
fn success(endpoint: &Endpoint, status: u16, answered: &mut SchemaGenerator) -> Value {
    let description = match status {
        201 => "It is made.",
        204 => "It is done; there is no body.",
        301..=303 => "The answer is at another address.",
        _ => "Success.",
    };
    let mut success = json!({ "description": description });
    if status < 300
        && let Some(content) = content(endpoint, answered)
    {
        set(&mut success, "content", content);
    }
    let mut headers = Map::new();
    if endpoint.paging.is_some() {
        let about = "The addresses of other pages, by `rel`: `current`, `next`, `prev`, `first`, `last`.";
        headers.insert("Link".to_owned(), header(about));
    }
    if endpoint.details.has_entity_tag {
        headers.insert("ETag".to_owned(), header("Names what is answered: it is another where that changes."));
    }
    if (301..304).contains(&status) {
        headers.insert("Location".to_owned(), header("The other address."));
    }
    if !headers.is_empty() {
        set(&mut success, "headers", headers.into());
    }
    success
}

fn header(about: &str) -> Value {
    json!({ "description": about, "schema": { "type": "string" } })
}

/// The body of success by its type; nothing where there is none.
fn content(endpoint: &Endpoint, answered: &mut SchemaGenerator) -> Option<Value> {
    let details = &endpoint.details;
    let typed = endpoint.operation.reply.map(|schema| Value::from(schema(answered)));
    if !details.sent.is_empty() {
        // Of several forms JSON is the one that the type tells.
        let schema =
            |name: &str| typed.clone().filter(|_| name == "application/json").unwrap_or_else(|| bytes_of(name));
        let types = details.sent.iter().map(|name| ((*name).to_owned(), json!({ "schema": schema(name) })));
        return Some(types.collect::<Map<_, _>>().into());
    }
    if let Some(schema) = details.answer.clone().or(typed) {
        return Some(json!({ "application/json": { "schema": schema } }));
    }
    details.is_page.then(|| json!({ "text/html": { "schema": { "type": "string" } } }))
}

/// The schema of bytes of that type.
pub(super) fn bytes_of(media_type: &str) -> Value {
    match media_type {
        json if json.ends_with("json") => json!({ "anyOf": [{ "type": "object" }, { "type": "array", "items": {} }] }),
        text if text.starts_with("text/") => json!({ "type": "string" }),
        _ => json!({ "type": "string", "format": "binary" }),
    }
}

/// An answer that is neither the usual success nor a refusal.
fn moved_or_unchanged(endpoint: &Endpoint, status: u16, when: &str) -> Value {
    let mut response = json!({ "description": when });
    if status < 300 && !endpoint.details.sent.is_empty() {
        let types = endpoint.details.sent.iter().map(|name| ((*name).to_owned(), json!({ "schema": bytes_of(name) })));
        set(&mut response, "content", types.collect::<Map<_, _>>().into());
    }
    if (301..304).contains(&status) {
        set(&mut response, "headers", json!({ "Location": header("The other address.") }));
    }
    response
}
