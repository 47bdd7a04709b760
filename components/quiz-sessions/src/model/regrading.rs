//! What an answer is worth after its key was corrected.

use questions::question::StoredQuestion;
use questions::{Fraction, Question, Score, ScoreState, score};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::Error;
use shared::db::Json;
use shared::ids::{QuizSessionId, UserId};

use crate::model::drawing::DrawnItem;
use crate::model::regrades::RegradeOption;
use crate::model::scores::piece;

/// An attempt that is to be regraded.
#[derive(Deserialize)]
pub(crate) struct DueAttempt {
    pub(crate) session_id: QuizSessionId,
    pub(crate) user_id: UserId,
    /// The item as the session has it; null where it was put into the quiz later.
    item: Option<Json<DrawnItem>>,
    response: Option<Json>,
    points: Option<f64>,
    /// A person has given the points.
    is_by_person: bool,
}

/// What an answer is worth from now on.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct NewPoints {
    session_id: QuizSessionId,
    /// Null: somebody must judge it.
    points: Option<f64>,
    /// JSON; null: what was said of the pieces stays.
    parts: Option<String>,
}

/// The question with its two keys.
pub(crate) struct Keys {
    previous: Question,
    current: Question,
}

impl Keys {
    /// The keys of a question, as they are stored.
    pub(crate) fn of(previous: StoredQuestion, current: StoredQuestion) -> Result<Self, Error> {
        let parsed = |stored: StoredQuestion| Question::parse(stored.into()).map_err(Error::internal);
        Ok(Self { previous: parsed(previous)?, current: parsed(current)? })
    }

    /// What an attempt has for the question after the regrade; `None`: what it has.
    ///
    /// Points that a person gave stay. Where a program cannot judge the answer, what it has stays too, unless only what is right
    /// now counts.
    pub(crate) fn regraded(&self, option: RegradeOption, attempt: &DueAttempt) -> Option<NewPoints> {
        let item = attempt.item.as_ref().filter(|_| !attempt.is_by_person)?;
        let worth = |question| Worth::of(question, &item.0, attempt.response.as_ref().map(|response| &response.0));
        let best = match option {
            RegradeOption::NoRegrade => return None,
            RegradeOption::FullCredit => Worth { points: Some(item.0.points), parts: None },
            RegradeOption::CurrentCorrectOnly => worth(&self.current),
            RegradeOption::CurrentAndPreviousCorrect => {
                let [current, previous] = [worth(&self.current), worth(&self.previous)];
                let best = if previous.points > current.points { previous } else { current };
                // More than both keys give was given by an earlier regrade.
                if attempt.points.is_some() && best.points <= attempt.points {
                    return None;
                }
                best
            }
        };
        Some(NewPoints { session_id: attempt.session_id, points: best.points, parts: best.parts })
    }
}

/// What an answer is worth by a key.
struct Worth {
    /// `None`: no program can judge it.
    points: Option<f64>,
    parts: Option<String>,
}

impl Worth {
    fn of(question: &Question, item: &DrawnItem, response: Option<&Value>) -> Self {
        let Ok(Score { fraction, parts, state }) = score(question, response, item.variant) else {
            return Self { points: None, parts: None };
        };
        let parts: Vec<_> = parts.iter().map(|part| piece(part, item.points)).collect();
        let is_judged = state != ScoreState::WaitsForPerson;
        Self {
            points: is_judged.then(|| fraction.of_points(item.points).to_f64()),
            parts: Some(Value::from(parts).to_string()),
        }
    }
}

/// The points that were gained, exact: of what nobody had judged, or judges, nothing.
pub(crate) fn points_gained(changes: impl Iterator<Item = (Option<f64>, Option<f64>)>) -> f64 {
    let part = |points: Option<f64>| points.map_or_else(Fraction::zero, Fraction::of_number);
    changes.map(|(before, after)| part(after) - part(before)).sum::<Fraction>().to_f64()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(key: bool) -> StoredQuestion {
        serde_json::from_value(json!({
            "title": null, "item_body": "Is it?", "calculator_type": "none", "feedback": {},
            "interaction_type_slug": "true-false", "interaction_data": {"true_choice": "Yes", "false_choice": "No"},
            "properties": {}, "scoring_data": {"value": key}, "answer_feedback": {}, "scoring_algorithm": "Equivalence",
        }))
        .unwrap()
    }

    fn attempt(response: Value, points: Option<f64>, is_by_person: bool) -> DueAttempt {
        let item = json!({"id": "1", "points": 2, "question": 3, "stimulus": null, "about": null, "variant": null, "position": 1});
        serde_json::from_value(json!({
            "session_id": 7, "user_id": 8, "item": item, "response": response, "points": points, "is_by_person": is_by_person,
        }))
        .unwrap()
    }

    /// The points after the key was corrected from yes to no.
    fn after(option: RegradeOption, attempt: &DueAttempt) -> Option<Option<f64>> {
        let keys = Keys::of(question(true), question(false)).unwrap();
        keys.regraded(option, attempt).map(|new| new.points)
    }

    #[test]
    fn each_option_gives_what_it_says() {
        use RegradeOption::{CurrentAndPreviousCorrect, CurrentCorrectOnly, FullCredit, NoRegrade};
        let (yes, no, none) =
            (attempt(json!(true), Some(2.0), false), attempt(json!(false), Some(0.0), false), json!(null));
        let none = attempt(none, Some(0.0), false);
        assert_eq!(
            [&yes, &no, &none].map(|own| after(CurrentCorrectOnly, own)),
            [Some(Some(0.0)), Some(Some(2.0)), Some(Some(0.0))]
        );
        assert_eq!([&yes, &no, &none].map(|own| after(CurrentAndPreviousCorrect, own)), [None, Some(Some(2.0)), None]);
        assert_eq!([&yes, &no, &none].map(|own| after(FullCredit, own)), [Some(Some(2.0)); 3]);
        assert_eq!([&yes, &no, &none].map(|own| after(NoRegrade, own)), [None; 3]);
    }

    #[test]
    fn who_was_taking_the_quiz_has_the_previous_key_too() {
        let scored_by_the_new_key = attempt(json!(true), Some(0.0), false);
        assert_eq!(after(RegradeOption::CurrentAndPreviousCorrect, &scored_by_the_new_key), Some(Some(2.0)));
    }

    #[test]
    fn what_a_person_gave_or_the_session_has_not_stays() {
        assert_eq!(after(RegradeOption::FullCredit, &attempt(json!(true), Some(1.5), true)), None);
        let later = DueAttempt { item: None, ..attempt(json!(true), None, false) };
        assert_eq!(after(RegradeOption::FullCredit, &later), None);
    }

    #[test]
    fn points_are_added_up_exactly() {
        let changes = [(Some(0.1), Some(0.3)), (None, Some(0.1)), (Some(0.3), None)];
        assert!(points_gained(changes.into_iter()).abs() < f64::EPSILON);
    }
}
