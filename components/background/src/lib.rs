//! Work that nobody waits for: what is due is sent, and the jobs of the areas are called for.

mod deliveries;
mod housekeeping;
mod messages;
mod tick;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("background", Envelope::Lms)
        .resource(messages::endpoints())
        .resource(tick::endpoints())
        .internal(tick::nudge())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
