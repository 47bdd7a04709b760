//! What an answer is worth after its key was corrected, or its question is worth more or less.

use std::collections::BTreeMap;

use questions::question::StoredQuestion;
use questions::{Fraction, Question, Score, ScoreState, score};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::Error;
use shared::db::Json;
use shared::ids::{QuestionItemId, QuizSessionId, UserId};
use submissions::regrades::{AnswerPoints, RegradeOption, in_proportion};

use crate::model::drawing::DrawnItem;
use crate::model::items::AskedQuestion;
use crate::model::scores::piece;

/// Points that differ by less are the same.
const PRECISION: f64 = 1e-9;

/// An attempt that is to be regraded.
#[derive(Deserialize)]
pub(crate) struct DueAttempt {
    /// The row in the regrade.
    pub(crate) id: i64,
    pub(crate) session_id: QuizSessionId,
    pub(crate) user_id: UserId,
    /// To the questions that are regraded, as far as the session has them.
    answers: Json<Vec<DueAnswer>>,
}

impl DueAttempt {
    /// The questions that are regraded.
    pub(crate) fn questions(&self) -> impl Iterator<Item = QuestionItemId> {
        self.answers.0.iter().filter_map(|answer| answer.item.0.question)
    }
}

/// An answer that is to be regraded.
#[derive(Deserialize)]
struct DueAnswer {
    /// The item as the session has it.
    item: Json<DrawnItem>,
    response: Option<Json>,
    points: Option<f64>,
    /// A person has given the points.
    is_by_person: bool,
}

/// What an answer is worth from now on.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct NewPoints {
    session_id: QuizSessionId,
    item_id: String,
    /// Null: somebody must judge it.
    points: Option<f64>,
    /// JSON; null: what was said of the pieces stays.
    parts: Option<String>,
}

/// What is right in a question, as it is stored.
pub(crate) struct KeyOf {
    pub(crate) scoring_algorithm: String,
    pub(crate) scoring_data: Json,
}

/// What a regrade gives.
pub(crate) struct Regrading {
    option: RegradeOption,
    /// What each question is worth from now on; `None`: the same.
    points: Option<f64>,
    questions: BTreeMap<QuestionItemId, Keys>,
}

impl Regrading {
    /// Of these questions, of which there is one where it has two keys: what was right before, and what is now. A question that
    /// cannot be judged is left out, and `log` is told why.
    pub(crate) fn new(
        option: RegradeOption,
        points: Option<f64>,
        questions: Vec<AskedQuestion>,
        keys: Option<&[KeyOf; 2]>,
        log: impl Fn(&Error),
    ) -> Self {
        let parsed = |asked: AskedQuestion| match Keys::of(&asked.question, keys) {
            Ok(keys) => Some((asked.id, keys)),
            Err(error) => {
                log(&error);
                None
            }
        };
        Self { option, points, questions: questions.into_iter().filter_map(parsed).collect() }
    }

    /// What an attempt has for the questions after the regrade, as far as that is something else.
    ///
    /// Points that a person gave stay. Where a program cannot judge the answer, what it has stays too, unless only what is right
    /// now counts.
    pub(crate) fn regraded(&self, attempt: &DueAttempt) -> Vec<NewPoints> {
        let regraded = |answer| self.regraded_answer(attempt.session_id, answer);
        attempt.answers.0.iter().filter_map(regraded).collect()
    }

    fn regraded_answer(&self, session_id: QuizSessionId, answer: &DueAnswer) -> Option<NewPoints> {
        let keys = self.questions.get(&answer.item.0.question?).filter(|_| !answer.is_by_person)?;
        let before = answer.item.0.points;
        let item = DrawnItem { points: self.points.unwrap_or(before), ..answer.item.0.clone() };
        let worth = |question| Worth::of(question, &item, answer.response.as_ref().map(|response| &response.0));
        let (current, previous) = (worth(&keys.current), worth(&keys.previous));
        let points = self.option.points(&AnswerPoints {
            current: current.points,
            previous: previous.points,
            had: answer.points.map(|points| in_proportion(points, (before, item.points))),
            possible: item.points,
        });
        let parts = [current, previous].into_iter().find(|worth| worth.is(points)).and_then(|worth| worth.parts);
        let is_same = parts.is_none() && is_same(points, answer.points);
        (!is_same).then_some(NewPoints { session_id, item_id: item.id, points, parts })
    }
}

/// A question with its two keys.
struct Keys {
    previous: Question,
    current: Question,
}

impl Keys {
    fn of(question: &StoredQuestion, keys: Option<&[KeyOf; 2]>) -> Result<Self, Error> {
        let parsed = |key: Option<&KeyOf>| {
            let mut stored = question.clone();
            if let Some(KeyOf { scoring_algorithm, scoring_data }) = key {
                (stored.scoring_algorithm, stored.scoring_data) = (scoring_algorithm.clone(), scoring_data.clone());
            }
            Question::parse(stored.into()).map_err(Error::internal)
        };
        let [previous, current] = keys.map_or([None, None], |keys| keys.each_ref().map(Some));
        Ok(Self { previous: parsed(previous)?, current: parsed(current)? })
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

    fn is(&self, points: Option<f64>) -> bool {
        is_same(self.points, points)
    }
}

fn is_same(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() < PRECISION,
        (one, other) => one.is_none() && other.is_none(),
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

    fn question() -> AskedQuestion {
        let question = json!({
            "title": null, "item_body": "Is it?", "calculator_type": "none", "feedback": {},
            "interaction_type_slug": "true-false", "interaction_data": {"true_choice": "Yes", "false_choice": "No"},
            "properties": {}, "scoring_data": {"value": false}, "answer_feedback": {}, "scoring_algorithm": "Equivalence",
        });
        serde_json::from_value(json!({ "id": 3, "question": question })).unwrap()
    }

    fn attempt(response: Value, points: Option<f64>, is_by_person: bool) -> DueAttempt {
        let item = json!({"id": "1", "points": 2, "question": 3, "stimulus": null, "about": null, "variant": null, "position": 1});
        let answer = json!({ "item": item, "response": response, "points": points, "is_by_person": is_by_person });
        serde_json::from_value(json!({ "id": 6, "session_id": 7, "user_id": 8, "answers": [answer] })).unwrap()
    }

    /// The points after the key was corrected from yes to no, and the question is worth so much; `None`: what it had.
    fn after_worth(option: RegradeOption, points: Option<f64>, attempt: &DueAttempt) -> Option<Option<f64>> {
        let key = |value: bool| KeyOf {
            scoring_algorithm: "Equivalence".to_owned(),
            scoring_data: serde_json::from_value(json!({ "value": value })).unwrap(),
        };
        let keys = [key(true), key(false)];
        let regrading = Regrading::new(option, points, vec![question()], Some(&keys), |error| panic!("{error}"));
        let mut regraded = regrading.regraded(attempt);
        assert!(regraded.len() <= 1);
        regraded.pop().map(|new| new.points)
    }

    fn after(option: RegradeOption, attempt: &DueAttempt) -> Option<f64> {
        let had = attempt.answers.0.first().and_then(|answer| answer.points);
        after_worth(option, None, attempt).unwrap_or(had)
    }

    #[test]
    fn each_option_gives_what_it_says() {
        use RegradeOption::{CurrentAndPreviousCorrect, CurrentCorrectOnly, FullCredit, NoRegrade};
        let (yes, no) = (attempt(json!(true), Some(2.0), false), attempt(json!(false), Some(0.0), false));
        let none = attempt(json!(null), Some(0.0), false);
        let points = |option| [&yes, &no, &none].map(|own| after(option, own));
        assert_eq!(points(CurrentCorrectOnly), [Some(0.0), Some(2.0), Some(0.0)]);
        assert_eq!(points(CurrentAndPreviousCorrect), [Some(2.0), Some(2.0), Some(0.0)]);
        assert_eq!(points(FullCredit), [Some(2.0); 3]);
        assert_eq!(points(NoRegrade), [Some(2.0), Some(0.0), Some(0.0)]);
    }

    #[test]
    fn answers_are_scored_anew_by_what_the_question_is_worth_now() {
        use RegradeOption::{CurrentAndPreviousCorrect, CurrentCorrectOnly};
        let (yes, no) = (attempt(json!(true), Some(2.0), false), attempt(json!(false), Some(0.0), false));
        let points = |option| [&yes, &no].map(|own| after_worth(option, Some(5.0), own).flatten());
        assert_eq!(points(CurrentCorrectOnly), [Some(0.0), Some(5.0)]);
        assert_eq!(points(CurrentAndPreviousCorrect), [Some(5.0), Some(5.0)]);
        let credited = attempt(json!(null), Some(1.0), false);
        assert_eq!(after_worth(CurrentAndPreviousCorrect, Some(5.0), &credited), Some(Some(2.5)), "in proportion");
        let by_person = attempt(json!(true), Some(1.5), true);
        assert_eq!(after_worth(CurrentAndPreviousCorrect, Some(5.0), &by_person), None);
    }

    #[test]
    fn who_was_taking_the_quiz_has_the_previous_key_too() {
        let scored_by_the_new_key = attempt(json!(true), Some(0.0), false);
        assert_eq!(after(RegradeOption::CurrentAndPreviousCorrect, &scored_by_the_new_key), Some(2.0));
    }

    #[test]
    fn what_a_person_gave_or_the_session_has_not_stays() {
        let option = RegradeOption::FullCredit;
        assert_eq!(after_worth(option, None, &attempt(json!(true), Some(1.5), true)), None);
        let not_asked = DueAttempt { answers: Json(Vec::new()), ..attempt(json!(true), None, false) };
        assert_eq!(after_worth(option, None, &not_asked), None);
    }

    #[test]
    fn points_are_added_up_exactly() {
        let changes = [(Some(0.1), Some(0.3)), (None, Some(0.1)), (Some(0.3), None)];
        assert!(points_gained(changes.into_iter()).abs() < f64::EPSILON);
    }
}
