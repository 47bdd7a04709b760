//! A new quiz as the page says it before somebody begins.

use serde::Deserialize;
use shared::Timestamp;
use shared::db::Json;

/// The quiz.
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
    pub(crate) quiz_settings: Json<PageSettings>,
}

/// The settings that somebody must know of before beginning.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct PageSettings {
    require_student_access_code: bool,
    student_access_code: Option<String>,
    has_time_limit: bool,
    session_time_limit_in_seconds: Option<i64>,
    one_at_a_time_type: String,
    allow_backtracking: bool,
    multiple_attempts: Option<PageAttempts>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PageAttempts {
    multiple_attempts_enabled: bool,
    attempt_limit: bool,
    max_attempts: Option<i64>,
}

impl QuizPage {
    /// True if the quiz opens to those alone who know a code.
    pub(crate) fn asks_for_code(&self) -> bool {
        let PageSettings { require_student_access_code, student_access_code, .. } = &self.quiz_settings.0;
        *require_student_access_code && student_access_code.as_deref().is_some_and(|code| !code.is_empty())
    }
}

impl PageSettings {
    /// The time limit in minutes; begun ones count.
    pub(crate) fn minutes(&self) -> Option<i64> {
        self.session_time_limit_in_seconds.filter(|_| self.has_time_limit).map(|seconds| seconds.saturating_add(59) / 60)
    }

    /// How often the quiz may be taken; `None`: without end. A quiz that says nothing of attempts limits none.
    pub(crate) fn attempts(&self) -> Option<i64> {
        let attempts = self.multiple_attempts.as_ref()?;
        match (attempts.multiple_attempts_enabled, attempts.attempt_limit) {
            (false, _) => Some(1),
            (true, true) => attempts.max_attempts,
            (true, false) => None,
        }
    }

    pub(crate) fn is_one_at_a_time(&self) -> bool {
        self.one_at_a_time_type == "question"
    }

    /// True if questions that were left may be looked at again.
    pub(crate) fn goes_back(&self) -> bool {
        self.allow_backtracking
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn settings(json: Value) -> PageSettings {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn a_time_limit_counts_where_it_is_set() {
        assert_eq!(settings(json!({ "session_time_limit_in_seconds": 90 })).minutes(), None);
        assert_eq!(settings(json!({ "has_time_limit": true, "session_time_limit_in_seconds": 90 })).minutes(), Some(2));
        assert_eq!(settings(json!({ "has_time_limit": true })).minutes(), None);
    }

    #[test]
    fn attempts_are_counted_as_they_are_when_somebody_begins() {
        let attempts = |multiple: Value| settings(json!({ "multiple_attempts": multiple })).attempts();
        assert_eq!(attempts(Value::Null), None);
        assert_eq!(attempts(json!({ "max_attempts": 3 })), Some(1));
        assert_eq!(attempts(json!({ "multiple_attempts_enabled": true, "max_attempts": 3 })), None);
        let limited = json!({ "multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 3 });
        assert_eq!(attempts(limited), Some(3));
    }
}
