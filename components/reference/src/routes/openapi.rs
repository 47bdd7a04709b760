//! The API description, for programs.

use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::pages::unchanging;

const DESCRIPTION: &[u8] = include_bytes!("../../openapi.json");

endpoints![get_openapi];

/// Describes the API for programs.
#[endpoint(
    GET "/openapi.json",
    public,
    nobody(200, "the description for programs"),
)]
async fn get_openapi(cx: Context) -> Result<Reply> {
    Ok(unchanging(&cx, "application/json; charset=utf-8", DESCRIPTION))
}
