//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod bounces;
pub(crate) mod operator;
pub(crate) mod outbox;
