//! The part beside the records in every answer of the area: nothing, or the place of the page for clients of JSON:API.

use http::header::ACCEPT;
use serde::Serialize;
use shared::pagination::{Links, Pagination};
use shared::{Context, JsonSchema};

const JSON_API: &str = "application/vnd.api+json";

/// Empty, unless a list is asked for as JSON:API.
#[derive(Serialize, Default, JsonSchema)]
pub(crate) struct Meta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pagination: Option<Pagination>,
    #[serde(rename = "primaryCollection", skip_serializing_if = "Option::is_none")]
    primary_collection: Option<&'static str>,
}

impl Meta {
    /// The part beside a page of that collection.
    pub(crate) fn of(cx: &Context, links: &Links, collection: &'static str) -> Self {
        match cx.header(ACCEPT).is_some_and(|accept| accept.contains(JSON_API)) {
            true => Self { pagination: links.pagination().cloned(), primary_collection: Some(collection) },
            false => Self::default(),
        }
    }
}
