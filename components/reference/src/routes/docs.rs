//! The API description, for people.

use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::pages::page;

const DOCS: &str = include_str!("../../docs.html");

endpoints![get_reference];

/// Shows all endpoints on one page.
#[endpoint(
    GET "/docs",
    public,
    nobody(200, "the description for people"),
)]
async fn get_reference(cx: Context) -> Result<Reply> {
    Ok(page(&cx, DOCS))
}
