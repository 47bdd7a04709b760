//! Matching: an object with the text of an answer by the id of its question.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::draw::Showing;
use crate::response::{Part, Read};
use crate::score::Score;
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::matching::Matching;

impl Taken for Matching {
    type Response<'a> = BTreeMap<&'a str, &'a str>;

    fn read<'a>(asked: &Draft<Self>, response: &Part<'a>) -> Read<Option<Self::Response<'a>>> {
        let own = &asked.interaction_data;
        let questions: BTreeSet<_> = own.questions.iter().map(|question| question.id.as_str()).collect();
        let answers: BTreeSet<_> = own.answers.iter().map(String::as_str).collect();
        let mut matched = BTreeMap::new();
        for (question, answer) in response.members(questions.len())? {
            if !questions.contains(question) {
                return answer.refuse("is not a question of it");
            }
            if answer.is_nothing() {
                continue;
            }
            match answer.value.as_str().filter(|text| answers.contains(text)) {
                Some(text) => matched.insert(question, text),
                None => return answer.refuse("must be one of the answers"),
            };
        }
        Ok(Some(matched).filter(|matched| !matched.is_empty()))
    }

    fn score(asked: &Draft<Self>, matched: Self::Response<'_>, _: Option<usize>) -> Read<Score> {
        let right = &asked.scoring_data.value;
        let pieces = asked.interaction_data.questions.iter().map(|question| {
            let answer = matched.get(question.id.as_str()).copied();
            (question.id.clone(), answer.is_some() && answer == right.get(&question.id).map(String::as_str))
        });
        let pieces = pieces.collect();
        Ok(match asked.scoring_algorithm.as_str() {
            "PartialDeep" => Score::by_parts(pieces),
            _ => Score::all_or_nothing(pieces),
        })
    }

    /// Answers are always shuffled: as they are written they often stand in the order of their questions.
    fn show(asked: &Draft<Self>, showing: &mut Showing) -> Value {
        let own = &asked.interaction_data;
        let mut questions: Vec<_> =
            own.questions.iter().map(|question| json!({"id": question.id, "item_body": question.item_body})).collect();
        if asked.properties.is_shuffled() {
            showing.draw.shuffle(&mut questions);
        }
        let mut answers: Vec<_> = own.answers.iter().collect::<BTreeSet<_>>().into_iter().collect();
        showing.draw.shuffle(&mut answers);
        json!({"questions": questions, "answers": answers})
    }
}
