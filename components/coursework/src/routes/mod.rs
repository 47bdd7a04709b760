//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod assignments;
pub(crate) mod attempts;
pub(crate) mod late_policy;
pub(crate) mod question_banks;
pub(crate) mod quiz;
pub(crate) mod quiz_extensions;
pub(crate) mod quiz_submissions;
pub(crate) mod quizzes;
pub(crate) mod students;
