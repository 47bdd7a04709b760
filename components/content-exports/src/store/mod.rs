//! The SQL of the area.

pub(crate) mod content;
pub(crate) mod due;
pub(crate) mod exports;
pub(crate) mod import;
pub(crate) mod import_jobs;
pub(crate) mod jobs;
pub(crate) mod migration_issues;
pub(crate) mod pages;
pub(crate) mod progress;
pub(crate) mod quizzes;
