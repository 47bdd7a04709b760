//! The requests that the service itself makes, in the description.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::set;
use crate::api::Api;
use crate::webhook::Webhook;

/// The requests of an area, by their names.
pub(super) fn of(api: &Api, answered: &mut SchemaGenerator) -> Map<String, Value> {
    let webhooks = api
        .webhooks
        .iter()
        .map(|webhook| (webhook.name.to_owned(), json!({ "post": operation(api, webhook, answered) })));
    webhooks.collect()
}

fn operation(api: &Api, webhook: &Webhook, answered: &mut SchemaGenerator) -> Value {
    let header = |(name, about): &(String, &str)| {
        let schema = json!({ "type": "string" });
        json!({ "name": name, "in": "header", "required": true, "description": about, "schema": schema })
    };
    let content = json!({ "application/json": { "schema": webhook.body(answered) } });
    let mut operation = json!({
        "operationId": format!("receive_{}", webhook.name.replace('.', "_")),
        "summary": webhook.summary,
        "tags": [api.name],
        "security": [],
        "parameters": webhook.headers.iter().map(header).collect::<Vec<_>>(),
        "requestBody": { "required": true, "content": content },
        "responses": {
            "2XX": { "description": "It was taken." },
            "410": { "description": "No more of it is wanted, and no more is sent." },
            "default": { "description": "It was not taken, and is sent again later." },
        },
    });
    if !webhook.description.is_empty() {
        set(&mut operation, "description", webhook.description.into());
    }
    operation
}
