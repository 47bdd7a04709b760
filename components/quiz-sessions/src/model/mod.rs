//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod accommodations;
pub(crate) mod addresses;
pub(crate) mod answers;
pub(crate) mod attempts;
pub(crate) mod comments;
pub(crate) mod drawing;
pub(crate) mod fewer_choices;
pub(crate) mod grading;
pub(crate) mod grading_sheet;
pub(crate) mod items;
pub(crate) mod quiz_page;
pub(crate) mod quizzes;
pub(crate) mod regrades;
pub(crate) mod regrading;
pub(crate) mod results;
pub(crate) mod scores;
pub(crate) mod session_view;
pub(crate) mod sessions;
pub(crate) mod statistics;
pub(crate) mod typed;
