//! The parts of a question that are answered by themselves: blanks, and the left halves of pairs.

use std::collections::{BTreeMap, BTreeSet};

use classic_questions::{Answer, QuestionType};
use quiz_reports::questions::{KnownAnswer, KnownPart};
use serde_json::Value;

use super::choices::OTHER;
use crate::model::matches::{Ids, Match};
use crate::model::quiz_scoring::AskedQuestion;

impl AskedQuestion {
    /// The answers to each blank or left half: one of the question's, another, or none.
    pub(super) fn chosen_parts(&self, answer: &Value) -> Vec<(String, Option<i64>)> {
        let ids = self.ids_of_matches();
        let chosen = |part: &str| -> Option<i64> {
            match self.question_type {
                QuestionType::Matching => {
                    let pairs = answer.as_array()?.iter().rev();
                    let number = |pair: &Value, name: &str| pair.get(name).and_then(shared::params::integer);
                    let own = |pair: &&Value| number(pair, "answer_id").is_some_and(|id| id.to_string() == part);
                    let chosen = pairs.into_iter().find(own).and_then(|pair| number(pair, "match_id"))?;
                    ids.get(&chosen).copied()
                }
                QuestionType::MultipleDropdowns => shared::params::integer(answer.get(part)?),
                _ => {
                    let given = answer.get(part).filter(|given| !given.is_null())?;
                    Some(self.met_blank(part, given).unwrap_or(OTHER))
                }
            }
        };
        self.part_ids().into_iter().map(|part| (chosen(&part), part)).map(|(chosen, id)| (id, chosen)).collect()
    }

    /// The ids that follow from the texts of what can be chosen, by those that it has in the attempt: older attempts have numbers.
    fn ids_of_matches(&self) -> BTreeMap<i64, i64> {
        if self.question_type != QuestionType::Matching {
            return BTreeMap::new();
        }
        let mut ids = Ids::default();
        self.matches().iter().map(|one| (one.match_id, ids.of(&one.text))).collect()
    }

    /// The ids of the blanks or left halves, in the order of [`Self::known_parts`].
    fn part_ids(&self) -> Vec<String> {
        match self.question_type {
            QuestionType::Matching => self.answers.iter().filter_map(|answer| Some(answer.id?.to_string())).collect(),
            _ => {
                let blanks = self.answers.iter().filter(|answer| answer.id.is_some());
                let blanks: BTreeSet<_> = blanks.filter_map(|answer| answer.blank_id.clone()).collect();
                blanks.into_iter().collect()
            }
        }
    }

    /// The blanks or left halves.
    pub(super) fn known_parts(&self) -> Vec<KnownPart> {
        if self.question_type == QuestionType::Matching {
            let (matches, ids) = (self.matches(), self.ids_of_matches());
            let halves = self.answers.iter().filter_map(|answer| Some((answer.id?, answer)));
            let of = |(id, answer): (i64, &Answer)| {
                let other = |other: &Match| {
                    let correct = Some(other.match_id) == answer.match_id;
                    let id = ids.get(&other.match_id).unwrap_or(&other.match_id).to_string();
                    KnownAnswer { id, text: other.text.clone(), correct }
                };
                let answers = matches.iter().map(other).collect();
                KnownPart { id: id.to_string(), text: answer.text.clone(), answers }
            };
            return halves.map(of).collect();
        }
        let is_text = self.question_type == QuestionType::FillInMultipleBlanks;
        let mut blanks: BTreeMap<&str, Vec<KnownAnswer>> = BTreeMap::new();
        for answer in &self.answers {
            if let (Some(blank), Some(id)) = (answer.blank_id.as_deref(), answer.id) {
                let correct = is_text || answer.is_right();
                blanks.entry(blank).or_default().push(KnownAnswer {
                    id: id.to_string(),
                    text: answer.text.clone(),
                    correct,
                });
            }
        }
        let part = |(blank, answers): (&str, Vec<KnownAnswer>)| KnownPart {
            id: blank.to_owned(),
            text: blank.to_owned(),
            answers,
        };
        blanks.into_iter().map(part).collect()
    }
}
