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

use shared::{Envelope, background, component};

component!(
    "directory",
    Envelope::Lms,
    [accounts, tenants, admins, features, users, logins, courses, content_migrations, course_lists, rosters, sections, enrollments, enrolling, enrollment_states, groups, group_memberships],
    internal: [background::jobs(stored_texts::run)],
);
