//! The front page.

use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::documents;

endpoints![get_front_page];

/// Shows where the API is described.
#[endpoint(
    GET "/",
    public,
    nobody(200, "the front page"),
    sends(&["text/html"]),
    entity_tag,
)]
async fn get_front_page(cx: Context) -> Result<Reply> {
    documents::show(&cx, "")
}
