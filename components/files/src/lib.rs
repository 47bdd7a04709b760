//! Files and folders of courses, groups and users, and the pages of courses.

mod attachments;
mod checks;
mod clean_up;
mod downloads;
mod folders;
mod pages;
mod ranges;
mod store;
mod uploads;

use shared::{Api, Envelope, background};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("files", Envelope::Lms)
        .resource(attachments::endpoints())
        .resource(uploads::endpoints())
        .resource(downloads::endpoints())
        .resource(folders::endpoints())
        .resource(pages::endpoints())
        .internal(background::jobs(clean_up::run))
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
