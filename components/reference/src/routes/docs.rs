//! The API description, for people.

use http::header::CONTENT_SECURITY_POLICY;
use shared::html::own_style_policy;
use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::pages::Document;

const DOCS: Document = Document::page(include_bytes!(concat!(env!("OUT_DIR"), "/docs.html.gz")));
/// With its tags.
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/docs.css.html"));

endpoints![get_reference];

/// Shows all endpoints on one page.
#[endpoint(
    GET "/docs",
    public,
    nobody(200, "the description for people"),
    sends(&["text/html"]),
)]
async fn get_reference(cx: Context) -> Result<Reply> {
    Ok(DOCS.reply(&cx)?.header(CONTENT_SECURITY_POLICY, &own_style_policy(STYLE)))
}
