//! Why students cannot take a quiz or hand something in now.

use serde_json::{Value, json};
use shared::Timestamp;
use shared::ids::{AssignmentId, QuizId};

/// From when on, and until when.
type OpenDates = (Option<Timestamp>, Option<Timestamp>);

/// A lock, as records tell of it.
#[derive(Clone)]
pub(crate) struct Lock {
    pub(crate) info: Value,
    pub(crate) explanation: String,
}

impl Lock {
    /// The lock of a quiz for the student who reads it.
    pub(crate) fn of_quiz(id: QuizId, dates: OpenDates, now: Timestamp) -> Option<Self> {
        Self::by_dates("quiz", &format!("quizzes:quiz_{id}"), dates, now)
    }

    /// The lock of an assignment for the student who reads it. Its list has the same in its statement.
    pub(crate) fn of_assignment(id: AssignmentId, dates: OpenDates, now: Timestamp) -> Option<Self> {
        Self::by_dates("assignment", &format!("assignment_{id}"), dates, now)
    }

    fn by_dates(what: &str, asset: &str, (unlock_at, lock_at): OpenDates, now: Timestamp) -> Option<Self> {
        if let Some(unlock_at) = unlock_at.filter(|unlock_at| now < *unlock_at) {
            let info = json!({ "asset_string": asset, "unlock_at": unlock_at });
            return Some(Self { info, explanation: format!("This {what} is locked until {unlock_at}.") });
        }
        let lock_at = lock_at.filter(|lock_at| *lock_at <= now)?;
        let info = json!({ "asset_string": asset, "lock_at": lock_at, "can_view": true });
        Some(Self { info, explanation: format!("This {what} was locked {lock_at}.") })
    }
}
