//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod assessments;
pub(crate) mod mastery_credentials;
pub(crate) mod mastery_imports;
pub(crate) mod reports;
pub(crate) mod resources;
pub(crate) mod token;
