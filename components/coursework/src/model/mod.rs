//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod answers;
pub(crate) mod form;
pub(crate) mod grading;
pub(crate) mod quiz_options;
pub(crate) mod quiz_results;
pub(crate) mod quiz_scoring;
pub(crate) mod quiz_settings;
pub(crate) mod quiz_submission_view;
pub(crate) mod rules;
pub(crate) mod submission_view;
