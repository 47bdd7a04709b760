//! Tables of fields, and types in words.

use std::collections::BTreeSet;

use maud::{Markup, html};
use serde_json::Value;

use super::catalogue::Operation;
use super::operation::prose;
use super::schema::{choices, resolved, types, without_null};
use crate::members::{list, object, text};
use crate::references::{self, NAMED};

/// The depth to which the fields of a body are shown.
const MAX_DEPTH: usize = 5;

/// A row of a table of fields.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Markup,
    pub(crate) about: String,
    pub(crate) is_required: bool,
    /// The place of a parameter: `path`, `query` or `header`; empty for a field of a body.
    pub(crate) place: String,
}

/// What is needed to say of which types fields are.
pub(crate) struct Fields<'a> {
    pub(crate) description: &'a Value,
    /// The word with which the names of the area's types begin.
    prefix: String,
    /// The records that the page shows.
    records: BTreeSet<&'a str>,
}

impl<'a> Fields<'a> {
    /// For a page with these operations and webhooks of an area.
    pub(crate) fn new(
        description: &'a Value,
        area: &str,
        operations: &[&Operation<'a>],
        webhooks: &[(&'a str, &'a Value)],
    ) -> Self {
        let words = area.split('-').map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
        });
        let mut fields = Self { description, prefix: words.collect(), records: BTreeSet::new() };
        fields.records = fields.records_of(operations, webhooks);
        fields
    }

    /// The name of a type without that of its area.
    pub(crate) fn short<'n>(&self, name: &'n str) -> &'n str {
        name.strip_prefix(self.prefix.as_str()).filter(|short| !short.is_empty()).unwrap_or(name)
    }

    pub(crate) fn named(&self, name: &str) -> Option<&'a Value> {
        references::named(self.description, name)
    }

    /// The names of the records that the page shows.
    pub(crate) fn records(&self) -> &BTreeSet<&'a str> {
        &self.records
    }

    /// The names of the records that operations answer and webhooks send, of those that a sent record is one of, and of those
    /// that stand in these.
    fn records_of(&self, operations: &[&Operation<'a>], webhooks: &[(&'a str, &'a Value)]) -> BTreeSet<&'a str> {
        let mut names = BTreeSet::new();
        for (_, schema) in operations.iter().flat_map(|operation| answers(operation.value)) {
            self.add_names(schema, &mut names);
        }
        for (_, webhook) in webhooks {
            self.add_names(webhook, &mut names);
        }
        let mut sent = BTreeSet::new();
        for schema in operations.iter().filter_map(|operation| operation.value.get("requestBody")) {
            self.add_names(schema, &mut sent);
        }
        for choice in sent.into_iter().filter_map(|name| self.named(name)).map(choices).filter(|all| all.len() > 1) {
            choice.into_iter().for_each(|schema| self.add_names(schema, &mut names));
        }
        names.retain(|name| self.named(name).is_some_and(is_record));
        names
    }

    fn add_names(&self, part: &'a Value, names: &mut BTreeSet<&'a str>) {
        references::add_names(self.description, part, names);
    }

    /// The table of the fields of a record.
    pub(crate) fn of_record(&self, schema: Option<&'a Value>) -> Markup {
        table("Fields", &self.below("", schema, 1))
    }

    /// The table of the fields of a body.
    pub(crate) fn of_body(&self, schema: Option<&'a Value>) -> Markup {
        table("Body", &self.below("", schema, MAX_DEPTH))
    }

    /// The table of the parameters of an operation.
    pub(crate) fn of_parameters(&self, operation: &'a Value) -> Markup {
        let fields = list(operation.get("parameters")).iter().map(|parameter| Field {
            name: text(parameter.get("name")).to_owned(),
            kind: self.kind(parameter.get("schema")),
            about: text(parameter.get("description")).to_owned(),
            is_required: parameter.get("required") == Some(&Value::Bool(true)),
            place: text(parameter.get("in")).to_owned(),
        });
        table("Parameters", &fields.collect::<Vec<_>>())
    }

    /// The fields of a schema, those of its parts behind each with the way to them.
    fn below(&self, prefix: &str, schema: Option<&'a Value>, levels: usize) -> Vec<Field> {
        let schema = schema.and_then(|schema| resolved(self.description, schema)).filter(|_| levels > 0);
        let Some(schema) = schema else { return Vec::new() };
        if let Some(items) = schema.get("items") {
            return self.below(&format!("{prefix}[]"), Some(items), levels - 1);
        }
        let required = list(schema.get("required"));
        let fields = object(schema.get("properties")).flat_map(|(name, property)| {
            let is_required = levels > 1 && required.iter().any(|required| required == name);
            let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}[{name}]") };
            let about =
                property.get("description").or_else(|| resolved(self.description, property)?.get("description"));
            let kind = if levels > 1 { self.shape(Some(property)) } else { self.kind(Some(property)) };
            let (about, place) = (text(about).to_owned(), String::new());
            let field = Field { name: name.clone(), kind, about, is_required, place };
            std::iter::once(field).chain(self.below(&name, Some(property), levels - 1))
        });
        fields.collect()
    }

    /// A type, by its name if it is a record.
    pub(crate) fn kind(&self, schema: Option<&'a Value>) -> Markup {
        let schema = schema.map(without_null);
        if let Some(items) = schema.and_then(|schema| schema.get("items")) {
            return html! { "list of " (self.kind(Some(items))) };
        }
        let reference = schema.and_then(|schema| schema.get("$ref")?.as_str()?.strip_prefix(NAMED));
        match reference.filter(|name| self.records.contains(name)) {
            Some(name) => html! { a href={ "#record-" (name) } { (self.short(name)) } },
            None => self.shape(schema),
        }
    }

    /// A type, by what it is.
    pub(crate) fn shape(&self, schema: Option<&'a Value>) -> Markup {
        let Some(own) = schema else { return html! { "any" } };
        let Some(schema) = resolved(self.description, own) else { return html! { "any" } };
        if let Some(items) = schema.get("items") {
            return html! { "list of " (self.shape(Some(items))) (bounds(schema)) };
        }
        let others = choices(schema);
        if others.len() > 1 {
            return html! {
                @for (number, other) in others.into_iter().enumerate() {
                    @if number > 0 { " or " }
                    (self.kind(Some(other)))
                }
            };
        }
        if let Some(only) = schema.get("const") {
            return html! { code { (plain(only)) } };
        }
        let choices: Vec<_> = list(schema.get("enum")).iter().filter(|one| !one.is_null()).map(plain).collect();
        let types = types(schema);
        html! {
            @if !choices.is_empty() {
                @for (number, choice) in choices.iter().enumerate() {
                    @if number > 0 { " | " }
                    code { (choice) }
                }
            } @else if types.is_empty() {
                "any"
            } @else {
                (types.join(" or "))
            }
            (bounds(schema))
        }
    }
}

/// True for what has fields, or is one of several such.
fn is_record(schema: &Value) -> bool {
    schema.get("properties").is_some() || choices(schema).len() > 1
}

/// A value as it is written in words.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What a value of the type is limited to, and what it is unless given.
fn bounds(schema: &Value) -> Markup {
    let bound = |key: &str| schema.get(key).filter(|value| value.is_number()).map(Value::to_string);
    let range = match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) if least != "0" => Some(format!("from {least}")),
        (None, Some(most)) => Some(format!("up to {most}")),
        _ => None,
    };
    let length = bound("maxLength").map(|most| format!("{most} characters at most"));
    let elements = bound("maxItems").map(|most| format!("{most} at most"));
    let default = schema.get("default").filter(|value| !value.is_null());
    let default = default.map(|value| format!("default {}", plain(value)));
    let format = schema.get("format").and_then(Value::as_str).and_then(|format| match format {
        "date-time" => Some("ISO 8601".to_owned()),
        "uuid" | "date" | "uri" | "email" => Some(format.to_owned()),
        _ => None,
    });
    html! { @for part in [format, range, length, elements, default].into_iter().flatten() { ", " (part) } }
}

/// A table of fields; nothing where there is none.
fn table(caption: &str, fields: &[Field]) -> Markup {
    html! {
        @if !fields.is_empty() {
            div.scroll tabindex="0" role="group" aria-label=(caption) {
                table data-kind=(caption) {
                    thead { tr { th { (caption) } th { "Type" } th { "Meaning" } } }
                    tbody {
                        @for Field { name, kind, about, is_required, place } in fields {
                            @let shown = (!place.is_empty()).then_some(place);
                            tr data-in=[shown] {
                                th scope="row" {
                                    code { (breakable(name)) }
                                    @if *is_required { span.required { "required" } }
                                }
                                td { (kind) @if let Some(place) = shown { ", " (place) } }
                                td { (prose(about)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A name with brackets, which may go on in a new line before each of them.
fn breakable(name: &str) -> Markup {
    html! {
        @for (number, part) in name.split('[').enumerate() {
            @if number > 0 { wbr; "[" }
            (part)
        }
    }
}

/// The answers of success that have a body of JSON: status and schema.
pub(crate) fn answers(operation: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let successes = object(operation.get("responses")).filter(|(status, _)| status.starts_with('2'));
    successes.filter_map(|(status, response)| Some((status.as_str(), json_schema(response.get("content")?)?)))
}

/// The schema of a body that is JSON.
pub(crate) fn json_schema(content: &Value) -> Option<&Value> {
    let (_, described) = object(Some(content)).find(|(name, _)| name.ends_with("json"))?;
    described.get("schema")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_stand_with_the_way_to_them_and_lead_to_records() {
        let question = json!({ "type": ["string", "null"], "description": "What is `asked`", "maxLength": 255 });
        let poll = json!({ "type": "object", "required": ["question"], "properties": { "question": question } });
        let description = json!({ "components": { "schemas": { "PollsPoll": poll } } });
        let polls = json!({ "type": "array", "items": { "$ref": "#/components/schemas/PollsPoll" } });
        let answer = json!({ "responses": { "200": { "content": { "application/json": { "schema": polls } } } } });
        let operation = Operation { id: "list_polls", method: "get", path: "/polls", value: &answer };
        let fields = Fields::new(&description, "polls", &[&operation], &[]);
        assert_eq!(fields.kind(Some(&polls)).into_string(), "list of <a href=\"#record-PollsPoll\">Poll</a>");
        let body = json!({ "properties": { "polls": polls } });
        let table = fields.of_body(Some(&body)).into_string();
        for part in [
            "<code>polls<wbr>[]<wbr>[question]</code><span class=\"required\">required</span></th>",
            "<td>string or null, 255 characters at most</td><td>What is <code>asked</code></td>",
        ] {
            assert!(table.contains(part), "{part} is not in {table}");
        }
    }

    #[test]
    fn bounds_are_said_in_words() {
        let said = |schema: Value| bounds(&schema).into_string();
        assert_eq!(said(json!({ "minimum": 1, "maximum": 100, "default": 10 })), ", 1 to 100, default 10");
        assert_eq!(said(json!({ "format": "date-time" })), ", ISO 8601");
        assert_eq!(said(json!({ "format": "int64", "minimum": 0 })), "");
    }
}
