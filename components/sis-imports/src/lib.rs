//! Imports of what an institution's other systems know: accounts, users, courses, sections, enrollments and groups, from
//! the CSV files that those systems export.
//!
//! An upload is stored first, and answered. Then it is read batch by batch, after the response (`work`) and by the tick:
//! what a batch changes, the events that it causes and how far it has come are one transaction.

mod archive;
mod imports;
mod kind;
mod prepare;
mod rows;
mod store;
mod upload;
mod work;

use shared::{Api, Envelope, background};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("sis-imports", Envelope::Lms).resource(imports::endpoints()).internal(background::jobs(work::jobs))
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
