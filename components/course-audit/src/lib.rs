//! The audit log of courses: who changed what, and when. It is written where courses are changed, and only read here.

mod events;
mod store;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("course-audit", Envelope::Lms).resource(events::endpoints())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
