//! What is no area: the front page, the API description, and the 404 that clients can read.

mod pages;

use shared::{Api, Envelope};

/// The pages. Every other path is not found, in the words of the LMS.
pub fn api() -> Api {
    Api::new("reference", Envelope::Lms).resource(pages::endpoints())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
