//! New quizzes, which the API has below `/api/quiz`.

pub(crate) mod quizzes;
