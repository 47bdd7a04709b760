//! What is no area: the front page, the API description, and the 404 that clients can read.

mod pages;

use std::sync::LazyLock;

use shared::{Api, Envelope};

/// The pages. Every other path is not found, in the words of the LMS.
pub fn api() -> Api {
    Api::new("reference", Envelope::Lms).resource(pages::endpoints())
}

static API: LazyLock<Api> = LazyLock::new(api);

#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
