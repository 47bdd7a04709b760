//! The answers to a question of which one is given, or some are chosen, and how often each was.

use std::collections::BTreeMap;

use classic_questions::{Answer, QuestionType};
use serde::Serialize;
use serde_json::Value;
use shared::JsonSchema;

use crate::model::quiz_scoring::AskedQuestion;

/// How often an answer was given.
#[derive(Serialize, JsonSchema, Clone)]
pub(crate) struct AnswerStatistics {
    /// The id of the answer; `other`: one that is none of the question's; `none`: nothing.
    pub(super) id: String,
    pub(super) text: String,
    pub(super) correct: bool,
    pub(super) responses: usize,
}

/// How often each answer was given, by its id; `None` is none at all, and 0 one that the question does not have.
pub(super) type Counts = BTreeMap<Option<i64>, usize>;

/// An answer that the question does not have.
pub(super) const OTHER: i64 = 0;

/// Of answers that the question does not have, and of none.
pub(super) fn others(counts: &Counts) -> impl Iterator<Item = AnswerStatistics> {
    let of = |id: &str, text: &str, key: Option<i64>| {
        let responses = counts.get(&key).copied().unwrap_or_default();
        (responses > 0).then(|| AnswerStatistics {
            id: id.to_owned(),
            text: text.to_owned(),
            correct: false,
            responses,
        })
    };
    [of("other", "Something Else", Some(OTHER)), of("none", "No Answer", None)].into_iter().flatten()
}

pub(super) fn is_blank(answer: &Value) -> bool {
    match answer {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(blanks) => blanks.values().all(Value::is_null),
        _ => false,
    }
}

impl AskedQuestion {
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
