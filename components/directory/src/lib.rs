//! The directory: accounts and their administrators, users and their logins, courses, sections and enrollments.

mod accounts;
mod admins;
mod checks;
mod content_migrations;
mod course_lists;
mod courses;
mod enrolling;
mod enrollment_states;
mod enrollments;
mod features;
mod filters;
mod group_memberships;
mod groups;
mod life_cycle;
mod logins;
mod own_sections;
mod rosters;
mod sections;
mod store;
mod stored_texts;
mod tenants;
mod user_form;
mod users;

use shared::{Api, Envelope, background};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("directory", Envelope::Lms)
        .resource(accounts::endpoints())
        .resource(tenants::endpoints())
        .resource(admins::endpoints())
        .resource(features::endpoints())
        .resource(users::endpoints())
        .resource(logins::endpoints())
        .resource(courses::endpoints())
        .resource(content_migrations::endpoints())
        .resource(course_lists::endpoints())
        .resource(rosters::endpoints())
        .resource(sections::endpoints())
        .resource(enrollments::endpoints())
        .resource(enrolling::endpoints())
        .resource(enrollment_states::endpoints())
        .resource(groups::endpoints())
        .resource(group_memberships::endpoints())
        .internal(background::jobs(stored_texts::run))
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
