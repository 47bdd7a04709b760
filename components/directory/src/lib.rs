//! The directory: accounts and their administrators, users and their logins, courses, sections and enrollments.

mod model;
mod own_sections;
mod routes;
mod store;
mod stored_texts;

use shared::{Envelope, background, component};

component!(
    "directory",
    Envelope::Lms,
    [accounts, accounts::tenants, admins, features, users, logins, courses, content_migrations, courses::lists, courses::users, sections, enrollments, enrollments::enrolling, enrollments::states, groups, memberships],
    internal: [background::jobs(stored_texts::run)],
);
