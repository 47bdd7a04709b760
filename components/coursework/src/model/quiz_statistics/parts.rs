//! The parts of a question that are answered by themselves: blanks, and the left halves of pairs.

use std::collections::BTreeMap;

use classic_questions::{Answer, QuestionType};
use serde::Serialize;
use serde_json::Value;
use shared::JsonSchema;

use super::choices::{AnswerStatistics, OTHER};
use crate::model::answers::Match;
use crate::model::quiz_scoring::AskedQuestion;

/// A part of a question that is answered by itself.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AnswerSet {
    /// The id of the blank, or of the left half.
    pub(super) id: String,
    pub(super) text: String,
    pub(super) answers: Vec<AnswerStatistics>,
}

/// A blank or the left half of a pair, with the answers that it may have.
pub(super) struct Part {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) answers: Vec<PartAnswer>,
}

pub(super) struct PartAnswer {
    pub(super) id: i64,
    pub(super) text: String,
    pub(super) correct: bool,
}

impl AskedQuestion {
    /// The answers to each blank or left half: one of the question's, another, or none.
    pub(super) fn chosen_parts(&self, answer: &Value) -> Vec<(String, Option<i64>)> {
        let chosen = |part: &str| -> Option<i64> {
            match self.question_type {
                QuestionType::Matching => {
                    let pairs = answer.as_array()?.iter().rev();
                    let number = |pair: &Value, name: &str| pair.get(name).and_then(shared::params::integer);
                    let own = |pair: &&Value| number(pair, "answer_id").is_some_and(|id| id.to_string() == part);
                    pairs.into_iter().find(own).and_then(|pair| number(pair, "match_id"))
                }
                QuestionType::MultipleDropdowns => shared::params::integer(answer.get(part)?),
                _ => {
                    let given = answer.get(part).filter(|given| !given.is_null())?;
                    Some(self.met_blank(part, given).unwrap_or(OTHER))
                }
            }
        };
        self.parts().into_iter().map(|part| (chosen(&part.id), part.id)).map(|(chosen, id)| (id, chosen)).collect()
    }

    /// The blanks or left halves.
    pub(super) fn parts(&self) -> Vec<Part> {
        if self.question_type == QuestionType::Matching {
            let matches = self.matches();
            let halves = self.answers.iter().filter_map(|answer| Some((answer.id?, answer)));
            let of = |(id, answer): (i64, &Answer)| {
                let other = |other: &Match| {
                    let correct = Some(other.match_id) == answer.match_id;
                    PartAnswer { id: other.match_id, text: other.text.clone(), correct }
                };
                let answers = matches.iter().map(other).collect();
                Part { id: id.to_string(), text: answer.text.clone(), answers }
            };
            return halves.map(of).collect();
        }
        let is_text = self.question_type == QuestionType::FillInMultipleBlanks;
        let mut blanks: BTreeMap<&str, Vec<PartAnswer>> = BTreeMap::new();
        for answer in &self.answers {
            if let (Some(blank), Some(id)) = (answer.blank_id.as_deref(), answer.id) {
                let correct = is_text || answer.weight > 0.0;
                blanks.entry(blank).or_default().push(PartAnswer { id, text: answer.text.clone(), correct });
            }
        }
        let part =
            |(blank, answers): (&str, Vec<PartAnswer>)| Part { id: blank.to_owned(), text: blank.to_owned(), answers };
        blanks.into_iter().map(part).collect()
    }
}
