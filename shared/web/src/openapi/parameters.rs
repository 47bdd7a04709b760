//! The parameters of an endpoint: of its path, its query and its headers.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{form_is_query, set};
use crate::api::{Endpoint, Paging, QueryParameter};
use crate::{lookup, pagination};

/// The words of paths behind which records may be named in several ways.
const NAMED: [&str; 5] = ["accounts", "courses", "groups", "sections", "users"];

/// A parameter of the path that no type tells: what stands behind that word.
fn parameter_behind(endpoint: &Endpoint, word: &str) -> Value {
    if endpoint.operation.has_id_behind(word) {
        return json!({ "type": "integer", "format": "int64" });
    }
    json!({ "type": "string" })
}

/// The meaning of a parameter of the path: the record that stands behind a word, and the ways to name it.
fn meaning(endpoint: &Endpoint, name: &str, word: &str, schema: &Value) -> String {
    let thing = match name.strip_suffix("_id") {
        Some(thing) => thing.replace('_', " "),
        None if name == "id" => singular(&word.replace(['_', '-'], " ")),
        None => return format!("The {}.", name.replace('_', " ")),
    };
    let names = endpoint.operation.names;
    let has_names = schema.get("type").is_some_and(|kind| kind == "string");
    match has_names && (NAMED.contains(&word) || names != lookup::ANY_ID) {
        true => format!("The {thing}: {}", in_lower_case(names)),
        false => format!("The id of the {thing}."),
    }
}

/// A sentence as the part of another one.
fn in_lower_case(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}

/// `quiz submissions` as one of them.
fn singular(words: &str) -> String {
    const ENDINGS: [(&str, &str); 6] =
        [("zzes", "z"), ("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("ss", "ss")];
    let stem = ENDINGS.into_iter().find_map(|(many, one)| Some(format!("{}{one}", words.strip_suffix(many)?)));
    stem.unwrap_or_else(|| words.strip_suffix('s').unwrap_or(words).to_owned())
}

/// All of them.
pub(super) fn of(endpoint: &Endpoint, sent: &mut SchemaGenerator) -> Vec<Value> {
    let types = endpoint.operation.path.map(|schema| properties(&schema(sent))).unwrap_or_default();
    let words = endpoint.path.split('/');
    let names = words.clone().skip(1).zip(words).filter_map(|(name, word)| Some((name.strip_prefix(':')?, word)));
    let mut parameters: Vec<_> = names
        .map(|(name, word)| {
            let schema = types.get(name).cloned().unwrap_or_else(|| parameter_behind(endpoint, word));
            let schema = never_null(schema);
            let mut parameter = json!({ "name": name, "in": "path", "required": true, "schema": schema });
            set(&mut parameter, "description", meaning(endpoint, name, word, &schema).into());
            described(parameter)
        })
        .collect();
    let form = endpoint.operation.form_fields.filter(|_| form_is_query(endpoint));
    for schema in [endpoint.operation.query, form].into_iter().flatten() {
        let schema = schema(sent);
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        parameters.extend(properties(&schema).into_iter().map(|(name, schema)| {
            let required = required.iter().any(|required| *required == *name);
            in_query(&name, schema, required)
        }));
    }
    parameters.extend(endpoint.query.iter().map(|QueryParameter { name, kind, about }| {
        in_query(name, json!({ "type": kind, "description": about }), false)
    }));
    parameters.extend(endpoint.paging.into_iter().flat_map(of_pages));
    if endpoint.details.has_entity_tag {
        let about = "The entity tag of what the client has: it is answered 304 unless that has changed.";
        let schema = json!({ "type": "string" });
        parameters.push(json!({ "name": "If-None-Match", "in": "header", "description": about, "schema": schema }));
    }
    parameters
}

/// A parameter of the query. A list has its name with brackets, once for each value.
fn in_query(name: &str, schema: Value, required: bool) -> Value {
    let is_list = schema.get("type").is_some_and(|kind| {
        kind == "array" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "array"))
    });
    let name = if is_list && !name.ends_with("[]") { format!("{name}[]") } else { name.to_owned() };
    let mut parameter = json!({ "name": name, "in": "query", "schema": schema });
    if required {
        set(&mut parameter, "required", true.into());
    }
    described(parameter)
}

/// A parameter with the description that its schema has.
fn described(mut parameter: Value) -> Value {
    let about =
        parameter.get_mut("schema").and_then(Value::as_object_mut).and_then(|schema| schema.remove("description"));
    if let Some(about) = about {
        set(&mut parameter, "description", about);
    }
    parameter
}

/// The parameters by which a list is asked for page by page.
fn of_pages(paging: Paging) -> [Value; 2] {
    let (page, whole) = match paging {
        Paging::Numbered => (json!({ "type": ["integer", "string"], "default": 1 }), ""),
        Paging::NumberedOrWhole => {
            (json!({ "type": ["integer", "string"] }), " The list is whole where neither is given.")
        }
        Paging::Bookmarked => (json!({ "type": "string" }), ""),
    };
    let mut page = page;
    let about = match paging {
        Paging::Bookmarked => "Which page, as a link of the header `Link` names it; the first unless given.".to_owned(),
        Paging::Numbered | Paging::NumberedOrWhole => {
            format!("Which page: its number, or as a link of the header `Link` names it.{whole}")
        }
    };
    set(&mut page, "description", about.into());
    let length = json!({
        "type": "integer",
        "minimum": 1,
        "maximum": pagination::MAX_LENGTH,
        "default": pagination::DEFAULT_LENGTH,
        "description": "How many records a page has at most. A number beyond these bounds counts as the nearest within.",
    });
    [in_query("page", page, false), in_query("per_page", length, false)]
}

/// The fields of a struct's schema.
fn properties(schema: &Schema) -> Map<String, Value> {
    schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// A parameter of the path is always there, also where one type serves several paths.
pub(super) fn never_null(schema: Value) -> Value {
    let Some(choices) = schema.get("anyOf").and_then(Value::as_array) else { return schema };
    let null = json!({ "type": "null" });
    let mut others = choices.iter().filter(|choice| **choice != null).cloned();
    match (others.next(), others.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_paths_are_told_of_one_thing() {
        let words = ["quizzes", "entries", "classes", "branches", "boxes", "progress", "quiz submissions", "media"];
        let one = ["quiz", "entry", "class", "branch", "box", "progress", "quiz submission", "media"];
        assert_eq!(words.map(singular), one);
    }
}
