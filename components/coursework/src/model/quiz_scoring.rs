//! The form of answers to the questions of a classic quiz, and the points that they are worth.
//!
//! Source: the reference system's appendix on formats of answers. Where only parts of an answer are right it is worth a
//! part of the points; a wrong choice among several takes a right one away.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ::submissions::grading::rounded;
use classic_questions::{Answer, NumericalAnswerType, QuestionData, QuestionType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::ids::QuestionId;
use shared::{Error, Result};

use crate::model::formulas::{self, VariableValue};
use crate::model::matches::{self, Match};
use crate::model::questions::sanitized_data;

const MAX_TEXT_BYTES: usize = 16 * 1024;
/// The most choices, pairs or files that answer a question, unless it has more answers itself.
const MAX_CHOSEN: usize = 500;

/// A question as it was when an attempt began.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct AskedQuestion {
    pub(crate) id: QuestionId,
    pub(crate) question_type: QuestionType,
    pub(crate) question_name: String,
    pub(crate) question_text: String,
    pub(crate) points_possible: f64,
    pub(crate) answers: Vec<Answer>,
    #[serde(deserialize_with = "sanitized_data")]
    pub(crate) question_data: QuestionData,
    /// Of a matching question that was regraded: what there was to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) matches: Option<Vec<Match>>,
    /// Of a formula: the values of the solution that the attempt has drawn, and which is all that `answers` has. None: there was no
    /// solution, or the attempt began before they were drawn, and the result of any is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) variables: Option<Vec<VariableValue>>,
}

/// The worth of an answer, as far as a program can tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Worth {
    /// So much of the points, from 0 to 1.
    Part(f64),
    /// Somebody must read it.
    Unknown,
}

impl Worth {
    /// The points of an answer to a question that is worth so many: all of them, or a part of two digits behind the point, as
    /// grades are shown. `None`: no program can tell.
    pub(crate) fn points(self, possible: f64) -> Option<f64> {
        match self {
            Self::Part(part) if part >= 1.0 => Some(possible),
            Self::Part(part) => Some(rounded(possible * part).min(possible)),
            Self::Unknown => None,
        }
    }
}

impl AskedQuestion {
    /// True if it asks for anything.
    pub(crate) fn is_question(&self) -> bool {
        self.question_type != QuestionType::TextOnly
    }

    /// The question with the solution that stands first, if it has one: the others are not its own.
    pub(crate) fn draw_solution(&mut self) {
        let drawn = self.answers.first_mut().filter(|_| self.question_type == QuestionType::Calculated);
        let Some(solution) = drawn else { return };
        solution.answer = formulas::result(solution);
        self.variables = Some(formulas::values(solution));
        self.answers.truncate(1);
    }

    /// The text that the student reads.
    pub(crate) fn filled_text(&self) -> Cow<'_, str> {
        formulas::fill_in(&self.question_text, self.variables.as_deref().unwrap_or_default())
    }

    /// The answer as it is kept; 400 where it cannot be one of this question. Null takes an answer back.
    pub(crate) fn read(&self, answer: Value) -> Result<Value> {
        use QuestionType as T;
        if answer.is_null() || answer.as_str() == Some("") {
            return Ok(Value::Null);
        }
        match self.question_type {
            T::MultipleChoice | T::TrueFalse | T::MissingWord => known_choice(&self.known(), &answer),
            T::ShortAnswer | T::Essay => text(answer),
            T::Numerical | T::Calculated => decimal(&answer).map(Value::from),
            T::MultipleAnswers => {
                let known = self.known();
                self.chosen(&answer, "Selection")?.iter().map(|id| known_choice(&known, id)).collect()
            }
            T::FillInMultipleBlanks => self.blanks(answer, text),
            T::MultipleDropdowns => {
                let known = self.known();
                self.blanks(answer, |id| known_choice(&known, &id))
            }
            T::Matching => self.pairs(&answer),
            T::FileUpload => self.chosen(&answer, "Answer")?.iter().map(|id| integer(id).map(Value::from)).collect(),
            T::TextOnly => Err(invalid_answer("The question asks for no answer.")),
        }
    }

    /// The points of an answer that was read.
    pub(crate) fn worth(&self, answer: &Value) -> Worth {
        use QuestionType as T;
        let right = match self.question_type {
            T::Essay | T::FileUpload if answer.is_null() => 0.0,
            T::Essay | T::FileUpload => return Worth::Unknown,
            T::MultipleChoice | T::TrueFalse | T::MissingWord => whole(is_right(&self.known(), answer)),
            T::ShortAnswer => {
                let given = answer.as_str().map(plain);
                whole(given.is_some_and(|given| self.answers.iter().any(|accepted| plain(&accepted.text) == given)))
            }
            T::Numerical => whole(self.answers.iter().any(|accepted| holds(accepted, answer))),
            T::Calculated => whole(self.answers.iter().any(|accepted| self.is_near(accepted.answer, answer))),
            T::MultipleAnswers => self.choices(answer),
            T::FillInMultipleBlanks => {
                let mut accepted: HashMap<_, HashSet<_>> = HashMap::new();
                for one in &self.answers {
                    accepted.entry(one.blank_id.as_deref().unwrap_or_default()).or_default().insert(plain(&one.text));
                }
                let is_right = |blank: &str, given: &Value| {
                    let accepted = accepted.get(blank);
                    accepted.zip(given.as_str()).is_some_and(|(accepted, given)| accepted.contains(&plain(given)))
                };
                self.filled(is_right, answer)
            }
            T::MultipleDropdowns => {
                let known = self.known();
                self.filled(|_, given| is_right(&known, given), answer)
            }
            T::Matching => self.matched(answer),
            T::TextOnly => 0.0,
        };
        Worth::Part(right)
    }

    /// The choices that there are; of an id that stands there twice the first counts.
    fn known(&self) -> Choices {
        let mut choices = Choices::new();
        for answer in &self.answers {
            if let Some(id) = answer.id {
                choices.entry(id).or_insert(answer.is_right());
            }
        }
        choices
    }

    /// The elements of a list of what was chosen, which is not much longer than what there is to choose.
    fn chosen<'a>(&self, answer: &'a Value, what: &str) -> Result<&'a [Value]> {
        let chosen = answer.as_array().ok_or_else(|| invalid_answer(&format!("{what} must be of type Array.")))?;
        if chosen.len() > self.answers.len().max(MAX_CHOSEN) {
            return Err(invalid_answer(&format!("{what} has too many elements.")));
        }
        Ok(chosen)
    }

    fn blanks(&self, answer: Value, read: impl Fn(Value) -> Result<Value>) -> Result<Value> {
        let Value::Object(answer) = answer else {
            return Err(invalid_answer("Answer must be of type Hash."));
        };
        let known = self.blank_ids();
        let mut blanks = Map::new();
        for (blank, value) in answer {
            if !known.contains(blank.as_str()) {
                return Err(invalid_answer(&format!("Unknown variable '{blank}'.")));
            }
            let value = if value.is_null() || value.as_str() == Some("") { Value::Null } else { read(value)? };
            blanks.insert(blank, value);
        }
        Ok(Value::Object(blanks))
    }

    fn blank_ids(&self) -> BTreeSet<&str> {
        self.answers.iter().filter_map(|answer| answer.blank_id.as_deref()).collect()
    }

    fn pairs(&self, answer: &Value) -> Result<Value> {
        let pairs = self.chosen(answer, "Answer")?;
        let (known, matches) = (self.known(), self.matches());
        let matches: BTreeSet<_> = matches.iter().map(|other| other.match_id).collect();
        let read = |pair: &Value| {
            let pair = pair.as_object().ok_or_else(|| invalid_answer("Answer entry must be of type Hash."))?;
            let given =
                |name: &str| pair.get(name).ok_or_else(|| invalid_answer(&format!("Missing parameter '{name}'.")));
            let answer = known_choice(&known, given("answer_id")?)?;
            let chosen = integer(given("match_id")?)?;
            if !matches.contains(&chosen) {
                return Err(invalid_answer(&format!("Unknown match '{chosen}'.")));
            }
            Ok(serde_json::json!({ "answer_id": answer, "match_id": chosen }))
        };
        pairs.iter().map(read).collect()
    }

    /// The id of the answer of the question that a text or a number meets.
    pub(crate) fn met(&self, answer: &Value) -> Option<i64> {
        let given = answer.as_str().map(plain);
        let is_met = |accepted: &&Answer| match self.question_type {
            QuestionType::Numerical => holds(accepted, answer),
            _ => given.as_ref().is_some_and(|given| plain(&accepted.text) == *given),
        };
        self.answers.iter().find(is_met).and_then(|accepted| accepted.id)
    }

    /// The same of a text that fills a blank.
    pub(crate) fn met_blank(&self, blank: &str, answer: &Value) -> Option<i64> {
        let given = plain(answer.as_str()?);
        let is_met = |one: &&Answer| one.blank_id.as_deref() == Some(blank) && plain(&one.text) == given;
        self.answers.iter().find(is_met).and_then(|accepted| accepted.id)
    }

    /// A choice for the other half of a match.
    pub(crate) fn matches(&self) -> Vec<Match> {
        let distractors = self.question_data.matching_answer_incorrect_matches.as_deref();
        self.matches.clone().unwrap_or_else(|| matches::matches(&self.answers, distractors))
    }

    fn choices(&self, answer: &Value) -> f64 {
        let right = self.answers.iter().filter(|answer| answer.is_right()).count();
        let chosen = answer.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut chosen: Vec<_> = chosen.iter().filter_map(shared::params::integer).collect();
        chosen.sort_unstable();
        chosen.dedup();
        let known = self.known();
        let hits = chosen.iter().filter(|id| known.get(id) == Some(&true)).count();
        if right == 0 {
            return whole(chosen.is_empty());
        }
        part(hits.saturating_sub(chosen.len().saturating_sub(hits)), right)
    }

    fn filled(&self, is_right: impl Fn(&str, &Value) -> bool, answer: &Value) -> f64 {
        let blanks = self.blank_ids();
        let given = |blank: &str| answer.get(blank).filter(|given| !given.is_null());
        let right = blanks.iter().filter(|blank| given(blank).is_some_and(|given| is_right(blank, given))).count();
        part(right, blanks.len())
    }

    fn matched(&self, answer: &Value) -> f64 {
        let pairs = answer.as_array().map(Vec::as_slice).unwrap_or_default();
        let number = |pair: &Value, name: &str| pair.get(name).and_then(shared::params::integer);
        // Of two pairs with the same left half the later one counts.
        let pairs = pairs.iter().filter_map(|pair| Some((number(pair, "answer_id")?, number(pair, "match_id")?)));
        let chosen: HashMap<_, _> = pairs.collect();
        let is_right = |answer: &&Answer| {
            let chosen = answer.id.and_then(|id| chosen.get(&id).copied());
            chosen.is_some() && chosen == answer.match_id
        };
        part(self.answers.iter().filter(is_right).count(), self.answers.len())
    }

    /// True if a number is as near to the formula's result as the question demands: `0.5`, or `5%` of it.
    fn is_near(&self, result: Option<f64>, answer: &Value) -> bool {
        let (Some(result), Some(given)) = (result, answer.as_f64()) else {
            return false;
        };
        let tolerance = match &self.question_data.answer_tolerance {
            Some(Value::String(text)) => match text.trim().strip_suffix('%') {
                Some(percent) => percent.trim().parse::<f64>().ok().map(|percent| result.abs() * percent / 100.0),
                None => text.trim().parse().ok(),
            },
            Some(value) => value.as_f64(),
            None => None,
        };
        (given - result).abs() <= tolerance.unwrap_or_default().abs() + f64::EPSILON * result.abs()
    }
}

/// True if a number is the exact one, in the range, or near enough.
fn holds(right: &Answer, answer: &Value) -> bool {
    let Some(given) = answer.as_f64() else {
        return false;
    };
    match right.numerical_answer_type {
        Some(NumericalAnswerType::Range) => {
            right.start.zip(right.end).is_some_and(|(start, end)| (start..=end).contains(&given))
        }
        Some(NumericalAnswerType::Precision) => {
            let digits = right.precision.and_then(|digits| usize::try_from(digits).ok()).unwrap_or_default();
            let shown = |number: f64| format!("{number:.*e}", digits.saturating_sub(1).min(17));
            right.approximate.is_some_and(|right| shown(right) == shown(given))
        }
        Some(NumericalAnswerType::Exact) | None => {
            let margin = right.margin.unwrap_or_default();
            right.exact.is_some_and(|exact| (given - exact).abs() <= margin + f64::EPSILON * exact.abs())
        }
    }
}

/// Whether each of the answers to a question is right, by their ids.
type Choices = BTreeMap<i64, bool>;

fn is_right(known: &Choices, id: &Value) -> bool {
    shared::params::integer(id).and_then(|id| known.get(&id)) == Some(&true)
}

/// The id of one of the question's answers.
fn known_choice(known: &Choices, id: &Value) -> Result<Value> {
    let id = integer(id)?;
    match known.contains_key(&id) {
        true => Ok(id.into()),
        false => Err(invalid_answer(&format!("Unknown answer '{id}'"))),
    }
}

fn invalid_answer(message: &str) -> Error {
    Error::bad_request(message)
}

fn integer(value: &Value) -> Result<i64> {
    shared::params::integer(value).ok_or_else(|| invalid_answer("Parameter must be of type Integer."))
}

fn decimal(value: &Value) -> Result<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|number| number.is_finite()).ok_or_else(|| invalid_answer("Parameter must be a valid decimal."))
}

fn text(value: Value) -> Result<Value> {
    let text = match value {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        _ => return Err(invalid_answer("Answer must be text.")),
    };
    if text.len() > MAX_TEXT_BYTES {
        return Err(invalid_answer("Text is too long."));
    }
    if text.contains('\0') {
        return Err(invalid_answer("Answer must not contain a NUL character."));
    }
    Ok(Value::String(text))
}

/// The text without what does not matter when texts are compared: case, and spaces around it.
fn plain(text: &str) -> String {
    text.trim().to_lowercase()
}

fn whole(right: bool) -> f64 {
    if right { 1.0 } else { 0.0 }
}

fn part(of: usize, all: usize) -> f64 {
    let number = |count: usize| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
    if all == 0 { 0.0 } else { number(of) / number(all) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::answers;

    fn question_of(question_type: QuestionType, answers: Value) -> AskedQuestion {
        AskedQuestion {
            id: QuestionId(1),
            question_type,
            question_name: "Question".to_owned(),
            question_text: String::new(),
            points_possible: 1.0,
            answers: answers::read(question_type, answers).unwrap(),
            question_data: QuestionData::default(),
            matches: None,
            variables: None,
        }
    }

    fn worth(question: &AskedQuestion, answer: Value) -> f64 {
        match question.worth(&question.read(answer).unwrap()) {
            Worth::Part(part) => part,
            Worth::Unknown => -1.0,
        }
    }

    #[test]
    fn one_choice_is_right_or_wrong() {
        let answers = json!([{"id": 5, "text": "oak", "weight": 100}, {"id": 6, "text": "elm", "weight": 0}]);
        let question = question_of(QuestionType::MultipleChoice, answers);
        assert_eq!(worth(&question, json!(5)), 1.0);
        assert_eq!(worth(&question, json!("6")), 0.0);
        assert_eq!(worth(&question, json!(null)), 0.0);
        for answer in [json!(7), json!("oak"), json!([5])] {
            assert!(question.read(answer.clone()).is_err(), "{answer}");
        }
    }

    #[test]
    fn a_wrong_choice_takes_a_right_one_away() {
        let answers = json!([{"id": 1, "weight": 100}, {"id": 2, "weight": 100}, {"id": 3, "weight": 0}]);
        let question = question_of(QuestionType::MultipleAnswers, answers);
        for (chosen, part) in [
            (json!([1, 2]), 1.0),
            (json!([1]), 0.5),
            (json!([1, 1]), 0.5),
            (json!([1, 2, 3]), 0.5),
            (json!([3]), 0.0),
            (json!([]), 0.0),
        ] {
            assert_eq!(worth(&question, chosen.clone()), part, "{chosen}");
        }
        assert!(question.read(json!(1)).is_err());
    }

    #[test]
    fn words_are_the_same_whatever_their_case() {
        let question = question_of(QuestionType::ShortAnswer, json!([{"text": "Oak"}, {"text": "oak tree"}]));
        assert_eq!(worth(&question, json!(" OAK ")), 1.0);
        assert_eq!(worth(&question, json!("elm")), 0.0);
        assert!(question.read(json!("x".repeat(20_000))).is_err());
        let answers = json!([
            {"text": "red", "blank_id": "a", "weight": 100}, {"text": "rose", "blank_id": "a", "weight": 100},
            {"text": "blue", "blank_id": "b", "weight": 100},
        ]);
        let question = question_of(QuestionType::FillInMultipleBlanks, answers);
        assert_eq!(worth(&question, json!({"a": "Rose", "b": "blue"})), 1.0);
        assert_eq!(worth(&question, json!({"a": "blue", "b": "blue"})), 0.5);
        assert!(question.read(json!({"c": "x"})).is_err());
    }

    #[test]
    fn dropdowns_and_matches_count_by_parts() {
        let answers = json!([
            {"id": 1, "text": "red", "blank_id": "a", "weight": 100}, {"id": 2, "text": "x", "blank_id": "a", "weight": 0},
            {"id": 3, "text": "blue", "blank_id": "b", "weight": 100},
        ]);
        let question = question_of(QuestionType::MultipleDropdowns, answers);
        assert_eq!(worth(&question, json!({"a": 2, "b": 3})), 0.5);
        let answers = json!([{"id": 1, "left": "Utah", "right": "SLC"}, {"id": 2, "left": "Oregon", "right": "Salem"}]);
        let question = question_of(QuestionType::Matching, answers);
        let [slc, salem] = [0, 1].map(|place| question.answers[place].match_id.unwrap());
        let pair = |answer: i64, chosen: i64| json!({"answer_id": answer, "match_id": chosen});
        assert_eq!(worth(&question, json!([pair(1, slc), pair(2, salem)])), 1.0);
        assert_eq!(worth(&question, json!([pair(1, slc), pair(2, slc)])), 0.5);
        for answer in [json!([pair(1, 9)]), json!([pair(9, slc)]), json!([{"answer_id": 1}]), json!([1]), json!({})] {
            assert!(question.read(answer.clone()).is_err(), "{answer}");
        }
    }

    #[test]
    fn numbers_are_exact_in_a_range_or_near() {
        let answers = json!([
            {"exact": 42, "margin": 0.5},
            {"numerical_answer_type": "range_answer", "start": 100, "end": 110},
            {"numerical_answer_type": "precision_answer", "approximate": 1234, "precision": 2},
        ]);
        let question = question_of(QuestionType::Numerical, answers);
        for (given, right) in [("42.5", 1.0), ("42.6", 0.0), ("100", 1.0), ("1.2e3", 1.0), ("1300", 0.0)] {
            assert_eq!(worth(&question, json!(given)), right, "{given}");
        }
        assert!(question.read(json!("many")).is_err());
        let mut question = question_of(QuestionType::Calculated, json!([{"answer": 10}]));
        assert_eq!(worth(&question, json!(10.1)), 0.0);
        question.question_data.answer_tolerance = Some(json!("5%"));
        assert_eq!((worth(&question, json!(10.4)), worth(&question, json!(10.6))), (1.0, 0.0));
        question.question_data.answer_tolerance = Some(json!(0.7));
        assert_eq!(worth(&question, json!(10.6)), 1.0);
    }

    #[test]
    fn of_a_formula_the_drawn_solution_is_right_and_without_a_draw_each() {
        let x = |value: i64| json!([{"name": "x", "value": value}]);
        let answers = json!([{"answer_text": "6", "variables": x(3)}, {"answer_text": "10", "variables": x(5)}]);
        let mut question = question_of(QuestionType::Calculated, answers);
        question.question_text = "2 [x]".to_owned();
        assert_eq!((worth(&question, json!(6)), worth(&question, json!(10))), (1.0, 1.0));
        assert_eq!(question.filled_text(), "2 [x]");
        question.draw_solution();
        assert_eq!((worth(&question, json!(6)), worth(&question, json!(10))), (1.0, 0.0));
        assert_eq!(question.filled_text(), "2 3");
        let stored: AskedQuestion = serde_json::from_value(json!(question)).unwrap();
        assert_eq!((stored.filled_text(), &stored.answers), (question.filled_text(), &question.answers));
        let mut unsolved = question_of(QuestionType::Calculated, json!([]));
        unsolved.draw_solution();
        assert_eq!(unsolved.variables, None);
    }

    #[test]
    fn long_questions_are_read_and_judged_in_no_time() {
        const COUNT: i64 = 20_000;
        let pairs =
            (1..=COUNT).map(|id| json!({"id": id, "left": id.to_string(), "right": id.to_string(), "match_id": id}));
        let blanks = (1..=COUNT).map(|id| json!({"id": id, "text": "oak", "blank_id": id.to_string(), "weight": 100}));
        // As a package may bring them: more than the API takes.
        let question = |question_type, answers: Vec<Value>| {
            let mut question = question_of(question_type, json!([]));
            question.answers = serde_json::from_value(Value::Array(answers)).unwrap();
            question.question_data.matching_answer_incorrect_matches = Some("x\n".repeat(100_000));
            question
        };
        let begin = std::time::Instant::now();
        let matching = question(QuestionType::Matching, pairs.collect());
        let chosen: Vec<_> = (1..=COUNT).map(|id| json!({"answer_id": id, "match_id": id})).collect();
        assert_eq!(worth(&matching, json!(chosen)), 1.0);
        let filled: Map<_, _> = (1..=COUNT).map(|id| (id.to_string(), json!("Oak"))).collect();
        let blanks = question(QuestionType::FillInMultipleBlanks, blanks.collect());
        assert_eq!(worth(&blanks, Value::Object(filled)), 1.0);
        assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
    }

    #[test]
    fn nobody_chooses_much_more_than_there_is() {
        let answers = json!([{"id": 1, "weight": 100}, {"id": 2, "weight": 0}]);
        let question = question_of(QuestionType::MultipleAnswers, answers);
        assert!(question.read(json!(vec![1; 500])).is_ok());
        assert!(question.read(json!(vec![1; 501])).is_err());
        assert!(question_of(QuestionType::FileUpload, json!([])).read(json!(vec![1; 501])).is_err());
    }

    #[test]
    fn an_essay_must_be_read_by_somebody() {
        let question = question_of(QuestionType::Essay, json!([]));
        assert_eq!(worth(&question, json!("Once")), -1.0);
        assert_eq!(worth(&question, json!("")), 0.0, "there is nothing to be read");
    }
}
