//! Digital badges: issuers award them, earners keep them, and anybody can verify them.
//!
//! What members of an issuer's staff and earners do stands under `/v2`, what gives them tokens under `/o`, and what everybody
//! may read under `/public`.

mod access;
mod assertions;
mod awards;
mod backpack;
mod changes;
mod classes;
mod entity;
mod images;
mod issuers;
mod paging;
mod public;
mod recipients;
mod revocation;
mod signing;
mod staff;
mod store;
mod token;
mod users;

use shared::{Api, Envelope, background};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("badges", Envelope::Badges)
        .resource(token::endpoints())
        .resource(issuers::endpoints())
        .resource(staff::endpoints())
        .resource(classes::endpoints())
        .resource(assertions::endpoints())
        .resource(awards::endpoints())
        .resource(revocation::endpoints())
        .resource(changes::endpoints())
        .resource(backpack::endpoints())
        .resource(backpack::collections::endpoints())
        .resource(backpack::import::endpoints())
        .resource(backpack::share::endpoints())
        .resource(users::endpoints())
        .resource(public::endpoints())
        .resources(signing::endpoints())
        .internal(background::jobs(images::retention::run))
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
