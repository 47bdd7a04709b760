//! Content exports: packages of what is in a course, a group or a user's files; packages that come in; and how far
//! either has come.

mod bytes;
mod exports;
mod import;
mod imports;
mod issues;
mod jobs;
mod limits;
mod package;
mod progress;
mod select;
mod store;

use shared::{Api, Envelope, background};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("content-exports", Envelope::Lms)
        .resource(exports::endpoints())
        .resource(progress::endpoints())
        .resource(issues::endpoints())
        .internal(background::jobs(jobs::run))
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
