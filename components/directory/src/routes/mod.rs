//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod accounts;
pub(crate) mod admins;
pub(crate) mod content_migrations;
pub(crate) mod course_copy;
pub(crate) mod courses;
pub(crate) mod enrollments;
pub(crate) mod features;
pub(crate) mod groups;
pub(crate) mod logins;
pub(crate) mod memberships;
pub(crate) mod sections;
pub(crate) mod terms;
pub(crate) mod users;
