//! The part beside the records in every answer of the area: nothing, or the place of the page for clients of JSON:API.

use http::header::ACCEPT;
use serde::Serialize;
use shared::db::BuiltList;
use shared::pagination::{BuiltPage, Links, Pagination};
use shared::{Context, JsonSchema, Reply, Result};

const JSON_API: &str = "application/vnd.api+json";

/// Empty, unless a list is asked for as JSON:API.
#[derive(Serialize, Default, JsonSchema)]
pub(crate) struct Meta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pagination: Option<Pagination>,
    #[serde(rename = "primaryCollection", skip_serializing_if = "Option::is_none")]
    primary_collection: Option<&'static str>,
}

/// What stands beside the records.
#[derive(Serialize)]
struct Beside {
    meta: Meta,
}

impl Meta {
    /// The part beside a page of that collection.
    fn of(cx: &Context, links: &Links, collection: &'static str) -> Self {
        match cx.header(ACCEPT).is_some_and(|accept| accept.contains(JSON_API)) {
            true => Self { pagination: links.pagination().cloned(), primary_collection: Some(collection) },
            false => Self::default(),
        }
    }
}

/// 200 with the records of that collection, which is the name of its member, and with an empty part beside them.
pub(crate) fn list_in<T: Serialize, I>(collection: &'static str, list: BuiltList<I>) -> Result<Reply<T>> {
    Reply::built_in(list, collection, &Beside { meta: Meta::default() })
}

/// 200 with a page of that collection, which is the name of its member, and with the part beside it.
pub(crate) fn page_in<T: Serialize, I>(cx: &Context, collection: &'static str, page: BuiltPage<I>) -> Result<Reply<T>> {
    let meta = Meta::of(cx, &page.links, collection);
    Reply::built_page_in(page, collection, &Beside { meta })
}
