//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod exports;
pub(crate) mod migration_issues;
pub(crate) mod quiz_settings;
