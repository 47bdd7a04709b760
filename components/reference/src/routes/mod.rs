//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod docs;
pub(crate) mod openapi;
pub(crate) mod root;
