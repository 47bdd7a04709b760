//! The requests that the service makes.

use maud::{Markup, html};
use serde_json::Value;

use super::area::anchor;
use super::fields::{Fields, json_schema};
use super::operation::{method, prose};
use crate::members::{list, object, text};

/// The webhooks of an area, by their names.
pub(crate) fn of_area<'a>(description: &'a Value, area: &str) -> Vec<(&'a str, &'a Value)> {
    object(description.get("webhooks"))
        .filter_map(|(name, webhook)| Some((name.as_str(), webhook.get("post")?)))
        .filter(|(_, webhook)| list(webhook.get("tags")).iter().any(|tag| tag == area))
        .collect()
}

/// What each sends, and how it is known to be ours.
pub(crate) fn section<'a>(fields: &Fields<'a>, webhooks: &[(&'a str, &'a Value)]) -> Markup {
    html! {
        @if !webhooks.is_empty() {
            section aria-labelledby="webhooks" {
                h2 id="webhooks" { "Webhooks" (anchor("webhooks")) }
                @for (name, webhook) in webhooks {
                    @let id = format!("webhook-{}", name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
                    @let body = webhook.pointer("/requestBody/content").and_then(json_schema);
                    article.record aria-labelledby=(id) {
                        h3 id=(id) { (method("post")) " " code { (name) } (anchor(&id)) }
                        p { (prose(text(webhook.get("summary")))) "." }
                        p { (prose(text(webhook.get("description")))) }
                        p { "Sends " (fields.kind(body)) "." }
                        (fields.of_parameters(webhook))
                    }
                }
            }
        }
    }
}
