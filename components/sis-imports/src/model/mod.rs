//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod comparison;
pub(crate) mod kind;
pub(crate) mod note;
pub(crate) mod options;
pub(crate) mod restoration;
pub(crate) mod sis_imports;
pub(crate) mod unsupported;
