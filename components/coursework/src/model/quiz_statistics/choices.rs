//! Questions of which one answer is given, or some are chosen.

use classic_questions::{Answer, QuestionType};
use quiz_reports::questions::{Choice, KnownAnswer};
use serde_json::Value;

use crate::model::quiz_scoring::AskedQuestion;

/// What the id of an answer names; 0 is one that the question does not have, and no id is none at all.
pub(super) fn choice(id: Option<i64>) -> Choice {
    match id {
        Some(OTHER) => Choice::Other,
        Some(id) => Choice::Known(id.to_string()),
        None => Choice::Nothing,
    }
}

/// An answer that the question does not have.
pub(super) const OTHER: i64 = 0;

pub(super) fn is_blank(answer: &Value) -> bool {
    match answer {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(blanks) => blanks.values().all(Value::is_null),
        _ => false,
    }
}

impl AskedQuestion {
    /// The answers that there are to choose or to give.
    pub(super) fn known_answers(&self) -> Vec<KnownAnswer> {
        let are_all_right = matches!(self.question_type, QuestionType::ShortAnswer | QuestionType::Numerical);
        let known = |answer: &Answer| KnownAnswer {
            id: answer.id.unwrap_or_default().to_string(),
            text: self.shown(answer),
            correct: are_all_right || answer.is_right(),
        };
        self.answers.iter().map(known).collect()
    }

    /// The ids of the question's answers that an answer chooses or meets.
    pub(super) fn chosen_answers(&self, answer: &Value) -> Vec<i64> {
        use QuestionType as T;
        if is_blank(answer) {
            return Vec::new();
        }
        match self.question_type {
            T::ShortAnswer | T::Numerical => vec![self.met(answer).unwrap_or(OTHER)],
            T::MultipleAnswers => answer.as_array().into_iter().flatten().filter_map(shared::params::integer).collect(),
            _ => shared::params::integer(answer).into_iter().collect(),
        }
    }

    /// An answer of the question as it is shown.
    pub(super) fn shown(&self, answer: &Answer) -> String {
        let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        match (self.question_type, answer.start, answer.approximate) {
            (QuestionType::Numerical, Some(_), _) => format!("{} to {}", number(answer.start), number(answer.end)),
            (QuestionType::Numerical, None, Some(_)) => number(answer.approximate),
            (QuestionType::Numerical, None, None) => number(answer.exact),
            _ => answer.text.clone(),
        }
    }
}
