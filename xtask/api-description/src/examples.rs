//! Recorded examples: a request and its answer for each operation, as the contract tests have made them.
//!
//! The file `examples.json` holds them by operation id. It need not name all: what it lacks has no recorded example.

mod constant;
mod recordings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::File;
use crate::members::{object, text};
use crate::site::schema::{resolved, types};

pub use recordings::{Operations, Recording};

/// The examples by the ids of their operations.
pub(crate) type Examples = BTreeMap<String, Example>;

/// A request and its answer, without what differs from one time to the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Example {
    /// The path as it was called.
    pub(crate) path: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) query: String,
    /// The body of the request, where that was JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) request: Option<Value>,
    pub(crate) status: u16,
    /// The body of the answer, where that was JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<Value>,
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples.json")
}

/// The examples that were recorded last.
pub(crate) fn recorded() -> Result<Examples> {
    let path = path();
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} holds no examples", path.display()))
}

/// The file of examples with those that a folder of recordings brings. What it has for other operations stays.
pub fn renewed(folder: &Path) -> Result<File> {
    let mut examples = recorded()?;
    examples.extend(recordings::read(folder)?);
    let known: Vec<_> = crate::areas().iter().flat_map(|area| area.endpoints().iter().map(|one| one.id)).collect();
    examples.retain(|id, _| known.contains(&id.as_str()));
    Ok(File { path: path(), text: format!("{:#}\n", serde_json::to_value(&examples)?) })
}

/// Writes the examples into a description: of bodies beside the schemas of what was sent and answered, of parameters of
/// paths beside these.
pub(crate) fn describe(description: &mut Value, examples: &Examples) {
    let whole = description.clone();
    let paths = description.get_mut("paths").and_then(Value::as_object_mut).into_iter().flatten();
    for (template, methods) in paths {
        for (_, operation) in methods.as_object_mut().into_iter().flatten() {
            let Some(example) = examples.get(text(operation.get("operationId"))) else { continue };
            let answered = format!("/responses/{}/content", example.status);
            for (place, body) in [("/requestBody/content", &example.request), (&answered, &example.answer)] {
                if let (Some(content), Some(body)) = (operation.pointer_mut(place), body) {
                    add(&whole, content, body);
                }
            }
            let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten();
            let of_path = parameters.filter(|parameter| text(parameter.get("in")) == "path");
            for parameter in of_path.filter_map(Value::as_object_mut) {
                let place = format!("{{{}}}", text(parameter.get("name")));
                let is_there = |(segment, _): &(&str, &str)| *segment == place;
                let value = template.split('/').zip(example.path.split('/')).find(is_there).map(|(_, value)| value);
                let is_text =
                    parameter.get("schema").is_some_and(|schema| schema.get("type") == Some(&json!("string")));
                let number = value.filter(|_| !is_text).and_then(|value| value.parse::<i64>().ok());
                if let Some(example) = number.map(Value::from).or_else(|| value.map(Value::from)) {
                    parameter.entry("example").or_insert(example);
                }
            }
        }
    }
}

/// Adds an example to the one type of the content that is JSON, unless that has examples by its declaration.
fn add(description: &Value, content: &mut Value, body: &Value) {
    let types = content.as_object_mut().into_iter().flatten();
    let described = types.filter(|(name, _)| name.ends_with("json")).map(|(_, described)| described);
    for described in described.filter_map(Value::as_object_mut) {
        if !described.contains_key("example") {
            let body = fitted(description, described.get("schema"), body);
            described.entry("examples").or_insert_with(|| json!({ "recorded": { "value": body } }));
        }
    }
}

/// The value with numbers as text where the schema has text: an id is taken in both forms, and described in one.
fn fitted(description: &Value, schema: Option<&Value>, value: &Value) -> Value {
    let schema = schema.and_then(|schema| resolved(description, schema));
    let part = |name: &str| schema.and_then(|schema| schema.get(name));
    match value {
        Value::Number(number) if schema.is_some_and(is_text) => Value::String(number.to_string()),
        Value::Array(elements) => {
            elements.iter().map(|element| fitted(description, part("items"), element)).collect::<Vec<_>>().into()
        }
        Value::Object(members) => {
            let property = |name: &str| part("properties").and_then(|properties| properties.get(name));
            let member = |(name, value): (&String, &Value)| (name.clone(), fitted(description, property(name), value));
            Value::Object(members.iter().map(member).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn is_text(schema: &Value) -> bool {
    let types = types(schema);
    types.contains(&"string") && types.iter().all(|name| ["string", "null"].contains(name))
}

/// The example that an operation's declaration has for a body, by the content of it.
pub(crate) fn declared(content: Option<&Value>) -> Option<&Value> {
    let (_, described) = object(content).find(|(name, _)| name.ends_with("json"))?;
    let (_, example) = object(described.get("examples")).next().unzip();
    described.get("example").or_else(|| example?.get("value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stands_in_an_example_in_the_form_that_is_described() {
        let id = json!({ "type": ["string", "null"] });
        let form = json!({ "type": "object", "properties": { "user_id": id, "points": { "type": "number" } } });
        let description = json!({ "components": { "schemas": { "Form": form } } });
        let schema = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Form" } });
        let sent = json!([{ "user_id": 7, "points": 7, "other": 7 }]);
        let expected = json!([{ "user_id": "7", "points": 7, "other": 7 }]);
        assert_eq!(fitted(&description, Some(&schema), &sent), expected);
    }

    #[test]
    fn an_example_stands_beside_the_schemas_of_its_operation() {
        let content = || json!({ "content": { "application/json": { "schema": {} } } });
        let id = json!({ "name": "id", "in": "path" });
        let mut description = json!({ "paths": { "/courses/{id}/polls": {
            "post": {
                "operationId": "create_poll", "parameters": [id],
                "requestBody": content(), "responses": { "200": content() },
            },
            "get": { "operationId": "list_polls", "responses": { "200": content() } },
        } } });
        let example = Example {
            path: "/courses/2/polls".to_owned(),
            query: String::new(),
            request: Some(json!({ "question": "Ready?" })),
            status: 200,
            answer: Some(json!({ "id": 1 })),
        };
        describe(&mut description, &Examples::from([("create_poll".to_owned(), example)]));
        let post = &description["paths"]["/courses/{id}/polls"]["post"];
        assert_eq!(post["parameters"][0]["example"], 2);
        assert_eq!(declared(post.pointer("/requestBody/content")), Some(&json!({ "question": "Ready?" })));
        assert_eq!(declared(post.pointer("/responses/200/content")), Some(&json!({ "id": 1 })));
        let get = &description["paths"]["/courses/{id}/polls"]["get"];
        assert_eq!(declared(get.pointer("/responses/200/content")), None);
    }

    #[test]
    fn no_recorded_example_has_a_secret_or_an_address_that_carries_a_right() {
        for (id, example) in recorded().unwrap() {
            let text = serde_json::to_string(&example).unwrap();
            assert_eq!(constant::secret_in(&text), None, "{id}");
        }
    }
}
