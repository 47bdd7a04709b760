//! The halves that are chosen in a matching question, and their ids. An id follows from its text: neither the ids nor their order tell
//! what belongs together, and they are the same in the question and in all attempts.

use std::collections::{HashMap, HashSet};

use classic_questions::Answer;
use serde::{Deserialize, Serialize};
use shared::{Error, JsonSchema, Result};

/// The most distractors of a matching question, and the most characters that they have together. Of a longer text that
/// came in a package the beginning is read.
const MAX_DISTRACTORS: usize = 100;
const MAX_DISTRACTOR_CHARS: usize = 10_000;
/// Ids have six digits, but where so many texts meet at the last of them.
const FIRST_ID: i64 = 100_000;
const ID_COUNT: u64 = 900_000;

/// A choice for the other half of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Match {
    pub(crate) text: String,
    pub(crate) match_id: i64,
}

/// Ids by their texts.
#[derive(Default)]
pub(crate) struct Ids {
    known: HashMap<String, i64>,
    taken: HashSet<i64>,
}

impl Ids {
    pub(crate) fn of(&mut self, text: &str) -> i64 {
        if let Some(id) = self.known.get(text) {
            return *id;
        }
        let mut id = FIRST_ID.saturating_add_unsigned(hash(text) % ID_COUNT);
        while !self.taken.insert(id) {
            id = id.saturating_add(1);
        }
        self.known.insert(text.to_owned(), id);
        id
    }
}

/// FNV-1a, which is the same on every machine.
fn hash(text: &str) -> u64 {
    const BEGIN: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    text.bytes().fold(BEGIN, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// Gives the right halves their ids: the same half has the same id, whichever left half it belongs to.
pub(crate) fn number(answers: &mut [Answer]) {
    let mut ids = Ids::default();
    for answer in answers {
        answer.match_id = answer.right.as_deref().map(|right| ids.of(right));
    }
}

/// The right halves of all matches, and the distractors, which stand one to a line. Those that read the same are one. Halves that were
/// asked in attempts from before that are numbered from 1, and distractors behind them.
pub(crate) fn matches(answers: &[Answer], distractors: Option<&str>) -> Vec<Match> {
    let own = || answers.iter().filter_map(|answer| Some((answer.right.as_deref()?, answer.match_id?)));
    let mut ids = Ids::default();
    let follow_from_texts = own().all(|(right, id)| ids.of(right) == id);
    let last = own().map(|(_, id)| id).max().unwrap_or_default();
    let lines = distractor_lines(distractors.unwrap_or_default()).take(MAX_DISTRACTORS).zip(1_i64..);
    let distractors = lines.map(|(line, number)| match follow_from_texts {
        true => (line, ids.of(line)),
        false => (line, last.saturating_add(number)),
    });
    let mut seen = HashSet::new();
    let matches = own().chain(distractors).filter(|(text, _)| seen.insert(*text));
    matches.map(|(text, match_id)| Match { text: text.to_owned(), match_id }).collect()
}

/// 400 where the distractors are more than are read.
pub(crate) fn require_few_distractors(text: &str) -> Result<()> {
    const FIELD: &str = "matching_answer_incorrect_matches";
    shared::params::not_too_long(FIELD, text, MAX_DISTRACTOR_CHARS)?;
    if distractor_lines(text).count() > MAX_DISTRACTORS {
        return Err(Error::invalid(FIELD, "too_long", format!("are too many (maximum is {MAX_DISTRACTORS} lines)")));
    }
    Ok(())
}

fn distractor_lines(text: &str) -> impl Iterator<Item = &str> {
    let end = text.char_indices().nth(MAX_DISTRACTOR_CHARS).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(rights: &[&str]) -> Vec<Answer> {
        rights.iter().map(|right| Answer { right: Some((*right).to_owned()), ..Answer::default() }).collect()
    }

    fn texts(matches: &[Match]) -> Vec<&str> {
        matches.iter().map(|one| one.text.as_str()).collect()
    }

    #[test]
    fn matches_are_those_of_the_answers_and_the_distractors() {
        let mut answers = pairs(&["Salt Lake City", "Salem", "Salem"]);
        number(&mut answers);
        let all = matches(&answers, Some("Boise\n\nSalem"));
        assert_eq!(texts(&all), ["Salt Lake City", "Salem", "Boise"]);
        let own: Vec<_> = answers.iter().filter_map(|answer| answer.match_id).collect();
        assert_eq!(own, [all[0].match_id, all[1].match_id, all[1].match_id]);
        // In another order, with the parts changed, each text has the id that it had.
        let mut others = pairs(&["Boise", "Salem"]);
        number(&mut others);
        assert_eq!(
            others.iter().filter_map(|one| one.match_id).collect::<Vec<_>>(),
            [all[2].match_id, all[1].match_id]
        );
    }

    #[test]
    fn ids_tell_nothing_of_the_order_of_the_answers() {
        let letters: Vec<_> = ('a'..='z').map(String::from).collect();
        let mut answers = pairs(&letters.iter().map(String::as_str).collect::<Vec<_>>());
        number(&mut answers);
        let mut all = matches(&answers, Some("ä\nö\nü"));
        all.sort_by_key(|one| one.match_id);
        assert_ne!(texts(&all)[..3], ["a", "b", "c"]);
        assert!(texts(&all).iter().position(|text| *text == "ä") != Some(26), "distractors are not the last");
    }

    #[test]
    fn texts_of_one_hash_have_ids_of_their_own() {
        let mut ids = Ids::default();
        let one = ids.of("oak");
        ids.known.clear();
        assert_eq!((ids.of("oak"), ids.of("oak")), (one + 1, one + 1));
    }

    #[test]
    fn halves_from_before_keep_their_numbers() {
        let mut answers = pairs(&["SLC", "Salem"]);
        for (answer, number) in answers.iter_mut().zip(1..) {
            answer.match_id = Some(number);
        }
        let ids: Vec<_> = matches(&answers, Some("Boise\nReno")).iter().map(|one| one.match_id).collect();
        assert_eq!(ids, [1, 2, 3, 4]);
    }

    #[test]
    fn distractors_are_a_hundred_lines_at_most() {
        let lines = |count: usize| (0..count).map(|number| format!("city {number}\n")).collect::<String>();
        assert!(require_few_distractors(&lines(100)).is_ok());
        assert!(require_few_distractors(&lines(101)).is_err());
        assert!(require_few_distractors(&"x".repeat(10_001)).is_err());
        assert_eq!(matches(&[], Some(&lines(50_000))).len(), 100, "what a package brought is read as far");
        assert_eq!(matches(&[], Some(&"é".repeat(50_000)))[0].text.chars().count(), 10_000);
    }
}
