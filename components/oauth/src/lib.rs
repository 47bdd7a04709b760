//! The OAuth2 endpoint, personal access tokens, and the keys of developers.

mod authentication_events;
mod authorize;
mod client;
mod developer_keys;
mod pages;
mod personal_tokens;
mod redirect;
mod scopes;
mod store;
mod token;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("oauth", Envelope::Lms)
        .resource(token::endpoints())
        .resource(authorize::endpoints())
        .resource(personal_tokens::endpoints())
        .resource(developer_keys::endpoints())
        .resource(authentication_events::endpoints())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
