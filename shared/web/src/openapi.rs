//! The API description: an `OpenAPI` 3.1 document, made from the tables of endpoints and the types of their handlers.

mod forms;
mod responses;
mod webhooks;

use std::collections::BTreeSet;

use http::Method;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::api::{Access, Api, AreaTokens, Credential, Endpoint, Paging, QueryParameter, Reading};
use crate::params::{FileParts, Unsupported};
pub use crate::webhook::Webhook;
use crate::{lookup, pagination};
use responses::Refusals;

/// The place where the description keeps the types of answers, and of what is sent where it is the same.
const SCHEMAS: &str = "#/components/schemas/";
/// The place where those of what is sent are kept until it is known which of them differ.
const SENT: &str = "#/components/sent/";
/// The words of paths behind which records may be named in several ways.
const NAMED: [&str; 5] = ["accounts", "courses", "groups", "sections", "users"];
/// The token of the service.
const TOKEN: &str = "token";

/// The types of an area: of what it answers, and of what it is sent. A field that is read and never written belongs to the
/// one only, and one that may be left out of a request may stand in every answer.
struct Types {
    answered: SchemaGenerator,
    sent: SchemaGenerator,
}

impl Types {
    fn new() -> Self {
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
    fn named(mut self, prefix: &str) -> (Map<String, Value>, Names<'_>) {
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
struct Names<'a> {
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
    fn write(&self, schema: &mut Value) {
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

/// The description of all areas together. Types are called after their area, so that an area more renames nothing.
pub fn document(apis: &[Api]) -> Value {
    let mut paths = Map::new();
    let mut sent_by_us = Map::new();
    let mut schemas = Map::new();
    let mut schemes = Map::new();
    let mut refusals = Refusals::default();
    schemes.insert(
        TOKEN.to_owned(),
        scheme("A token of the service, from `POST /login/oauth2/token`. Where a scope is named, it must have it."),
    );
    for api in apis {
        if let Some(tokens) = api.tokens {
            schemes.insert(tokens.name.to_owned(), scheme_of_area(&tokens));
        }
        let mut types = Types::new();
        let described = |endpoint| (endpoint, operation(api, endpoint, &mut types, &mut refusals));
        let operations: Vec<_> = api.endpoints().iter().map(described).collect();
        let mut webhooks = Value::Object(webhooks::of(api, &mut types.answered));
        let prefix = in_camel_case(api.name);
        let (named, names) = types.named(&prefix);
        schemas.extend(named);
        names.write(&mut webhooks);
        if let Value::Object(webhooks) = webhooks {
            sent_by_us.extend(webhooks);
        }
        for (endpoint, mut operation) in operations {
            names.write(&mut operation);
            let method = endpoint.method.as_str().to_ascii_lowercase();
            set(paths.entry(template(endpoint.path)).or_insert_with(|| json!({})), &method, operation);
            if let Some(Credential { name, description }) = endpoint.credential {
                schemes.insert(name.to_owned(), scheme(description));
            }
        }
    }
    let (responses, shapes) = refusals.into_components();
    schemas.extend(shapes);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lectern",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The HTTP/JSON API of a learning-management system. Where two paths fit an address, the one that has \
                            a word goes before the one that has a parameter in its place.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        // The service that the document comes from.
        "servers": [{ "url": "/" }],
        "security": [{ TOKEN: [] }],
        "tags": apis.iter().map(tag).collect::<Vec<_>>(),
        "paths": paths,
        "webhooks": sent_by_us,
        "components": { "securitySchemes": schemes, "responses": responses, "schemas": schemas },
    })
}

/// An area, to which each operation of it refers.
fn tag(api: &Api) -> Value {
    let mut tag = json!({ "name": api.name });
    if !api.description.is_empty() {
        set(&mut tag, "description", format!("{}.", api.description).into());
    }
    tag
}

fn scheme(description: &str) -> Value {
    json!({ "type": "http", "scheme": "bearer", "description": description })
}

/// `quiz-groups` as a part of a type's name: `QuizGroups`.
fn in_camel_case(area: &str) -> String {
    let words = area.split('-').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

/// `/courses/:id` as `OpenAPI` writes it: `/courses/{id}`.
fn template(path: &str) -> String {
    let segments = path.split('/').map(|segment| match segment.strip_prefix(':') {
        Some(name) => format!("{{{name}}}"),
        None => segment.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

fn operation(api: &Api, endpoint: &Endpoint, types: &mut Types, refusals: &mut Refusals) -> Value {
    let format = endpoint.error_format.unwrap_or(api.error_format);
    let mut operation = json!({
        "operationId": endpoint.id,
        "summary": endpoint.documentation.summary,
        "tags": [api.name],
        "parameters": parameters(endpoint, &mut types.sent),
        "responses": responses::of(endpoint, format, &mut types.answered, refusals),
    });
    let own = endpoint.documentation.description.to_owned();
    let paragraphs = [own, refused(endpoint), endpoint.operation.who(), credentials(endpoint)];
    let description = paragraphs.into_iter().filter(|paragraph| !paragraph.is_empty()).collect::<Vec<_>>().join("\n\n");
    set(&mut operation, "description", description.into());
    set(&mut operation, "security", security(api, endpoint));
    if endpoint.access.needs_caller() {
        set(&mut operation, "x-scope", endpoint.scope().into());
    }
    if let Some(body) = body(endpoint, &mut types.sent) {
        set(&mut operation, "requestBody", body);
    }
    operation
}

/// The credentials of a caller, in words.
fn credentials(endpoint: &Endpoint) -> String {
    let own = endpoint.credential.map(|credential| format!("Needs a `{}`.", credential.name));
    match endpoint.access {
        Access::Token | Access::TokenOrPage if endpoint.scoped => {
            let others = endpoint.area_scopes.iter().map(|scope| format!(" or `{scope}`"));
            format!("Needs a token with the scope `{}`{}.", endpoint.scope(), others.collect::<String>())
        }
        Access::Token | Access::TokenOrPage => "Needs a token, whatever its scopes.".to_owned(),
        Access::TokenOptional => "Needs no token; one that is sent must be valid.".to_owned(),
        Access::Public => own.unwrap_or_else(|| "Needs no token.".to_owned()),
        Access::SignedIn => "Needs no token: it is for who is signed in on our pages.".to_owned(),
        Access::SignedInOrLinked => {
            "Needs no token: it is for who is signed in on our pages, or has a signed link.".to_owned()
        }
    }
}

/// The parameters that it does not support, as a paragraph.
fn refused(endpoint: &Endpoint) -> String {
    let lists = endpoint.unsupported.iter().map(|Unsupported { reason, names }| {
        let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        format!("{names} ({reason})")
    });
    let lists = lists.collect::<Vec<_>>().join("; ");
    if lists.is_empty() { lists } else { format!("Refused, because not supported here: {lists}.") }
}

/// The tokens of an area, by the ways to get one.
fn scheme_of_area(tokens: &AreaTokens) -> Value {
    let AreaTokens { name: _, description, token_path, scopes } = tokens;
    let scopes: Map<_, _> = scopes.iter().map(|(scope, about)| ((*scope).to_owned(), json!(about))).collect();
    json!({
        "type": "oauth2",
        "description": description,
        "flows": {
            "password": { "tokenUrl": token_path, "refreshUrl": token_path, "scopes": scopes },
            "authorizationCode": {
                "authorizationUrl": "/login/oauth2/auth",
                "tokenUrl": "/login/oauth2/token",
                "scopes": scopes,
            },
        },
    })
}

/// The credentials of a caller: one of these. A token has all the scopes that stand beside it.
fn security(api: &Api, endpoint: &Endpoint) -> Value {
    let area = api.tokens.map_or(TOKEN, |tokens| tokens.name);
    let own = endpoint.credential.map(|credential| json!({ credential.name: [] }));
    let accepted: Vec<Value> = match endpoint.access {
        Access::Token | Access::TokenOrPage if endpoint.scoped => {
            let path = std::iter::once(json!({ TOKEN: [endpoint.scope()] }));
            path.chain(endpoint.area_scopes.iter().map(|scope| json!({ area: [scope] }))).collect()
        }
        Access::Token | Access::TokenOrPage => vec![json!({ TOKEN: [] })],
        Access::TokenOptional => vec![json!({}), json!({ TOKEN: [] })],
        Access::Public | Access::SignedIn | Access::SignedInOrLinked => Vec::new(),
    };
    accepted.into_iter().chain(own).collect()
}

/// The body that may be sent, by its type.
fn body(endpoint: &Endpoint, sent: &mut SchemaGenerator) -> Option<Value> {
    let description = format!("At most {} bytes.", endpoint.body_limit);
    let details = &endpoint.details;
    let form = endpoint.operation.form.filter(|_| !form_is_query(endpoint));
    if endpoint.reading != Reading::Parameters {
        let mut content = Map::new();
        if let Some(schema) = details.body {
            content.insert("application/json".to_owned(), json!({ "schema": schema(sent) }));
        }
        for media_type in details.taken {
            content.insert((*media_type).to_owned(), json!({ "schema": responses::bytes_of(media_type) }));
        }
        if let Some((file, fields)) = details.parts.split_last() {
            let mut parts: Map<_, _> =
                fields.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
            parts.insert((*file).to_owned(), json!({ "type": "string", "format": "binary" }));
            let schema = json!({ "type": "object", "properties": parts, "required": [file] });
            content.insert("multipart/form-data".to_owned(), json!({ "schema": schema }));
        }
        if content.is_empty() {
            content.insert("application/octet-stream".to_owned(), json!({ "schema": responses::bytes_of("") }));
        }
        return Some(json!({ "description": description, "required": true, "content": content }));
    }
    let schema = form.map(|schema| schema(sent))?;
    let form = forms::form_of(schema.as_value(), sent.definitions());
    let mut content = Map::from_iter([
        ("application/json".to_owned(), json!({ "schema": schema })),
        ("application/x-www-form-urlencoded".to_owned(), json!({ "schema": form })),
    ]);
    if matches!(endpoint.file_parts, FileParts::DataUri) {
        content.insert("multipart/form-data".to_owned(), json!({ "schema": form }));
    }
    Some(json!({ "description": description, "content": content }))
}

/// True if the fields of the form can only stand in the query, because the body is none or is taken as it is.
fn form_is_query(endpoint: &Endpoint) -> bool {
    endpoint.method == Method::GET || endpoint.reading != Reading::Parameters
}

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

fn parameters(endpoint: &Endpoint, sent: &mut SchemaGenerator) -> Vec<Value> {
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
fn never_null(schema: Value) -> Value {
    let Some(choices) = schema.get("anyOf").and_then(Value::as_array) else { return schema };
    let null = json!({ "type": "null" });
    let mut others = choices.iter().filter(|choice| **choice != null).cloned();
    match (others.next(), others.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::context::Context;
    use crate::error::Result;
    use crate::error_format::LmsErrors;
    use crate::handler::Form;
    use crate::reply::Reply;

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Part {
        name: String,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Record {
        id: i64,
        #[serde(default)]
        note: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        hidden: Option<String>,
        #[serde(skip_serializing)]
        #[expect(dead_code, reason = "only the description reads it")]
        may_change: bool,
        part: Part,
    }

    async fn change(_: Context, body: Form<Record>) -> Result<Reply<Record>> {
        Ok(Reply::ok(body.decode()?))
    }

    async fn look(_: Context, body: Form<Part>) -> Result<Reply<Part>> {
        Ok(Reply::ok(body.decode()?))
    }

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

    #[test]
    fn what_is_answered_is_described_as_it_is_written_and_what_is_sent_as_it_is_read() {
        let area = Api::new("some-records", &LmsErrors).description("Records and their parts").resource(vec![
            Endpoint::new(Method::PUT, "/records/:id", "change_record", change).throttled("changes"),
            Endpoint::new(Method::GET, "/parts", "get_part", look).numbered_pages(),
        ]);
        let description = document(&[area]);
        assert_eq!(description["tags"], json!([{ "name": "some-records", "description": "Records and their parts." }]));
        let change = &description["paths"]["/records/{id}"]["put"];
        let schemas = &description["components"]["schemas"];
        let required = |name: &str| &schemas[name]["required"];
        assert_eq!(required("SomeRecordsRecord"), &json!(["id", "note", "part"]));
        assert!(schemas["SomeRecordsRecord"]["properties"].get("may_change").is_none());
        assert_eq!(required("SomeRecordsRecordSent"), &json!(["id", "may_change", "part"]));
        assert_eq!(schemas.as_object().unwrap().len(), 4, "a type that is the same either way is there once");
        let refused = |status: &str| change["responses"][status]["$ref"].as_str().unwrap();
        assert_eq!(refused("404"), "#/components/responses/LmsErrorsNotFound");
        let not_found = &description["components"]["responses"]["LmsErrorsNotFound"]["content"]["application/json"];
        let body = json!({ "errors": [{ "message": "The specified resource does not exist." }] });
        assert_eq!(not_found["examples"]["not_found"]["value"], body);

        let body = change.pointer("/requestBody/content/application~1json/schema/$ref").unwrap();
        assert_eq!(body, "#/components/schemas/SomeRecordsRecordSent");
        assert_eq!(change["responses"]["429"]["description"], "Too often: changes");
        assert_eq!(change["security"], json!([{ "token": ["url:PUT|/records/:id"] }]));
        let look = &description["paths"]["/parts"]["get"];
        assert!(look.get("requestBody").is_none());
        let names: Vec<_> = look["parameters"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(names, ["name", "page", "per_page"]);
        assert!(look.pointer("/responses/200/headers/Link").is_some());
    }

    #[test]
    fn words_of_paths_are_told_of_one_thing() {
        let words = ["quizzes", "entries", "classes", "branches", "boxes", "progress", "quiz submissions", "media"];
        let one = ["quiz", "entry", "class", "branch", "box", "progress", "quiz submission", "media"];
        assert_eq!(words.map(singular), one);
    }
}
