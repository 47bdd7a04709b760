//! The changes of the API that break a client of an older one, as two descriptions tell them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::members::{list, object, text};

/// The depth to which bodies are compared.
const MAX_DEPTH: usize = 6;
/// The depth to which choices between types are followed: each name on the way to a type is one step, and each choice.
const MAX_CHOICES: usize = 12;

/// A field of a body, or a parameter.
#[derive(Debug, Default)]
struct Field {
    is_required: bool,
    /// The types that its value may have; empty: any.
    types: BTreeSet<String>,
    /// The values that it may have; empty: any of its types.
    choices: BTreeSet<String>,
}

impl Field {
    fn of(document: &Value, schema: &Value, is_required: bool) -> Self {
        let mut field = Self { is_required, ..Self::default() };
        for schema in alternatives(document, schema, MAX_CHOICES) {
            match schema.get("type") {
                Some(Value::String(one)) => field.types.extend([one.clone()]),
                Some(Value::Array(several)) => {
                    field.types.extend(several.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                _ => {}
            }
            let choices = list(schema.get("enum")).iter().chain(schema.get("const"));
            field.choices.extend(choices.map(ToString::to_string));
        }
        // Whoever takes any number takes whole ones.
        if field.types.contains("number") {
            field.types.insert("integer".to_owned());
        }
        field
    }

    /// True if what was taken is not any more.
    fn is_narrower_than(&self, old: &Self) -> bool {
        let narrower =
            |new: &BTreeSet<String>, old: &BTreeSet<String>| !new.is_empty() && (old.is_empty() || !old.is_subset(new));
        narrower(&self.types, &old.types) || narrower(&self.choices, &old.choices)
    }
}

type Fields = BTreeMap<String, Field>;

/// The changes from one document to another that break clients, each as the operation's id and what it lost.
pub fn breaking_changes(old: &Value, new: &Value) -> Vec<(String, String)> {
    let after = operations(new);
    let mut changes = Vec::new();
    for (address, operation) in operations(old) {
        let id = text(operation.get("operationId"));
        let mut lost = |what: String| changes.push((id.to_owned(), what));
        let Some(now) = after.get(&address) else {
            lost(format!("{address} is gone"));
            continue;
        };
        for status in statuses(operation).filter(|status| !statuses(now).any(|other| other == *status)) {
            lost(format!("it does not answer {status} any more"));
        }
        taken(&parameters(old, operation), &parameters(new, now), "parameter", &mut lost);
        let sent = |document, operation: &Value| body_fields(document, operation.pointer("/requestBody"));
        taken(&sent(old, operation), &sent(new, now), "field of the body", &mut lost);
        let (had, has) = (answered(old, operation), answered(new, now));
        for (name, field) in had.iter().filter(|(_, field)| field.is_required) {
            match has.get(name) {
                Some(now) if now.is_required && !field.is_narrower_than(now) => {}
                Some(now) if now.is_required => lost(format!("{name} of the answer may be of further types")),
                _ => lost(format!("{name} of the answer is not always there any more")),
            }
        }
    }
    changes
}

/// A document without its words: as much of it as the comparison reads.
pub fn outline(document: &Value) -> Value {
    const WORDS: [&str; 10] = [
        "description",
        "summary",
        "examples",
        "tags",
        "security",
        "securitySchemes",
        "x-scope",
        "info",
        "servers",
        "headers",
    ];
    fn without_words(value: &Value, are_names: bool) -> Value {
        match value {
            Value::Object(members) => {
                let kept = members.iter().filter(|(name, _)| are_names || !WORDS.contains(&name.as_str()));
                // In these the names are those of fields, types and statuses.
                let name_things = |name: &str| !are_names && ["properties", "schemas"].contains(&name);
                kept.map(|(name, member)| (name.clone(), without_words(member, name_things(name)))).collect()
            }
            Value::Array(elements) => elements.iter().map(|element| without_words(element, false)).collect(),
            other => other.clone(),
        }
    }
    without_words(document, false)
}

/// Compares what is taken of clients.
fn taken(old: &Fields, new: &Fields, kind: &str, lost: &mut impl FnMut(String)) {
    for (name, field) in old {
        match new.get(name) {
            None => lost(format!("the {kind} {name} is gone")),
            Some(now) if now.is_narrower_than(field) => lost(format!("the {kind} {name} takes less")),
            Some(now) if now.is_required && !field.is_required => lost(format!("the {kind} {name} must be sent now")),
            Some(_) => {}
        }
    }
    for (name, _) in new.iter().filter(|(name, field)| field.is_required && !old.contains_key(*name)) {
        lost(format!("the {kind} {name} is new and must be sent"));
    }
}

/// The operations by method and path.
fn operations(document: &Value) -> BTreeMap<String, &Value> {
    let paths = object(document.get("paths"));
    let operations = paths.flat_map(|(path, item)| {
        object(Some(item))
            .map(move |(method, operation)| (format!("{} {path}", method.to_ascii_uppercase()), operation))
    });
    operations.collect()
}

fn statuses(operation: &Value) -> impl Iterator<Item = &String> {
    object(operation.get("responses")).map(|(status, _)| status)
}

fn parameters(document: &Value, operation: &Value) -> Fields {
    let named = list(operation.get("parameters")).iter().map(|parameter| {
        let name = format!("{} in the {}", text(parameter.get("name")), text(parameter.get("in")));
        let is_required = parameter.get("required") == Some(&Value::Bool(true));
        (name, Field::of(document, parameter.get("schema").unwrap_or(&Value::Null), is_required))
    });
    named.collect()
}

fn answered(document: &Value, operation: &Value) -> Fields {
    let success = object(operation.get("responses")).find(|(status, _)| status.starts_with('2'));
    body_fields(document, success.map(|(_, response)| response))
}

/// The fields of a message's JSON body, each with the way to it.
fn body_fields(document: &Value, message: Option<&Value>) -> Fields {
    let mut fields = Fields::new();
    if let Some(schema) = message.and_then(|message| message.pointer("/content/application~1json/schema")) {
        collect(document, schema, "", &mut Vec::new(), &mut fields);
    }
    fields
}

/// Adds the fields of a schema; `within` are those that it is a part of, as types may have parts of their own type.
fn collect<'a>(document: &'a Value, schema: &'a Value, prefix: &str, within: &mut Vec<&'a Value>, fields: &mut Fields) {
    if within.len() == MAX_DEPTH || within.iter().any(|outer| std::ptr::eq(*outer, schema)) {
        return;
    }
    let alternatives = alternatives(document, schema, MAX_CHOICES);
    let objects = alternatives.iter().filter(|schema| schema.get("properties").is_some()).count();
    for schema in alternatives {
        if within.iter().any(|outer| std::ptr::eq(*outer, schema)) {
            continue;
        }
        within.push(schema);
        if let Some(items) = schema.get("items") {
            collect(document, items, &format!("{prefix}[]"), within, fields);
        }
        for (name, property) in object(schema.get("properties")) {
            // A field of one shape among several is there in this shape alone.
            let is_required = objects == 1 && list(schema.get("required")).iter().any(|required| required == name);
            let place = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            fields.entry(place.clone()).or_insert_with(|| Field::of(document, property, is_required));
            collect(document, property, &place, within, fields);
        }
        within.pop();
    }
}

/// The schemas of which a value fits one, without references.
fn alternatives<'a>(document: &'a Value, schema: &'a Value, depth: usize) -> Vec<&'a Value> {
    if depth == 0 {
        return Vec::new();
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let named = document.pointer(reference.trim_start_matches('#'));
        return named.map(|named| alternatives(document, named, depth - 1)).unwrap_or_default();
    }
    let choices = ["anyOf", "oneOf", "allOf"].into_iter().flat_map(|word| list(schema.get(word)));
    let mut all: Vec<_> = choices.flat_map(|choice| alternatives(document, choice, depth - 1)).collect();
    all.push(schema);
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A poll that is read and changed.
    fn document() -> Value {
        json!({
            "paths": { "/polls/{id}": { "put": {
                "operationId": "update_poll",
                "parameters": [
                    { "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } },
                    { "name": "order", "in": "query", "schema": { "type": "string", "enum": ["name", "id"] } },
                ],
                "requestBody": { "content": { "application/json": { "schema": {
                    "properties": { "polls": { "type": "array", "items": { "$ref": "#/components/schemas/Poll" } } },
                } } } },
                "responses": {
                    "200": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Poll" } } } },
                    "404": {},
                },
            } } },
            "components": { "schemas": { "Poll": {
                "required": ["question"],
                "properties": {
                    "question": { "type": ["string", "null"] },
                    "part": { "anyOf": [{ "$ref": "#/components/schemas/Poll" }, { "type": "null" }] },
                },
            } } },
        })
    }

    fn changed(pointer: &str, value: Value) -> Vec<String> {
        let mut new = document();
        *new.pointer_mut(pointer).unwrap() = value;
        breaking_changes(&document(), &new)
            .into_iter()
            .map(|(operation, what)| format!("{operation}: {what}"))
            .collect()
    }

    #[test]
    fn what_stays_or_is_added_breaks_nothing() {
        assert!(breaking_changes(&document(), &document()).is_empty());
        let parameters = json!([
            { "name": "id", "in": "path", "required": true, "schema": { "type": ["integer", "string"] } },
            { "name": "order", "in": "query", "schema": { "type": "string", "enum": ["name", "id", "date"] } },
            { "name": "new", "in": "query", "schema": { "type": "string" } },
        ]);
        assert!(changed("/paths/~1polls~1{id}/put/parameters", parameters).is_empty());
        assert!(breaking_changes(&json!({}), &document()).is_empty());
    }

    #[test]
    fn what_goes_is_told_with_its_operation() {
        assert_eq!(changed("/paths", json!({})), ["update_poll: PUT /polls/{id} is gone"]);
        let statuses = json!({ "200": document().pointer("/paths/~1polls~1{id}/put/responses/200") });
        let told = changed("/paths/~1polls~1{id}/put/responses", statuses);
        assert_eq!(told, ["update_poll: it does not answer 404 any more"]);
        let told = changed("/components/schemas/Poll/required", json!([]));
        assert_eq!(told, ["update_poll: question of the answer is not always there any more"]);
        let told = changed("/paths/~1polls~1{id}/put/parameters", json!([]));
        assert_eq!(
            told,
            [
                "update_poll: the parameter id in the path is gone",
                "update_poll: the parameter order in the query is gone",
            ]
        );
    }

    #[test]
    fn what_takes_less_or_asks_for_more_is_told() {
        let told = changed("/paths/~1polls~1{id}/put/parameters/1/schema/enum", json!(["name"]));
        assert_eq!(told, ["update_poll: the parameter order in the query takes less"]);
        let told = changed("/paths/~1polls~1{id}/put/parameters/1/schema", json!({ "type": "boolean" }));
        assert_eq!(told, ["update_poll: the parameter order in the query takes less"]);
        let more = json!({ "name": "order", "in": "query", "required": true, "schema": { "type": "string" } });
        let told = changed("/paths/~1polls~1{id}/put/parameters/1", more);
        assert_eq!(told, ["update_poll: the parameter order in the query must be sent now"]);
        let told = changed(
            "/paths/~1polls~1{id}/put/requestBody/content/application~1json/schema",
            json!({ "required": ["key"], "properties": {
                "key": { "type": "string" },
                "polls": { "type": "array", "items": { "$ref": "#/components/schemas/Poll" } },
            } }),
        );
        assert_eq!(told, ["update_poll: the field of the body key is new and must be sent"]);
    }

    #[test]
    fn an_outline_compares_as_the_document_does() {
        let mut document = document();
        document["paths"]["/polls/{id}"]["put"]["description"] = json!("Changes a poll.");
        document["components"]["schemas"]["Poll"]["properties"]["description"] = json!({ "type": "string" });
        let outline = outline(&document);
        assert!(outline.pointer("/paths/~1polls~1{id}/put/description").is_none());
        assert!(outline.pointer("/components/schemas/Poll/properties/description").is_some());
        assert!(breaking_changes(&outline, &document).is_empty() && breaking_changes(&document, &outline).is_empty());
    }

    #[test]
    fn an_answer_of_further_types_is_told() {
        let told =
            changed("/components/schemas/Poll/properties/question", json!({ "type": ["string", "null", "object"] }));
        assert_eq!(told.first().unwrap(), "update_poll: question of the answer may be of further types");
    }
}
