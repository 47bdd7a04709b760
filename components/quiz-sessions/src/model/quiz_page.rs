//! A new quiz as the page says it before somebody begins.

use serde::Deserialize;
use shared::Timestamp;
use shared::db::Json;
use submissions::quiz_settings::{OneAtATime, QuizSettings};

/// The quiz, for the user who calls.
#[derive(Deserialize)]
pub(crate) struct QuizPage {
    pub(crate) title: String,
    /// Rich content.
    pub(crate) instructions: Option<String>,
    pub(crate) points_possible: Option<f64>,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) published: bool,
    quiz_settings: Json<QuizSettings>,
    extra_time: i64,
    extra_attempts: i64,
}

impl QuizPage {
    /// True if the quiz opens to those alone who know a code.
    pub(crate) fn asks_for_code(&self) -> bool {
        self.settings().access_code().is_some()
    }

    /// The time limit in minutes, of which begun ones count, with what the student is given beyond it.
    pub(crate) fn minutes(&self) -> Option<i64> {
        let seconds = self.settings().session_time_limit_in_seconds.filter(|_| self.settings().has_time_limit)?;
        Some((seconds.saturating_add(59) / 60).saturating_add(self.extra_time))
    }

    /// How often the student may take the quiz; `None`: without end.
    pub(crate) fn attempts(&self) -> Option<i64> {
        self.settings().most_attempts(self.extra_attempts)
    }

    pub(crate) fn is_one_at_a_time(&self) -> bool {
        self.settings().one_at_a_time_type == OneAtATime::Question
    }

    /// True if questions that were left may be looked at again.
    pub(crate) fn goes_back(&self) -> bool {
        self.settings().allow_backtracking
    }

    fn settings(&self) -> &QuizSettings {
        &self.quiz_settings.0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn quiz(settings: Value) -> QuizPage {
        let quiz = json!({
            "title": "Leaves", "instructions": null, "points_possible": null, "due_at": null, "unlock_at": null,
            "lock_at": null, "published": true, "quiz_settings": settings, "extra_time": 5, "extra_attempts": 1,
        });
        serde_json::from_value(quiz).unwrap()
    }

    #[test]
    fn a_time_limit_counts_where_it_is_set_with_what_a_student_has_beyond_it() {
        assert_eq!(quiz(json!({ "session_time_limit_in_seconds": 90 })).minutes(), None);
        assert_eq!(quiz(json!({ "has_time_limit": true, "session_time_limit_in_seconds": 90 })).minutes(), Some(7));
        assert_eq!(quiz(json!({ "has_time_limit": true })).minutes(), None);
    }

    #[test]
    fn attempts_are_counted_as_they_are_when_somebody_begins() {
        assert_eq!(quiz(json!({})).attempts(), None);
        assert_eq!(quiz(json!({ "multiple_attempts": {} })).attempts(), Some(2));
    }
}
