//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod accounts;
pub(crate) mod admins;
pub(crate) mod checks;
pub(crate) mod copied_links;
pub(crate) mod course_settings;
pub(crate) mod courses;
pub(crate) mod enrollments;
pub(crate) mod filters;
pub(crate) mod group_memberships;
pub(crate) mod groups;
pub(crate) mod logins;
pub(crate) mod sections;
pub(crate) mod selection;
pub(crate) mod terms;
pub(crate) mod unsupported;
pub(crate) mod user_form;
pub(crate) mod users;
