//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod content_exports;
pub(crate) mod issues;
pub(crate) mod migration_issues;
pub(crate) mod progress;
