//! The SQL of the area, a file for each resource.
//!
//! A record's columns are a constant, because the same record is answered by reads and, with `RETURNING`, by writes.
//! Where they have parameters, these come first: `?1`, `?2`.

pub(crate) mod accounts;
pub(crate) mod admins;
pub(crate) mod content_migrations;
mod copied_dates;
mod copied_texts;
pub(crate) mod copies;
mod course_sizes;
pub(crate) mod courses;
pub(crate) mod enrollments;
pub(crate) mod features;
mod file_copies;
pub(crate) mod group_memberships;
pub(crate) mod groups;
mod last_ids;
pub(crate) mod logins;
pub(crate) mod resets;
pub(crate) mod rosters;
pub(crate) mod sections;
pub(crate) mod stickiness;
pub(crate) mod stored_texts;
pub(crate) mod tenants;
pub(crate) mod terms;
mod user_search;
pub(crate) mod users;
