//! The API description, for programs.

use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::pages::Document;

const DESCRIPTION: Document = Document::json(include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz")));

endpoints![get_openapi];

/// Describes the API for programs.
#[endpoint(
    GET "/openapi.json",
    public,
    nobody(200, "the description for programs"),
    sends(&["application/json"]),
)]
async fn get_openapi(cx: Context) -> Result<Reply> {
    DESCRIPTION.reply(&cx)
}
