//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod credentials;
pub(crate) mod error_format;
pub(crate) mod reader;
