//! Error reports: anybody files one, and administrators work through those of their tenant.

mod environment;
mod filing;
mod form;
mod forwarding;
mod page;
mod reports;
mod scrub;
mod store;

use shared::{Api, Envelope, background};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("error-reports", Envelope::Lms)
        .resource(filing::endpoints())
        .resource(reports::endpoints())
        .resource(page::endpoints())
        .internal(background::jobs(forwarding::run))
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
