//! quiz

pub(crate) mod quizzes;
