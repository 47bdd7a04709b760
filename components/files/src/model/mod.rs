//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod checks;
pub(crate) mod ranges;
pub(crate) mod unsupported;
pub(crate) mod uploaders;
