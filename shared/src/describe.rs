//! The API description: an `OpenAPI` 3.1 document, made from the tables of endpoints and the types of their handlers.

use http::StatusCode;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::api::{Access, Api, Endpoint};

/// The types of an endpoint: the parameters of its path, of its query or body, and its answer.
#[derive(Clone, Copy)]
pub struct Shape {
    path: fn(&mut SchemaGenerator) -> Option<Schema>,
    body: fn(&mut SchemaGenerator) -> Option<Schema>,
    answer: fn(&mut SchemaGenerator) -> Option<Schema>,
}

impl Shape {
    pub(crate) fn of<P: JsonSchema + 'static, B: JsonSchema + 'static, T: JsonSchema + 'static>() -> Self {
        Self { path: schema_of::<P>, body: schema_of::<B>, answer: schema_of::<T> }
    }
}

fn schema_of<T: JsonSchema + 'static>(generator: &mut SchemaGenerator) -> Option<Schema> {
    let nothing = std::any::TypeId::of::<T>() == std::any::TypeId::of::<()>();
    (!nothing).then(|| generator.subschema_for::<T>())
}

/// The description of all areas together.
pub fn openapi(apis: &[Api]) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for api in apis {
        for endpoint in api.endpoints() {
            let method = endpoint.method.as_str().to_ascii_lowercase();
            let item = paths.entry(template(endpoint.path)).or_insert_with(|| json!({}));
            set(item, &method, operation(api, endpoint, &mut generator));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lectern",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The HTTP/JSON API of a learning-management system.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "security": [{ "bearer": [] }],
        "tags": apis.iter().map(|api| json!({ "name": api.name })).collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" } },
            "schemas": generator.take_definitions(true),
        },
    })
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
        "operationId": format!("{} {}", endpoint.method, endpoint.path),
        "summary": endpoint.summary,
        "tags": [api.name],
        "parameters": parameters(endpoint, generator),
        "responses": responses(endpoint, generator),
    });
    match endpoint.access {
        Access::Token => set(&mut operation, "x-scope", endpoint.scope().into()),
        Access::TokenOptional => set(&mut operation, "security", json!([{}, { "bearer": [] }])),
        Access::Public => set(&mut operation, "security", json!([])),
    }
    if let Some(schema) = (endpoint.shape.body)(generator).filter(|_| endpoint.method != http::Method::GET) {
        let content = json!({
            "application/json": { "schema": schema },
            "application/x-www-form-urlencoded": { "schema": schema },
        });
        set(&mut operation, "requestBody", json!({ "content": content }));
    }
    operation
}

fn parameters(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Vec<Value> {
    let types = (endpoint.shape.path)(generator).map(|schema| properties(&schema, generator)).unwrap_or_default();
    let names = endpoint.path.split('/').filter_map(|segment| segment.strip_prefix(':'));
    let mut parameters: Vec<_> = names
        .map(|name| {
            let schema = types.get(name).cloned().unwrap_or_else(|| json!({ "type": "string" }));
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        })
        .collect();
    if endpoint.method == http::Method::GET
        && let Some(schema) = (endpoint.shape.body)(generator)
    {
        let query = properties(&schema, generator).into_iter();
        parameters.extend(query.map(|(name, schema)| json!({ "name": name, "in": "query", "schema": schema })));
    }
    let query = endpoint.query.iter();
    parameters.extend(query.map(|(name, kind)| json!({ "name": name, "in": "query", "schema": { "type": kind } })));
    parameters
}

/// The fields of a struct's schema, be it written out or referred to.
fn properties(schema: &Schema, generator: &SchemaGenerator) -> Map<String, Value> {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
    let target = match name {
        Some(name) => generator.definitions().get(name),
        None => Some(schema.as_value()),
    };
    target.and_then(|target| target.get("properties")?.as_object()).cloned().unwrap_or_default()
}

fn responses(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let success = match (endpoint.shape.answer)(generator) {
        Some(schema) => json!({ "description": "Success", "content": { "application/json": { "schema": schema } } }),
        None => json!({ "description": "Success" }),
    };
    let refusal = json!({ "description": "The request is refused; the body says why, in the area's own form" });
    let mut responses = json!({ "2XX": success, "4XX": refusal });
    if endpoint.access == Access::Token {
        let status = StatusCode::UNAUTHORIZED.as_str();
        set(&mut responses, status, json!({ "description": "No valid token, or one without the endpoint's scope" }));
    }
    responses
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}
