//! The description as a web page: no script, nothing from elsewhere, light or dark as the reader likes it.

use std::collections::BTreeSet;

use maud::{Markup, html};
use serde_json::Value;
use shared::html::{Page, Width};

use crate::members::{list, object, text};

/// The depth to which the fields of a body are shown.
const MAX_DEPTH: usize = 5;

/// Where the description keeps the types that have names.
const NAMED: &str = "#/components/schemas/";

/// The page for a description.
pub(crate) fn render(description: &Value) -> String {
    let reference = Reference { description };
    let version = text(description.pointer("/info/version"));
    let areas: Vec<_> =
        list(description.get("tags")).iter().map(|tag| (text(tag.get("name")), text(tag.get("description")))).collect();
    let header = html! {
        h1 { "Lectern API " (version) }
        p {
            (text(description.pointer("/info/description")))
            " The same for programs: " a href="/openapi.json" { "openapi.json" } "."
        }
        nav aria-label="Areas" {
            ul {
                @for (area, _) in &areas { li { a href={ "#" (area) } { (area) } } }
                li { a href="#records" { "Records" } }
            }
        }
    };
    let content = html! {
        @for (area, about) in &areas { (reference.area(area, about)) }
        (reference.records())
    };
    let title = format!("API {version}");
    let style = include_str!("page.css");
    let page = Page { title: &title, width: Width::Wide, style, header: Some(&header), ..Page::default() };
    // One line for each endpoint and record keeps changes readable.
    page.document(&content).replace("<article", "\n<article").replace("<section", "\n<section") + "\n"
}

struct Reference<'a> {
    description: &'a Value,
}

/// A row of a table of fields.
struct Field {
    name: String,
    kind: Markup,
    about: String,
}

impl Reference<'_> {
    fn operations(&self) -> impl Iterator<Item = (&String, &String, &Value)> {
        let paths = object(self.description.get("paths"));
        paths.flat_map(|(path, item)| object(Some(item)).map(move |(method, operation)| (path, method, operation)))
    }

    fn area(&self, area: &str, about: &str) -> Markup {
        html! {
            section aria-labelledby=(area) {
                h2 id=(area) { (area) }
                @if !about.is_empty() { p { (about) } }
                @for (path, method, operation) in self.operations() {
                    @if list(operation.get("tags")).iter().any(|tag| tag == area) {
                        (self.operation(path, method, operation))
                    }
                }
            }
        }
    }

    fn operation(&self, path: &str, method: &str, operation: &Value) -> Markup {
        let id = format!("{method}{}", path.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        let parameters = list(operation.get("parameters")).iter().map(|parameter| Field {
            name: text(parameter.get("name")).to_owned(),
            kind: html! { (self.kind(parameter.get("schema"))) ", in the " (text(parameter.get("in"))) },
            about: text(parameter.get("description")).to_owned(),
        });
        let body = operation.get("requestBody").and_then(schema_of);
        html! {
            article aria-labelledby=(id) {
                h3 id=(id) { code { span.method { (method.to_ascii_uppercase()) } " " (path) } }
                p { (text(operation.get("summary"))) "." }
                @for paragraph in text(operation.get("description")).split("\n\n").filter(|text| !text.is_empty()) {
                    p { (paragraph) }
                }
                (table("Parameters", &parameters.collect::<Vec<_>>()))
                (table("Body", &self.fields("", body, MAX_DEPTH)))
                @if let Some(answer) = answer_of(operation) { p { "Answers " (self.kind(Some(answer))) } }
            }
        }
    }

    /// The types that answers are made of.
    fn records(&self) -> Markup {
        let mut names = BTreeSet::new();
        for answer in self.operations().filter_map(|(_, _, operation)| answer_of(operation)) {
            self.names_in(answer, &mut names);
        }
        html! {
            section aria-labelledby="records" {
                h2 id="records" { "Records" }
                @for name in names {
                    @let schema = self.description.pointer(&format!("{}{name}", NAMED.trim_start_matches('#')));
                    article aria-labelledby={ "record-" (name) } {
                        h3 id={ "record-" (name) } { (name) }
                        p { (text(schema.and_then(|schema| schema.get("description")))) }
                        (table("Fields", &self.fields("", schema, 1)))
                    }
                }
            }
        }
    }

    /// The names in a schema, and in those that it names.
    fn names_in(&self, schema: &Value, names: &mut BTreeSet<String>) {
        match schema {
            Value::Object(members) => members.values().for_each(|member| self.names_in(member, names)),
            Value::Array(elements) => elements.iter().for_each(|element| self.names_in(element, names)),
            Value::String(reference) => {
                if let Some(name) = reference.strip_prefix(NAMED)
                    && names.insert(name.to_owned())
                    && let Some(named) = self.description.pointer(reference.trim_start_matches('#'))
                {
                    self.names_in(named, names);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The fields of a schema, those of its parts behind each with the way to them.
    fn fields(&self, prefix: &str, schema: Option<&Value>, levels: usize) -> Vec<Field> {
        let Some(schema) = self.resolved(schema).filter(|_| levels > 0) else { return Vec::new() };
        if let Some(items) = schema.get("items") {
            return self.fields(&format!("{prefix}[]"), Some(items), levels - 1);
        }
        let fields = object(schema.get("properties")).flat_map(|(name, property)| {
            let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}[{name}]") };
            let about = property.get("description").or_else(|| self.resolved(Some(property))?.get("description"));
            let kind = if levels > 1 { self.shape(Some(property)) } else { self.kind(Some(property)) };
            let field = Field { name: name.clone(), kind, about: text(about).to_owned() };
            std::iter::once(field).chain(self.fields(&name, Some(property), levels - 1))
        });
        fields.collect()
    }

    /// The schema itself, where another refers to it or allows null beside it.
    fn resolved<'a>(&'a self, schema: Option<&'a Value>) -> Option<&'a Value> {
        let schema = without_null(schema?);
        match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.resolved(self.description.pointer(reference.trim_start_matches('#'))),
            None => Some(schema),
        }
    }

    /// A type, by its name if it has one.
    fn kind(&self, schema: Option<&Value>) -> Markup {
        let schema = schema.map(without_null);
        if let Some(items) = schema.and_then(|schema| schema.get("items")) {
            return html! { "list of " (self.kind(Some(items))) };
        }
        let reference = schema.and_then(|schema| schema.get("$ref")?.as_str()?.strip_prefix(NAMED));
        match reference.filter(|_| self.resolved(schema).is_some_and(|schema| schema.get("properties").is_some())) {
            Some(name) => html! { a href={ "#record-" (name) } { (name) } },
            None => self.shape(schema),
        }
    }

    /// A type, by what it is.
    fn shape(&self, schema: Option<&Value>) -> Markup {
        let Some(schema) = self.resolved(schema) else { return html! { "any" } };
        if let Some(items) = schema.get("items") {
            return html! { "list of " (self.shape(Some(items))) };
        }
        let choices: Vec<_> = list(schema.get("enum")).iter().filter_map(Value::as_str).collect();
        let types = match schema.get("type") {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        match (choices.is_empty(), types.is_empty()) {
            (false, _) => html! { (choices.join(" | ")) },
            (true, true) => html! { "any" },
            (true, false) => html! { (types.join(" or ")) },
        }
    }
}

fn table(caption: &str, fields: &[Field]) -> Markup {
    html! {
        @if !fields.is_empty() {
            div.scroll {
                table {
                    caption { (caption) }
                    thead { tr { th scope="col" { "Name" } th scope="col" { "Type" } th scope="col" { "Meaning" } } }
                    tbody {
                        @for Field { name, kind, about } in fields {
                            tr { th scope="row" { code { (name) } } td { (kind) } td { (about) } }
                        }
                    }
                }
            }
        }
    }
}

fn answer_of(operation: &Value) -> Option<&Value> {
    let responses = operation.get("responses")?.as_object()?;
    responses.iter().find(|(status, _)| status.starts_with('2')).and_then(|(_, response)| schema_of(response))
}

fn schema_of(message: &Value) -> Option<&Value> {
    message.pointer("/content/application~1json/schema")
}

/// Of a type and null, the type.
fn without_null(schema: &Value) -> &Value {
    let either = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    either.into_iter().find(|one| one.get("type") != Some(&"null".into())).unwrap_or(schema)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_shows_fields_with_the_way_to_them_and_links_to_records() {
        let polls = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Poll" } });
        let description = json!({
            "info": { "version": "1", "description": "A & B" },
            "tags": [{ "name": "polls", "description": "Questions to a class." }],
            "paths": { "/polls/{id}": { "put": {
                "tags": ["polls"], "summary": "Changes a <poll>", "description": "Needs the scope `url:PUT|/polls/:id`.",
                "parameters": [{ "name": "id", "in": "path", "schema": { "type": "integer" } }],
                "requestBody": { "content": { "application/json": { "schema": { "properties": { "polls": polls } } } } },
                "responses": { "200": { "content": { "application/json": { "schema": polls } } } },
            } } },
            "components": { "schemas": {
                "Poll": { "properties": { "question": { "type": ["string", "null"], "description": "What is asked" } } },
            } },
        });
        let page = render(&description);
        for part in [
            "A &amp; B",
            "<h2 id=\"polls\">polls</h2><p>Questions to a class.</p>",
            "Changes a &lt;poll&gt;",
            "url:PUT|/polls/:id",
            "<code>polls[][question]</code></th><td>string or null</td><td>What is asked</td>",
            "Answers list of <a href=\"#record-Poll\">Poll</a>",
            "<h3 id=\"record-Poll\">Poll</h3>",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
        assert!(!page.contains("<script"));
    }
}
