//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod image;
pub(crate) mod item;
pub(crate) mod stimulus;
