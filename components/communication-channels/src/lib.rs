//! Communication channels: the addresses, telephones and devices on which users are told things.

mod channels;
mod confirmation;
mod pages;
mod push;
mod store;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("communication-channels", Envelope::Lms)
        .resource(channels::endpoints())
        .resource(push::endpoints())
        .resource(confirmation::endpoints())
        .resource(pages::endpoints())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
