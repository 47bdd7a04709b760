//! The SQL of the area, by resource.

pub(crate) mod accommodations;
pub(crate) mod answers;
pub(crate) mod ending;
pub(crate) mod files;
pub(crate) mod grading;
pub(crate) mod overdue;
pub(crate) mod quiz_page;
pub(crate) mod quizzes;
pub(crate) mod regrades;
pub(crate) mod regrading;
pub(crate) mod sessions;
pub(crate) mod statistics;
