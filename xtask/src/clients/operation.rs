//! What a client has to know of an operation of the API description.

use anyhow::{Context, Result};
use serde_json::{Map, Value};

const METHODS: [&str; 6] = ["get", "head", "post", "put", "patch", "delete"];
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";
/// Parameters of a query by which lists go that tell their further pages otherwise than in a described header.
const PAGE_PARAMETERS: [&str; 2] = ["num", "page[number]"];

/// An operation.
pub(super) struct Operation<'a> {
    pub(super) id: &'a str,
    pub(super) area: &'a str,
    pub(super) method: String,
    pub(super) path: &'a str,
    pub(super) summary: &'a str,
    pub(super) parameters: Vec<Parameter<'a>>,
    /// The ways in which a body may be sent, the simplest first.
    pub(super) bodies: Vec<Body>,
    /// Where a list with pages has its records: `Some("")` if the answer is the list itself.
    pub(super) records: Option<&'a str>,
    /// False if it takes no token in the header.
    pub(super) takes_token: bool,
}

/// A parameter of the path or of the query.
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    pub(super) in_path: bool,
    pub(super) required: bool,
}

/// A body that is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Json,
    /// Bytes or text of a type that the caller names.
    Bytes,
    /// Where there is no JSON.
    Form,
    /// Where there is nothing else.
    Multipart,
}

impl Operation<'_> {
    /// The parameters of the query.
    pub(super) fn queries(&self) -> impl Iterator<Item = &Parameter<'_>> {
        self.parameters.iter().filter(|parameter| !parameter.in_path)
    }

    /// The parameters of the path, in its order.
    pub(super) fn places(&self) -> impl Iterator<Item = &str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.split('}').next())
    }
}

/// All operations of the description, by area and then in the order of their paths.
pub(super) fn operations(description: &Value) -> Result<Vec<Operation<'_>>> {
    let paths = description.get("paths").and_then(Value::as_object).context("the description has no paths")?;
    let mut operations = Vec::new();
    for (path, item) in paths {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                let read = operation_of(description, path, method, operation);
                operations.push(read.with_context(|| format!("{method} {path}"))?);
            }
        }
    }
    operations.sort_by(|one, other| one.area.cmp(other.area));
    Ok(operations)
}

fn operation_of<'a>(
    description: &'a Value,
    path: &'a str,
    method: &str,
    operation: &'a Value,
) -> Result<Operation<'a>> {
    let text = |name: &str| operation.get(name).and_then(Value::as_str).with_context(|| format!("no {name}"));
    let parameters = parameters(operation)?;
    let success = success(operation);
    let has_pages = success.is_some_and(|answer| answer.pointer("/headers/Link").is_some())
        || parameters.iter().any(|parameter| PAGE_PARAMETERS.contains(&parameter.name));
    let records = success.filter(|_| has_pages).and_then(|answer| records(description, answer));
    Ok(Operation {
        id: text("operationId")?,
        area: operation.pointer("/tags/0").and_then(Value::as_str).context("no tag")?,
        method: method.to_ascii_uppercase(),
        path,
        summary: text("summary")?,
        parameters,
        bodies: bodies(operation),
        records,
        takes_token: takes_token(operation),
    })
}

fn parameters(operation: &Value) -> Result<Vec<Parameter<'_>>> {
    let listed = operation.get("parameters").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    listed.iter().filter_map(|listed| parameter(listed).transpose()).collect()
}

/// Headers are the business of the clients' core.
fn parameter(listed: &Value) -> Result<Option<Parameter<'_>>> {
    let text = |name: &str| listed.get(name).and_then(Value::as_str);
    let place = text("in").context("a parameter is nowhere")?;
    let name = text("name").context("a parameter has no name")?;
    let required = listed.get("required").and_then(Value::as_bool).unwrap_or(false);
    Ok((place != "header").then_some(Parameter { name, in_path: place == "path", required }))
}

fn bodies(operation: &Value) -> Vec<Body> {
    let types = operation.pointer("/requestBody/content").and_then(Value::as_object);
    let Some(types) = types else { return Vec::new() };
    let is_text = |media: &Value| media.pointer("/schema/type").is_some_and(|kind| kind == "string");
    let is_other = |kind: &str| ![JSON, FORM, MULTIPART].contains(&kind);
    let mut bodies = Vec::new();
    if types.contains_key(JSON) {
        bodies.push(Body::Json);
    }
    if types.iter().any(|(kind, media)| is_other(kind) && is_text(media)) {
        bodies.push(Body::Bytes);
    }
    if bodies.is_empty() {
        bodies.push(if types.contains_key(FORM) { Body::Form } else { Body::Multipart });
    }
    bodies
}

/// The answer of the lowest status of success that has one.
fn success(operation: &Value) -> Option<&Value> {
    let answers = operation.get("responses")?.as_object()?;
    answers.iter().find(|(status, _)| status.starts_with('2')).map(|(_, answer)| answer)
}

fn takes_token(operation: &Value) -> bool {
    let schemes = operation.get("security").and_then(Value::as_array);
    schemes.is_none_or(|schemes| schemes.iter().filter_map(Value::as_object).any(|scheme| !scheme.is_empty()))
}

/// The answer itself, or the one list in it.
fn records<'a>(description: &'a Value, answer: &'a Value) -> Option<&'a str> {
    let schema = resolved(description, answer.pointer("/content/application~1json/schema")?)?;
    if is_list(schema) {
        return Some("");
    }
    let members: &Map<String, Value> = schema.get("properties")?.as_object()?;
    let mut lists = members.iter().filter(|(_, member)| resolved(description, member).is_some_and(is_list));
    match (lists.next(), lists.next()) {
        (Some((name, _)), None) => Some(name),
        _ => None,
    }
}

fn is_list(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "array",
        Some(Value::Array(kinds)) => kinds.contains(&"array".into()),
        _ => false,
    }
}

fn resolved<'a>(description: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(place) => resolved(description, description.pointer(place.strip_prefix('#')?)?),
        None => Some(schema),
    }
}
