//! Polls: a teacher asks, students answer from their phones, everybody sees the counts they may see.

mod choices;
mod form;
mod live;
mod meta;
mod polls;
mod sessions;
mod store;
mod submissions;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("polls", Envelope::Lms)
        .resource(polls::endpoints())
        .resource(choices::endpoints())
        .resource(sessions::endpoints())
        .resource(submissions::endpoints())
        .resource(live::endpoints())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
