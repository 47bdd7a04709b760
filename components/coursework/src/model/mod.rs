//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod answers;
pub(crate) mod assignment_overrides;
pub(crate) mod assignments;
pub(crate) mod courses;
pub(crate) mod form;
pub(crate) mod formulas;
pub(crate) mod late_policies;
pub(crate) mod locks;
pub(crate) mod matches;
pub(crate) mod new_quizzes;
pub(crate) mod open_questions;
pub(crate) mod question_banks;
pub(crate) mod questions;
pub(crate) mod quiz_extensions;
pub(crate) mod quiz_scoring;
pub(crate) mod quiz_statistics;
pub(crate) mod quiz_submission_view;
pub(crate) mod quiz_submissions;
pub(crate) mod quizzes;
pub(crate) mod regrades;
pub(crate) mod rules;
pub(crate) mod submission_includes;
pub(crate) mod submission_order;
pub(crate) mod unsupported;
