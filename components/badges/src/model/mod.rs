//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod documents;
pub(crate) mod entity;
pub(crate) mod pages;
pub(crate) mod recipients;
