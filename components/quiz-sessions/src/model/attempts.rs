//! Attempts as those see them who grade.

use serde::Deserialize;
use shared::Timestamp;
use shared::db::Json;
use shared::ids::{QuizSessionId, UserId};

/// The attempts that a grader wants to see.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AttemptsFilter {
    /// Only those in which an answer waits for a person.
    pub(crate) waiting: bool,
    /// Only those of this user.
    pub(crate) user: Option<UserId>,
    /// Only those that began after this one.
    pub(crate) after: Option<QuizSessionId>,
}

/// An attempt of a list.
#[derive(Deserialize)]
pub(crate) struct AttemptLine {
    pub(crate) id: QuizSessionId,
    /// `None` while the work is graded anonymously.
    pub(crate) user_id: Option<UserId>,
    /// The name, or what stands for it.
    pub(crate) student: String,
    pub(crate) attempt: i64,
    /// `None`: it runs.
    pub(crate) submitted_at: Option<Timestamp>,
    pub(crate) score: Option<f64>,
    pub(crate) points_possible: f64,
    pub(crate) is_scored: Option<bool>,
    /// The number of answers that wait for a person.
    pub(crate) waiting: i64,
}

/// What there is beside an attempt.
#[derive(Deserialize)]
pub(crate) struct AttemptsAround {
    pub(crate) student: String,
    /// Who has graded it last.
    pub(crate) grader: Option<String>,
    /// All attempts of the student that are handed in.
    pub(crate) attempts: Json<Vec<OtherAttempt>>,
    /// The next attempt in which an answer waits for a person.
    pub(crate) next_waiting: Option<QuizSessionId>,
}

/// Another attempt of the same student, or the same.
#[derive(Deserialize)]
pub(crate) struct OtherAttempt {
    pub(crate) id: QuizSessionId,
    pub(crate) attempt: i64,
}
