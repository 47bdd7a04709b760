//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod accounts;
pub(crate) mod courses;
pub(crate) mod docs;
pub(crate) mod groups;
pub(crate) mod openapi;
pub(crate) mod profile;
pub(crate) mod root;
pub(crate) mod users;
