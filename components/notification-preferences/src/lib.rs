//! Notification preferences: how often each channel of a user is told of each kind of event.

mod changes;
mod preferences;
mod store;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("notification-preferences", Envelope::Lms).resource(preferences::endpoints())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
