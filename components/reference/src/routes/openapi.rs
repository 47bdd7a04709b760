//! The API description, for programs.

use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::documents;

endpoints![get_openapi];

/// Describes the API for programs.
#[endpoint(
    GET "/openapi.json",
    public,
    nobody(200, "the description for programs"),
    sends(&["application/json"]),
    entity_tag,
)]
async fn get_openapi(cx: Context) -> Result<Reply> {
    documents::show(&cx, "openapi.json")
}
