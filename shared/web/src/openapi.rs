//! The API description: an `OpenAPI` 3.1 document, made from the tables of endpoints and the types of their handlers.

mod forms;
mod parameters;
mod responses;
mod schemas;
mod webhooks;

use http::Method;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use crate::api::{Access, Api, AreaTokens, Credential, Endpoint, Reading};
use crate::params::{FileParts, Unsupported};
pub use crate::webhook::Webhook;
use responses::Refusals;
use schemas::Types;

/// The token of the service.
const TOKEN: &str = "token";

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
        "parameters": parameters::of(endpoint, &mut types.sent),
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
}
