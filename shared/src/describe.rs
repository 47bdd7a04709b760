//! The API description: an `OpenAPI` 3.1 document, made from the tables of endpoints and the types of their handlers.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::api::{Access, Api, Endpoint};

const SCHEMAS: &str = "#/components/schemas/";

/// The types of an endpoint: the parameters of its path, its query and its body, and what it answers with which status.
#[derive(Clone, Copy)]
pub struct Shape {
    path: Option<SchemaOf>,
    query: Option<SchemaOf>,
    form: Option<SchemaOf>,
    reply: Option<SchemaOf>,
    status: u16,
    callers: &'static str,
}

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

impl Shape {
    pub(crate) fn of_reply<T: JsonSchema + 'static>(status: u16) -> Self {
        Self { path: None, query: None, form: None, reply: schema_of::<T>(), status, callers: "" }
    }

    pub(crate) fn with_path<T: JsonSchema + 'static>(self) -> Self {
        Self { path: Some(T::json_schema), ..self }
    }

    pub(crate) fn with_query<T: JsonSchema + 'static>(self) -> Self {
        Self { query: Some(T::json_schema), ..self }
    }

    /// Who may call it, as a sentence.
    fn who(self) -> String {
        if self.callers.is_empty() { String::new() } else { format!("May be called by: {}", self.callers) }
    }

    pub(crate) fn with_callers(self, callers: &'static str) -> Self {
        Self { callers, ..self }
    }

    pub(crate) fn with_form<T: JsonSchema + 'static>(self) -> Self {
        Self { form: schema_of::<T>(), ..self }
    }
}

fn schema_of<T: JsonSchema + 'static>() -> Option<SchemaOf> {
    let nothing = std::any::TypeId::of::<T>() == std::any::TypeId::of::<()>();
    (!nothing).then_some(SchemaGenerator::subschema_for::<T>)
}

/// The description of all areas together. Types are called after their area, so that an area more renames nothing.
pub fn openapi(apis: &[Api]) -> Value {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for api in apis {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = "/components/schemas".into();
        let mut generator = settings.into_generator();
        let prefix = in_camel_case(api.name);
        for endpoint in api.endpoints() {
            let mut operation = operation(api, endpoint, &mut generator);
            name_references(&mut operation, &prefix);
            let method = endpoint.method.as_str().to_ascii_lowercase();
            set(paths.entry(template(endpoint.path)).or_insert_with(|| json!({})), &method, operation);
        }
        schemas.extend(generator.take_definitions(true).into_iter().map(|(name, mut schema)| {
            name_references(&mut schema, &prefix);
            (format!("{prefix}{name}"), schema)
        }));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lectern",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The HTTP/JSON API of a learning-management system.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "security": [{ "bearer": [] }],
        "tags": apis.iter().map(|api| json!({ "name": api.name })).collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" } },
            "schemas": schemas,
        },
    })
}

/// `quiz-groups` as a part of a type's name: `QuizGroups`.
fn in_camel_case(area: &str) -> String {
    let words = area.split('-').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

/// Lets all references lead to the types of the area. A schema that allows everything is an object without members, which
/// more programs read than `true`.
fn name_references(schema: &mut Value, prefix: &str) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(reference) if name == "$ref" => {
                        *reference = reference.replacen(SCHEMAS, &format!("{SCHEMAS}{prefix}"), 1);
                    }
                    Value::Bool(true) if name == "schema" || name == "items" => *member = json!({}),
                    Value::Object(properties) if name == "properties" => {
                        for property in properties.values_mut() {
                            if *property == Value::Bool(true) {
                                *property = json!({});
                            }
                            name_references(property, prefix);
                        }
                    }
                    member => name_references(member, prefix),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| name_references(element, prefix)),
        _ => {}
    }
}

/// `/courses/:id` as `OpenAPI` writes it: `/courses/{id}`.
fn template(path: &str) -> String {
    let segments = path.split('/').map(|segment| match segment.strip_prefix(':') {
        Some(name) => format!("{{{name}}}"),
        None => segment.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

fn operation(api: &Api, endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": endpoint.id,
        "summary": endpoint.documentation.summary,
        "tags": [api.name],
        "parameters": parameters(endpoint, generator),
        "responses": responses(endpoint, generator),
    });
    let paragraphs = [endpoint.documentation.description.to_owned(), endpoint.shape.who()];
    let description = paragraphs.into_iter().filter(|paragraph| !paragraph.is_empty()).collect::<Vec<_>>().join("\n\n");
    if !description.is_empty() {
        set(&mut operation, "description", description.into());
    }
    match endpoint.access {
        Access::Token => set(&mut operation, "x-scope", endpoint.scope().into()),
        Access::TokenOptional => set(&mut operation, "security", json!([{}, { "bearer": [] }])),
        Access::Public => set(&mut operation, "security", json!([])),
    }
    if let Some(schema) = endpoint.shape.form.map(|schema| schema(generator)) {
        let content = json!({
            "application/json": { "schema": schema },
            "application/x-www-form-urlencoded": { "schema": schema },
        });
        set(&mut operation, "requestBody", json!({ "content": content }));
    }
    operation
}

fn parameters(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Vec<Value> {
    let types = endpoint.shape.path.map(|schema| properties(&schema(generator))).unwrap_or_default();
    let names = endpoint.path.split('/').filter_map(|segment| segment.strip_prefix(':'));
    let mut parameters: Vec<_> = names
        .map(|name| {
            let schema = types
                .get(name)
                .cloned()
                .unwrap_or_else(|| json!({ "type": "string", "description": "An id, self, or sis_…_id:…" }));
            json!({ "name": name, "in": "path", "required": true, "schema": never_null(schema) })
        })
        .collect();
    let typed = endpoint.shape.query.map(|schema| properties(&schema(generator))).unwrap_or_default();
    let named = endpoint.query.iter().map(|(name, kind)| (name.clone(), json!({ "type": kind })));
    let query = typed.into_iter().chain(named);
    parameters.extend(query.map(|(name, schema)| json!({ "name": name, "in": "query", "schema": schema })));
    parameters
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

fn responses(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let success = match endpoint.shape.reply.map(|schema| schema(generator)) {
        Some(schema) => json!({ "description": "Success", "content": { "application/json": { "schema": schema } } }),
        None => json!({ "description": "Success" }),
    };
    let refusal = json!({ "description": "The request is refused; the body says why, in the area's own form" });
    let busy =
        json!({ "description": "Others are writing: the same request may be sent again after Retry-After seconds" });
    let mut responses = json!({ "4XX": refusal, "503": busy });
    set(&mut responses, &endpoint.shape.status.to_string(), success);
    if endpoint.access == Access::Token {
        set(&mut responses, "401", json!({ "description": "No valid token, or one without the endpoint's scope" }));
    }
    if endpoint.path.contains("/:") {
        set(&mut responses, "404", json!({ "description": "What the path names is not there for the caller" }));
    }
    responses
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}
