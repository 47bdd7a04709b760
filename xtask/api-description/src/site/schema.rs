//! Schemas: what they refer to, and a value that fits one.

use serde_json::{Map, Value, json};

use crate::members::{list, object, text};

/// The depth to which a made-up value goes.
const MAX_DEPTH: usize = 5;

/// Of a type and null, the type.
pub(crate) fn without_null(schema: &Value) -> &Value {
    match choices(schema).as_slice() {
        [only] => only,
        _ => schema,
    }
}

/// The schemas of which a value fits one, without that of null.
pub(crate) fn choices(schema: &Value) -> Vec<&Value> {
    let all = ["anyOf", "oneOf"].into_iter().flat_map(|word| list(schema.get(word)));
    all.filter(|one| one.get("type") != Some(&"null".into())).collect()
}

/// The schema itself, where another refers to it or allows null beside it.
pub(crate) fn resolved<'a>(description: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let schema = without_null(schema);
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => resolved(description, description.pointer(reference.trim_start_matches('#'))?),
        None => Some(schema),
    }
}

/// The names of a schema's types.
pub(crate) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A value that fits the schema, where nothing was recorded: of its required members, or of the first where none is.
pub(crate) fn made_up(description: &Value, schema: &Value) -> Value {
    value(description, "", schema, MAX_DEPTH)
}

fn value(description: &Value, name: &str, schema: &Value, depth: usize) -> Value {
    let Some(schema) = resolved(description, schema).filter(|_| depth > 0) else { return Value::Null };
    let given =
        schema.get("example").or_else(|| schema.get("default")).or_else(|| list(schema.get("examples")).first());
    let given = given.or_else(|| schema.get("const")).or_else(|| list(schema.get("enum")).first());
    if let Some(given) = given {
        return given.clone();
    }
    if let Some(first) = ["oneOf", "anyOf", "allOf"].iter().find_map(|key| list(schema.get(*key)).first()) {
        return value(description, name, first, depth - 1);
    }
    let kinds = types(schema);
    match kinds.first().copied() {
        Some("object") | None if schema.get("properties").is_some() => members(description, schema, depth),
        Some("array") => match schema.get("items") {
            Some(items) => json!([value(description, name.trim_end_matches('s'), items, depth - 1)]),
            None => json!([]),
        },
        Some("boolean") => json!(true),
        Some("integer") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("number") => json!(1.0),
        Some("string") => json!(word(name, text(schema.get("format")))),
        None if ["id", "_count", "_points", "position"].iter().any(|end| name.ends_with(end)) => json!(1),
        _ => json!({}),
    }
}

fn members(description: &Value, schema: &Value, depth: usize) -> Value {
    let required = list(schema.get("required"));
    let is_required = |name: &str| required.iter().any(|required| required == name);
    let properties = || object(schema.get("properties"));
    let count = if required.is_empty() { 2 } else { usize::MAX };
    let shown = properties().filter(|(name, _)| required.is_empty() || is_required(name)).take(count);
    let shown = shown.map(|(name, property)| (name.clone(), value(description, name, property, depth - 1)));
    Value::Object(shown.collect::<Map<_, _>>())
}

fn word(name: &str, format: &str) -> String {
    match format {
        "date-time" => "2026-03-04T05:06:07Z".to_owned(),
        "date" => "2026-03-04".to_owned(),
        "uuid" => "00000000-0000-4000-8000-000000000001".to_owned(),
        "uri" => "https://example.org".to_owned(),
        _ if name.ends_with("_at") || name.ends_with("_date") => "2026-03-04T05:06:07Z".to_owned(),
        _ if name.contains("email") => "ada@example.org".to_owned(),
        _ if name.ends_with("url") || name.ends_with("uri") || name.ends_with("Url") => {
            "https://example.org".to_owned()
        }
        _ if name.is_empty() => "text".to_owned(),
        _ => name.replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_up_value_has_what_is_required() {
        let choice = json!({ "type": "object", "properties": { "at": { "type": "string", "format": "date-time" } } });
        let description = json!({ "components": { "schemas": { "Poll": {
            "type": "object", "required": ["question", "choices"],
            "properties": {
                "question": { "type": "string" }, "note": { "type": "string" },
                "choices": { "type": "array", "items": choice },
            },
        } } } });
        let schema = json!({ "anyOf": [{ "$ref": "#/components/schemas/Poll" }, { "type": "null" }] });
        let expected = json!({ "question": "question", "choices": [{ "at": "2026-03-04T05:06:07Z" }] });
        assert_eq!(made_up(&description, &schema), expected);
        assert_eq!(made_up(&description, &json!({ "enum": ["a", "b"] })), json!("a"));
    }

    #[test]
    fn a_type_that_holds_itself_ends() {
        let description = json!({ "components": { "schemas": { "Node": {
            "type": "object", "properties": { "node": { "$ref": "#/components/schemas/Node" } },
        } } } });
        let text = made_up(&description, &json!({ "$ref": "#/components/schemas/Node" })).to_string();
        assert!(text.len() < 100, "{text}");
    }
}
