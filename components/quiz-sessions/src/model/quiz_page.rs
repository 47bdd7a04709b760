//! A new quiz as the page says it before somebody begins.

use serde::Deserialize;
use shared::Timestamp;
use shared::db::Json;
use submissions::quiz_settings::{OneAtATime, QuizSettings};

use crate::model::drawing::{SourceItem, draw};

/// The quiz, for the user who calls.
#[derive(Deserialize)]
pub(crate) struct QuizPage {
    pub(crate) title: String,
    /// Rich content.
    pub(crate) instructions: Option<String>,
    /// The points of the assignment, to which scores are scaled.
    points_possible: Option<f64>,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) published: bool,
    quiz_settings: Json<QuizSettings>,
    extra_time: i64,
    extra_attempts: i64,
    items: Json<Vec<SourceItem>>,
}

/// What can be earned with a quiz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Worth {
    /// The points of its questions together, of which a result tells how many were earned.
    pub(crate) points: Option<f64>,
    /// The points that all of these are worth in the grade, where those are others.
    pub(crate) points_of_grade: Option<f64>,
}

impl QuizPage {
    /// What can be earned. A quiz that asks nothing yet has the points of its assignment.
    pub(crate) fn worth(&self) -> Worth {
        // Whichever questions are drawn of a bank: each of them has the points of the bank's item.
        let points = draw(self.items.0.clone(), 0, false).points_possible;
        let of_assignment = self.points_possible.filter(|points| *points > 0.0);
        if points > 0.0 {
            let points_of_grade = of_assignment.filter(|of_assignment| (of_assignment - points).abs() > f64::EPSILON);
            return Worth { points: Some(points), points_of_grade };
        }
        Worth { points: self.points_possible, points_of_grade: None }
    }

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
            "items": [],
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
    fn a_quiz_is_worth_the_points_of_its_questions_which_the_assignment_may_count_otherwise() {
        let item = |points: f64| {
            json!({ "id": 1, "points": points, "question": 1, "stimulus": null, "about": null, "variants": null,
                    "entries": null, "sample": null })
        };
        let worth = |items: &[Value], of_assignment: Value| {
            let mut quiz = quiz(json!({}));
            quiz.points_possible = of_assignment.as_f64();
            quiz.items = serde_json::from_value(items.into()).unwrap();
            let Worth { points, points_of_grade } = quiz.worth();
            (points, points_of_grade)
        };
        assert_eq!(worth(&[item(1.5), item(2.0)], json!(7)), (Some(3.5), Some(7.0)));
        assert_eq!(worth(&[item(1.5), item(2.0)], json!(3.5)), (Some(3.5), None));
        for none in [json!(0), Value::Null] {
            assert_eq!(worth(&[item(2.0)], none), (Some(2.0), None));
        }
        assert_eq!(worth(&[], json!(7)), (Some(7.0), None));
        assert_eq!(worth(&[], Value::Null), (None, None));
    }

    #[test]
    fn attempts_are_counted_as_they_are_when_somebody_begins() {
        assert_eq!(quiz(json!({})).attempts(), None);
        assert_eq!(quiz(json!({ "multiple_attempts": {} })).attempts(), Some(2));
    }
}
