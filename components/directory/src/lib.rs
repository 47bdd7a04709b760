//! The directory: accounts and their administrators, users and their logins, courses, sections and enrollments.

mod model;
mod notices;
mod routes;
mod store;
mod stored_texts;

use shared::{LmsErrors, background, component};

component!(
    "directory",
    LmsErrors,
    [
        accounts,
        accounts::tenants,
        admins,
        features,
        users,
        logins,
        courses,
        content_migrations,
        courses::lists,
        courses::users,
        courses::students,
        courses::settings,
        sections,
        terms,
        enrollments,
        enrollments::enrolling,
        enrollments::states,
        groups,
        groups::users,
        memberships,
        course_copy,
    ],
    internal: [background::jobs(stored_texts::run)],
);
