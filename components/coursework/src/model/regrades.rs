//! Regrades of classic quizzes: the key of a question is corrected, and what was asked stays.

use std::collections::BTreeSet;

use ::submissions::grading::rounded;
use ::submissions::regrades::{AnswerPoints, RegradeOption, in_proportion};
use classic_questions::{Answer, QuestionType};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::{Error, Result};

use crate::model::formulas;
use crate::model::quiz_scoring::AskedQuestion;
use crate::model::quiz_submissions::{PointsGiver, StudentAnswer};

/// What is right in a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct QuestionKey {
    pub(crate) answers: Vec<Answer>,
    /// Of a formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) answer_tolerance: Option<Value>,
}

/// A question and what is right in it.
pub(crate) struct KeyedQuestion<'a> {
    pub(crate) question_type: QuestionType,
    pub(crate) answers: &'a [Answer],
}

impl KeyedQuestion<'_> {
    /// 400 unless attempts at the question can be judged by another one, which has taken its place.
    pub(crate) fn require_regradable(&self, by: &Self) -> Result<()> {
        use QuestionType as T;
        let refused = |message: &str| Err(Error::invalid("regrade_option", "invalid", message));
        if matches!(self.question_type, T::Essay | T::FileUpload | T::TextOnly) {
            return refused("is for questions that a program grades");
        }
        if self.question_type != by.question_type {
            return refused("goes with the type of question that was asked");
        }
        let blanks = |answers: &[Answer]| answers.iter().map(|answer| answer.blank_id.clone()).collect::<BTreeSet<_>>();
        match self.question_type {
            T::FillInMultipleBlanks | T::MultipleDropdowns if blanks(self.answers) != blanks(by.answers) => {
                refused("goes with the blanks that were asked")
            }
            T::Matching if !is_paired(self.answers, by.answers) => refused("goes with the pairs that were asked"),
            _ => Ok(()),
        }
    }
}

/// True if each left half has one that has taken its place, and there is no other.
fn is_paired(asked: &[Answer], answers: &[Answer]) -> bool {
    asked.len() == answers.len() && asked.iter().all(|one| counterpart(one, answers).is_some())
}

/// The answer that has taken the place of one that was asked: the one that reads the same, or else has its id.
fn counterpart<'a>(asked: &Answer, answers: &'a [Answer]) -> Option<&'a Answer> {
    let of_blank = || answers.iter().filter(|other| other.blank_id == asked.blank_id);
    let mut alike = of_blank().filter(|other| other.text == asked.text && other.html == asked.html);
    match (alike.next(), alike.next()) {
        (Some(one), None) => Some(one),
        _ => of_blank().find(|other| other.id.is_some() && other.id == asked.id),
    }
}

/// A correction of a question.
pub(crate) struct Correction {
    pub(crate) option: RegradeOption,
    pub(crate) key: QuestionKey,
    /// What the question is worth from now on; `None`: the same.
    pub(crate) points: Option<f64>,
    /// No answer to a survey is wrong: a graded one gives all points for each.
    pub(crate) is_survey: bool,
}

impl Correction {
    /// The question with what is right and what it is worth now, and the answer with what it has afterwards. Points that a person
    /// gave stay.
    pub(crate) fn apply(&self, asked: &AskedQuestion, given: &StudentAnswer) -> (AskedQuestion, StudentAnswer) {
        let before = asked.points_possible;
        let possible = self.points.unwrap_or(before);
        let question = AskedQuestion { points_possible: possible, ..rekeyed(asked, &self.key) };
        if self.leaves(asked, given) {
            return (question, given.clone());
        }
        let points = self.option.points(&AnswerPoints {
            current: self.worth(&question, given, possible),
            previous: self.worth(asked, given, possible),
            had: given.points.map(|points| match points == before {
                true => possible,
                false => rounded(in_proportion(points, (before, possible))),
            }),
            possible,
        });
        (question, StudentAnswer { points, points_by: Some(PointsGiver::Regrade), ..given.clone() })
    }

    /// True if it leaves the points of an answer as they are: a person has given them.
    pub(crate) fn leaves(&self, asked: &AskedQuestion, given: &StudentAnswer) -> bool {
        match given.points_by {
            Some(giver) => giver == PointsGiver::Person,
            // Programs have rounded all points once. They have judged surveys by the key, too.
            None => {
                let by_program =
                    [self.worth(asked, given, asked.points_possible), worth(asked, given, asked.points_possible)];
                given.points.is_some()
                    && !by_program.map(|points| points.map(rounded)).contains(&given.points.map(rounded))
            }
        }
    }

    fn worth(&self, question: &AskedQuestion, given: &StudentAnswer, possible: f64) -> Option<f64> {
        if self.is_survey { Some(possible) } else { worth(question, given, possible) }
    }
}

fn worth(question: &AskedQuestion, given: &StudentAnswer, possible: f64) -> Option<f64> {
    question.worth(&given.answer).points(possible)
}

/// The question as it was asked, with another key. Choices, pairs and the numbers of a formula stay; a choice that is gone is wrong.
/// The solution that was drawn has the result that the key has for its values, or the one that it had.
fn rekeyed(asked: &AskedQuestion, key: &QuestionKey) -> AskedQuestion {
    use QuestionType as T;
    let mut question = asked.clone();
    match asked.question_type {
        T::MultipleChoice | T::TrueFalse | T::MissingWord | T::MultipleAnswers | T::MultipleDropdowns => {
            for answer in &mut question.answers {
                answer.weight = counterpart(answer, &key.answers).map_or(0.0, |current| current.weight);
            }
        }
        T::ShortAnswer | T::Numerical | T::FillInMultipleBlanks => question.answers.clone_from(&key.answers),
        T::Calculated => {
            question.question_data.answer_tolerance.clone_from(&key.answer_tolerance);
            for answer in &mut question.answers {
                let current = match asked.variables {
                    Some(_) => formulas::same_solution(answer, &key.answers),
                    None => counterpart(answer, &key.answers),
                };
                answer.answer = current.and_then(formulas::result).or(answer.answer);
            }
        }
        T::Matching => {
            let matches = asked.matches();
            for answer in &mut question.answers {
                let Some(current) = counterpart(answer, &key.answers) else { continue };
                let right = current.right.as_deref().unwrap_or_default();
                answer.match_id = matches.iter().find(|one| one.text == right).map(|one| one.match_id);
                answer.right.clone_from(&current.right);
            }
            question.matches = Some(matches);
        }
        T::Essay | T::FileUpload | T::TextOnly => {}
    }
    question
}

#[cfg(test)]
mod tests {
    use classic_questions::QuestionData;
    use serde_json::json;
    use shared::ids::QuestionId;

    use super::*;
    use crate::model::answers;

    fn question(question_type: QuestionType, answers: Value) -> AskedQuestion {
        AskedQuestion {
            id: QuestionId(1),
            question_type,
            question_name: "Question".to_owned(),
            question_text: String::new(),
            points_possible: 2.0,
            answers: answers::read(question_type, answers).unwrap(),
            question_data: QuestionData::default(),
            matches: None,
            variables: None,
        }
    }

    /// The points of an answer that was scored, after the answers became others.
    fn after(option: RegradeOption, asked: &AskedQuestion, answers: Value, answer: Value) -> Option<f64> {
        let given = StudentAnswer { answer, ..StudentAnswer::default() };
        let given = StudentAnswer { points: worth(asked, &given, asked.points_possible), ..given };
        correction(option, asked, answers, None).apply(asked, &given).1.points
    }

    fn correction(option: RegradeOption, asked: &AskedQuestion, answers: Value, points: Option<f64>) -> Correction {
        let answers = answers::read(asked.question_type, answers).unwrap();
        Correction { option, key: QuestionKey { answers, answer_tolerance: None }, points, is_survey: false }
    }

    #[test]
    fn a_choice_is_known_by_what_it_reads_and_one_that_is_gone_is_wrong() {
        use RegradeOption::{CurrentAndPreviousCorrect, CurrentCorrectOnly, FullCredit};
        let asked = question(
            QuestionType::MultipleChoice,
            json!([{"id": 11, "text": "Oak", "weight": 100}, {"id": 12, "text": "Elm"}, {"id": 13, "text": "Ash"}]),
        );
        let now = json!([{"text": "Elm", "weight": 100}, {"text": "Ash"}]);
        let points = |option| [11, 12, 13].map(|chosen| after(option, &asked, now.clone(), json!(chosen)));
        assert_eq!(points(CurrentCorrectOnly), [Some(0.0), Some(2.0), Some(0.0)]);
        assert_eq!(points(CurrentAndPreviousCorrect), [Some(2.0), Some(2.0), Some(0.0)]);
        assert_eq!(points(FullCredit), [Some(2.0); 3]);
        let renamed = json!([{"id": 12, "text": "Wych elm", "weight": 100}, {"id": 11, "text": "Oak"}]);
        assert_eq!(after(CurrentCorrectOnly, &asked, renamed, json!(12)), Some(2.0));
        let (question, _) = correction(CurrentCorrectOnly, &asked, now, None).apply(&asked, &StudentAnswer::default());
        let kept: Vec<_> = question.answers.iter().map(|answer| (answer.id, answer.is_right())).collect();
        assert_eq!(kept, [(Some(11), false), (Some(12), true), (Some(13), false)]);
    }

    #[test]
    fn matches_keep_their_numbers() {
        let mut asked = question(
            QuestionType::Matching,
            json!([{"id": 1, "left": "Utah", "right": "Salem"}, {"id": 2, "left": "Oregon", "right": "SLC"}]),
        );
        asked.question_data.matching_answer_incorrect_matches = Some("Boise\nReno".to_owned());
        let matches = asked.matches();
        let pair = |answer: i64, chosen: usize| json!({"answer_id": answer, "match_id": matches[chosen].match_id});
        let option = RegradeOption::CurrentCorrectOnly;
        let now = json!([{"left": "Oregon", "right": "Salem"}, {"left": "Utah", "right": "Boise"}]);
        assert_eq!(after(option, &asked, now.clone(), json!([pair(1, 2), pair(2, 0)])), Some(2.0));
        assert_eq!(after(option, &asked, now.clone(), json!([pair(1, 0), pair(2, 1)])), Some(0.0));
        let (question, _) = correction(option, &asked, now, None).apply(&asked, &StudentAnswer::default());
        assert_eq!(question.matches(), matches);
    }

    #[test]
    fn texts_and_numbers_are_accepted_anew() {
        let asked = question(QuestionType::Numerical, json!([{"exact": 42}]));
        let now = json!([{"exact": 40, "margin": 1}]);
        assert_eq!(after(RegradeOption::CurrentCorrectOnly, &asked, now.clone(), json!(41.0)), Some(2.0));
        assert_eq!(after(RegradeOption::CurrentAndPreviousCorrect, &asked, now, json!(42.0)), Some(2.0));
        let asked = question(QuestionType::ShortAnswer, json!([{"text": "oak"}]));
        let now = json!([{"text": "oak"}, {"text": "quercus"}]);
        assert_eq!(after(RegradeOption::CurrentCorrectOnly, &asked, now, json!("Quercus")), Some(2.0));
    }

    #[test]
    fn a_solution_that_was_drawn_is_found_by_its_values() {
        let solution = |id: i64, x: i64, result: &str| json!({"id": id, "answer_text": result, "variables": [{"name": "x", "value": x}]});
        let mut asked = question(QuestionType::Calculated, json!([solution(1, 3, "6"), solution(2, 5, "10")]));
        asked.draw_solution();
        let now = json!([solution(1, 5, "20"), solution(2, 3, "12")]);
        let points = |result: f64| after(RegradeOption::CurrentCorrectOnly, &asked, now.clone(), json!(result));
        assert_eq!([6.0, 12.0, 20.0].map(points), [Some(0.0), Some(2.0), Some(0.0)]);
        let without = json!([solution(1, 7, "14")]);
        assert_eq!(after(RegradeOption::CurrentCorrectOnly, &asked, without, json!(6.0)), Some(2.0));
    }

    #[test]
    fn what_a_person_gave_stays_and_what_a_regrade_gave_does_not() {
        let asked = question(QuestionType::Numerical, json!([{"exact": 42}]));
        let correction = |points| correction(RegradeOption::CurrentCorrectOnly, &asked, json!([{"exact": 40}]), points);
        let given = |points: f64, points_by| StudentAnswer {
            answer: json!(40.0),
            points: Some(points),
            points_by,
            ..StudentAnswer::default()
        };
        let points = |given: StudentAnswer| correction(Some(5.0)).apply(&asked, &given).1.points;
        assert_eq!(points(given(1.5, Some(PointsGiver::Person))), Some(1.5));
        assert_eq!(points(given(1.5, None)), Some(1.5), "neither key gives this");
        assert_eq!(points(given(2.0, Some(PointsGiver::Regrade))), Some(5.0));
        assert_eq!(points(given(0.0, None)), Some(5.0));
    }

    #[test]
    fn a_survey_gives_all_points_whatever_was_answered() {
        let asked = question(QuestionType::Numerical, json!([{"exact": 42}]));
        let points = |answer: f64, points: f64, points_by| {
            let given =
                StudentAnswer { answer: json!(answer), points: Some(points), points_by, ..StudentAnswer::default() };
            let key = correction(RegradeOption::CurrentCorrectOnly, &asked, json!([{"exact": 40}]), Some(5.0));
            Correction { is_survey: true, ..key }.apply(&asked, &given).1.points
        };
        assert_eq!([42.0, 41.0, 40.0].map(|answer| points(answer, 2.0, None)), [Some(5.0); 3]);
        assert_eq!(points(41.0, 0.0, None), Some(5.0), "it was judged by its key");
        assert_eq!(points(41.0, 1.5, None), Some(1.5), "a person gave it");
        assert_eq!(points(42.0, 2.0, Some(PointsGiver::Person)), Some(2.0));
    }

    #[test]
    fn what_was_asked_stays() {
        let keyed = |question_type, answers: Value| (question_type, answers::read(question_type, answers).unwrap());
        let is_taken = |(before, asked): (QuestionType, Vec<Answer>), (now, answers): (QuestionType, Vec<Answer>)| {
            let asked = KeyedQuestion { question_type: before, answers: &asked };
            asked.require_regradable(&KeyedQuestion { question_type: now, answers: &answers }).is_ok()
        };
        let choice = || keyed(QuestionType::MultipleChoice, json!([{"text": "Oak"}]));
        assert!(is_taken(choice(), keyed(QuestionType::MultipleChoice, json!([{"text": "Elm"}]))));
        assert!(!is_taken(choice(), keyed(QuestionType::MultipleAnswers, json!([{"text": "Oak"}]))));
        assert!(!is_taken(keyed(QuestionType::Essay, json!([])), keyed(QuestionType::Essay, json!([]))));
        let blank = |name: &str| keyed(QuestionType::FillInMultipleBlanks, json!([{"text": "x", "blank_id": name}]));
        assert!(is_taken(blank("a"), blank("a")) && !is_taken(blank("a"), blank("b")));
        let pair = |left: &str| keyed(QuestionType::Matching, json!([{"id": left.len(), "left": left, "right": "x"}]));
        assert!(is_taken(pair("Utah"), pair("Ohio")) && !is_taken(pair("Utah"), pair("Oregon")));
    }
}
