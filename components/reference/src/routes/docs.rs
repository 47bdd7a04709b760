//! The API description, for people.

use serde::Deserialize;
use shared::{Context, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::documents;

endpoints![get_reference, get_reference_page, get_guide, get_contract_page];

#[derive(Deserialize, JsonSchema)]
struct NamedPage {
    /// The name of the page, as links to it have it.
    name: String,
}

/// Shows the areas of the API, their operations and the guides: a page.
#[endpoint(
    GET "/docs",
    public,
    page,
    nobody(200, "the description for people"),
    sends(&["text/html"]),
    answers(308, "The same page without a slash at its end."),
    entity_tag,
)]
async fn get_reference(cx: Context) -> Result<Reply> {
    documents::show(&cx, "docs")
}

/// Shows the operations of an area, with forms to try them: a page.
///
/// The page that leads to the contract and the one of the quirks lie here too, and what all pages share: `reference.css`, `reference.js` and `search.json`.
#[endpoint(
    GET "/docs/:name",
    public,
    page,
    nobody(200, "the description for people"),
    sends(&["text/html", "text/css", "text/javascript", "application/json"]),
    answers(308, "The same page without a slash at its end."),
    entity_tag,
)]
async fn get_reference_page(cx: Context, Path(page): Path<NamedPage>) -> Result<Reply> {
    documents::show(&cx, &format!("docs/{}", page.name))
}

/// Shows a guide, which explains a task from its beginning to its end: a page.
#[endpoint(
    GET "/docs/guides/:name",
    public,
    page,
    nobody(200, "the guides"),
    sends(&["text/html"]),
    answers(308, "The same page without a slash at its end."),
    entity_tag,
)]
async fn get_guide(cx: Context, Path(page): Path<NamedPage>) -> Result<Reply> {
    documents::show(&cx, &format!("docs/guides/{}", page.name))
}

/// Shows what an area promises, field by field: a page.
#[endpoint(
    GET "/docs/contract/:name",
    public,
    page,
    nobody(200, "the contract"),
    sends(&["text/html"]),
    answers(308, "The same page without a slash at its end."),
    entity_tag,
)]
async fn get_contract_page(cx: Context, Path(page): Path<NamedPage>) -> Result<Reply> {
    documents::show(&cx, &format!("docs/contract/{}", page.name))
}
