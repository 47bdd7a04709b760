//! Webhook subscriptions: tools, what they subscribe to, and the operator's view of what was sent to them. What sends is
//! the component `background`.

mod access;
mod authorize;
mod capabilities;
mod deliveries;
mod form;
mod page;
mod store;
mod subscriptions;
mod tool_proxies;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("webhook-subscriptions", Envelope::Lms)
        .resource(tool_proxies::endpoints())
        .resource(authorize::endpoints())
        .resource(subscriptions::endpoints())
        .resource(deliveries::endpoints())
        .resource(page::endpoints())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
