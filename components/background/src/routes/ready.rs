//! Whether the service can do its work.

use serde::Serialize;
use shared::status::Readiness;
use shared::{Context, JsonSchema, Reply, Result, endpoint, endpoints};

endpoints![get_readiness];

/// The service can do its work.
#[derive(Serialize, JsonSchema)]
struct Ready {
    /// Always `ready`.
    status: &'static str,
}

/// Tells whether the database, its tables and the store of bytes are there.
#[endpoint(
    GET "/ready",
    public,
    nobody(200, "it tells nothing but whether it can work"),
    answers(503, "Not ready; the message names each of `database`, `schema` and `blobs` that is lacking."),
    quiet,
)]
async fn get_readiness(cx: Context) -> Result<Reply<Ready>> {
    Readiness::require(&cx.db).await?;
    Ok(Reply::ok(Ready { status: "ready" }))
}
