//! Whether the service lives.

use serde::Serialize;
use shared::{Context, JsonSchema, Reply, Result, endpoint, endpoints};

endpoints![get_health];

/// The service lives.
#[derive(Serialize, JsonSchema)]
struct Health {
    /// Always `alive`.
    status: &'static str,
}

/// Tells that the service lives, without a look at its database.
#[endpoint(GET "/health", public, nobody(200, "it tells nothing but that it answers"), quiet)]
async fn get_health(_: Context) -> Result<Reply<Health>> {
    Ok(Reply::ok(Health { status: "alive" }))
}
