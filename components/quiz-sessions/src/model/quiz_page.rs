//! A new quiz as the page says it before somebody begins.

use std::collections::BTreeMap;

use questions::Fraction;
use serde::Deserialize;
use shared::Timestamp;
use shared::db::Json;
use shared::ids::BankId;
use submissions::quiz_settings::{OneAtATime, QuizSettings};

use crate::model::drawing::wanted;

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
    questions: Json<Vec<PricedQuestions>>,
}

/// A question of the quiz, or those that are drawn of a bank, without what they ask.
#[derive(Deserialize)]
struct PricedQuestions {
    /// The points of each.
    points: f64,
    bank: Option<BankId>,
    /// The number of questions that are there to be drawn; 1 without a bank.
    available: usize,
    /// The number of them that are drawn; `None`: all.
    sample: Option<i64>,
}

/// The points of all questions, as [`draw`](crate::model::drawing::draw) finds them for each session. A question is in one bank at
/// most, and no question is drawn twice: an item finds in its bank what those before it have left there.
fn points_of(questions: &[PricedQuestions]) -> f64 {
    let mut drawn: BTreeMap<BankId, usize> = BTreeMap::new();
    let points = questions.iter().map(|item| {
        let count = item.bank.map_or(item.available, |bank| {
            let before = drawn.entry(bank).or_default();
            let left = item.available.saturating_sub(*before);
            let count = item.sample.map_or(left, |sample| wanted(sample).min(left));
            *before = before.saturating_add(count);
            count
        });
        Fraction::of_parts(count, 1) * Fraction::of_number(item.points)
    });
    points.sum::<Fraction>().to_f64()
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
        let points = points_of(&self.questions.0);
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
            "questions": [],
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
        let item = |points: f64| json!({ "points": points, "bank": null, "available": 1, "sample": null });
        let worth = |items: &[Value], of_assignment: Value| {
            let mut quiz = quiz(json!({}));
            quiz.points_possible = of_assignment.as_f64();
            quiz.questions = serde_json::from_value(items.into()).unwrap();
            let Worth { points, points_of_grade } = quiz.worth();
            (points, points_of_grade)
        };
        assert_eq!(worth(&[item(1.5), item(2.0)], json!(7)), (Some(3.5), Some(7.0)));
        assert_eq!(worth(&[item(1.5), item(2.0)], json!(3.5)), (Some(3.5), None));
        for none in [json!(0), Value::Null] {
            assert_eq!(worth(&[item(2.0)], none), (Some(2.0), None));
        }
        assert_eq!(worth(&[], json!(7)), (Some(7.0), None));
        let drawn = |points: f64, bank: i64, available: usize, sample: Value| {
            let mut drawn = item(points);
            drawn["bank"] = bank.into();
            drawn["available"] = available.into();
            drawn["sample"] = sample;
            drawn
        };
        let points = |items: &[Value]| worth(items, Value::Null).0;
        assert_eq!(points(&[drawn(0.1, 1, 8, json!(3))]), Some(0.3));
        assert_eq!(points(&[drawn(2.0, 1, 8, json!(9))]), Some(16.0));
        let twice = [drawn(2.0, 1, 8, json!(3)), item(1.0), drawn(2.0, 2, 4, json!(1)), drawn(0.5, 1, 8, Value::Null)];
        assert_eq!(points(&twice), Some(11.5), "the second finds what the first has left");
        assert_eq!(worth(&[], Value::Null), (None, None));
    }

    #[test]
    fn attempts_are_counted_as_they_are_when_somebody_begins() {
        assert_eq!(quiz(json!({})).attempts(), None);
        assert_eq!(quiz(json!({ "multiple_attempts": {} })).attempts(), Some(2));
    }
}
