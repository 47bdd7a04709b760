//! The schemas of an area's types, as the description names and writes them.

use std::collections::BTreeSet;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The place where the description keeps the types of answers, and of what is sent where it is the same.
pub(super) const SCHEMAS: &str = "#/components/schemas/";
/// The place where those of what is sent are kept until it is known which of them differ.
pub(super) const SENT: &str = "#/components/sent/";

/// The types of an area: of what it answers, and of what it is sent. A field that is read and never written belongs to the
/// one only, and one that may be left out of a request may stand in every answer.
pub(super) struct Types {
    pub(super) answered: SchemaGenerator,
    pub(super) sent: SchemaGenerator,
}

impl Types {
    pub(super) fn new() -> Self {
        let with = |path: &str| {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = path.trim_start_matches('#').trim_end_matches('/').to_owned().into();
            settings
        };
        Self {
            answered: with(SCHEMAS).for_serialize().into_generator(),
            sent: with(SENT).for_deserialize().into_generator(),
        }
    }

    /// The schemas by their names, which begin with that of the area, and the names as operations are to write them.
    pub(super) fn named(mut self, prefix: &str) -> (Map<String, Value>, Names<'_>) {
        let (answered, sent) = (self.answered.take_definitions(true), self.sent.take_definitions(true));
        let mut differing: BTreeSet<String> = answered
            .iter()
            .filter(|(name, schema)| sent.get(*name).is_some_and(|sent| !same(sent, schema)))
            .map(|(name, _)| name.clone())
            .collect();
        // Whatever refers to a type that differs differs too.
        loop {
            let more: Vec<_> = sent
                .iter()
                .filter(|(name, schema)| {
                    answered.contains_key(*name) && !differing.contains(*name) && refers_to(schema, &differing)
                })
                .map(|(name, _)| name.clone())
                .collect();
            if more.is_empty() {
                break;
            }
            differing.extend(more);
        }
        let names = Names { prefix, differing };
        let mut schemas = Map::new();
        for (kept, types) in [(SENT, sent), (SCHEMAS, answered)] {
            for (name, mut schema) in types {
                names.write(&mut schema);
                schemas.insert(names.of(kept, &name), schema);
            }
        }
        (schemas, names)
    }
}

/// True if the schemas of what is sent and of what is answered are the same but for where they keep their types.
fn same(sent: &Value, answered: &Value) -> bool {
    match (sent, answered) {
        (Value::Object(sent), Value::Object(answered)) => {
            sent.len() == answered.len()
                && sent.iter().all(|(name, member)| answered.get(name).is_some_and(|other| same(member, other)))
        }
        (Value::Array(sent), Value::Array(answered)) => {
            sent.len() == answered.len() && sent.iter().zip(answered).all(|(sent, answered)| same(sent, answered))
        }
        (Value::String(sent), Value::String(answered)) => {
            sent == answered || sent.strip_prefix(SENT).is_some_and(|name| answered.strip_prefix(SCHEMAS) == Some(name))
        }
        _ => sent == answered,
    }
}

fn refers_to(schema: &Value, names: &BTreeSet<String>) -> bool {
    match schema {
        Value::Object(members) => members.values().any(|member| refers_to(member, names)),
        Value::Array(elements) => elements.iter().any(|element| refers_to(element, names)),
        Value::String(text) => text.strip_prefix(SENT).is_some_and(|name| names.contains(name)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The names of an area's types.
pub(super) struct Names<'a> {
    prefix: &'a str,
    /// Those that are sent otherwise than answered.
    differing: BTreeSet<String>,
}

impl Names<'_> {
    fn of(&self, kept: &str, name: &str) -> String {
        let sent = if kept == SENT && self.differing.contains(name) { "Sent" } else { "" };
        format!("{}{name}{sent}", self.prefix)
    }

    /// Lets all references lead to the types of the area. A schema that allows everything is an object without members,
    /// which more programs read than `true`; a default of null says nothing, and does not fit most types.
    pub(super) fn write(&self, schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                members.retain(|name, member| name != "default" || !member.is_null());
                enumerate(members);
                if members.get("type").is_some_and(|kind| kind == "array") && !members.contains_key("items") {
                    members.insert("items".to_owned(), json!({}));
                }
                for (name, member) in members {
                    match member {
                        Value::String(reference) => {
                            for kept in [SENT, SCHEMAS] {
                                if let Some(name) = reference.strip_prefix(kept) {
                                    *reference = format!("{SCHEMAS}{}", self.of(kept, name));
                                    break;
                                }
                            }
                        }
                        Value::Bool(true) if name == "schema" || name == "items" => *member = json!({}),
                        Value::Object(properties) if name == "properties" => {
                            for property in properties.values_mut() {
                                if *property == Value::Bool(true) {
                                    *property = json!({});
                                }
                                self.write(property);
                            }
                        }
                        member => self.write(member),
                    }
                }
            }
            Value::Array(elements) => elements.iter_mut().for_each(|element| self.write(element)),
            _ => {}
        }
    }
}

/// Writes a choice of words, each with its meaning, as an enumeration, which more programs read; the meanings go into its
/// description.
fn enumerate(schema: &mut Map<String, Value>) {
    let Some(choices) = schema.get("oneOf").and_then(Value::as_array) else { return };
    let (mut words, mut meanings) = (Vec::new(), Vec::new());
    for choice in choices {
        let meaning = choice.get("description").and_then(Value::as_str);
        match (choice.get("const").and_then(Value::as_str), choice.get("enum").and_then(Value::as_array)) {
            (Some(word), _) => {
                meanings.extend(meaning.map(|meaning| format!("- `{word}`: {meaning}")));
                words.push(Value::from(word));
            }
            (None, Some(several)) => words.extend(several.iter().cloned()),
            (None, None) => return,
        }
    }
    let about = schema.get("description").and_then(Value::as_str).map(str::to_owned);
    let description = about.into_iter().chain(std::iter::once(meanings.join("\n"))).collect::<Vec<_>>().join("\n\n");
    schema.remove("oneOf");
    schema.insert("type".to_owned(), "string".into());
    schema.insert("enum".to_owned(), words.into());
    if !description.trim().is_empty() {
        schema.insert("description".to_owned(), description.trim().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_meanings_are_an_enumeration() {
        let mut schema = json!({ "description": "Its state.", "oneOf": [
            { "const": "queued", "description": "It waits.", "type": "string" }, { "enum": ["sent", "dead"], "type": "string" },
        ] });
        enumerate(schema.as_object_mut().unwrap());
        let expected = json!({
            "type": "string", "enum": ["queued", "sent", "dead"], "description": "Its state.\n\n- `queued`: It waits.",
        });
        assert_eq!(schema, expected);
        let mut objects = json!({ "oneOf": [{ "type": "object" }, { "const": "x" }] });
        enumerate(objects.as_object_mut().unwrap());
        assert!(objects["oneOf"].is_array());
    }
}
