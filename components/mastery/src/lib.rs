//! Mastery tracking: what a district's data team reads, with a credential of the district.
//!
//! Each resource is declared once (`resources`); the SQL, the validation, the JSON and the API description follow.

mod access;
mod answer;
mod credentials;
mod import;
mod imports;
mod query;
mod report;
mod resource;
mod resources;
mod store;
mod token;
mod tracker;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    let api = Api::new("mastery", Envelope::Mastery)
        .resource(token::endpoints())
        .resource(credentials::endpoints())
        .resource(imports::endpoints())
        .resource(tracker::endpoints())
        .resource(report::endpoints());
    resources::RESOURCES.iter().fold(api, |api, resource| api.resources(resource.endpoints()))
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
