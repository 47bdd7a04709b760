//! What is drawn for a session: questions of banks, numbers of formulas, and the order of all. Everything follows from the
//! session's seed, on every machine.

use std::collections::{BTreeMap, BTreeSet};

use questions::{Draw, Fraction, seed_of};
use serde::{Deserialize, Serialize};
use shared::ids::{BankEntryId, ItemId, QuestionItemId, StimulusId};

/// The part of the seed that orders the items; the parts of the items are their ids, which are more.
const ORDER: u64 = 0;

/// An item of a quiz, from which sessions draw.
#[derive(Deserialize)]
pub(crate) struct SourceItem {
    id: ItemId,
    points: f64,
    question: Option<QuestionItemId>,
    stimulus: Option<StimulusId>,
    /// The item of the stimulus that it is about.
    about: Option<ItemId>,
    /// The number of numbers that the question's formula has.
    variants: Option<usize>,
    /// The size of its question or stimulus.
    bytes: Option<i64>,
    /// The questions of the bank, if it is one.
    entries: Option<Vec<SourceEntry>>,
    /// The number of them that are drawn; `None`: all.
    sample: Option<i64>,
}

/// A question of a bank.
#[derive(Deserialize)]
pub(crate) struct SourceEntry {
    id: BankEntryId,
    question: QuestionItemId,
    variants: Option<usize>,
    bytes: i64,
}

/// An item of a session: a question or a stimulus, by reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DrawnItem {
    pub(crate) id: String,
    pub(crate) points: f64,
    pub(crate) question: Option<QuestionItemId>,
    pub(crate) stimulus: Option<StimulusId>,
    /// The item of the stimulus that it is about.
    pub(crate) about: Option<String>,
    /// Which numbers of the formula it has.
    pub(crate) variant: Option<usize>,
    /// The place among the questions; of a stimulus that of the question behind it.
    pub(crate) position: i64,
    /// Known where it is drawn.
    #[serde(skip)]
    pub(crate) bytes: i64,
}

/// The items of a session, in the student's order.
pub(crate) struct Drawn {
    pub(crate) items: Vec<DrawnItem>,
    /// The number of questions.
    pub(crate) item_count: i64,
    pub(crate) points_possible: f64,
    /// Of all that is asked.
    pub(crate) bytes: i64,
}

/// How many a bank is asked for. It may be more than a list can have.
pub(crate) fn wanted(sample: i64) -> usize {
    usize::try_from(sample.max(0)).unwrap_or(usize::MAX)
}

/// Draws a session.
pub(crate) fn draw(sources: Vec<SourceItem>, seed: u64, shuffles_questions: bool) -> Drawn {
    // No question is asked twice, be it in two banks that are one, or beside its bank.
    let mut asked: BTreeSet<_> = sources.iter().filter_map(|source| source.question).collect();
    let drawn: Vec<_> = sources.into_iter().flat_map(|source| drawn_of(source, seed, &mut asked)).collect();
    let items = if shuffles_questions { shuffled(drawn, seed) } else { drawn };
    numbered(items)
}

fn drawn_of(source: SourceItem, seed: u64, asked: &mut BTreeSet<QuestionItemId>) -> Vec<DrawnItem> {
    let item = |id: String, question: Option<QuestionItemId>, variants: Option<usize>, bytes: i64| DrawnItem {
        variant: question.and_then(|question| variant(seed, question, variants)),
        id,
        points: if question.is_some() { source.points } else { 0.0 },
        question,
        stimulus: source.stimulus,
        about: source.about.map(|about| about.to_string()),
        position: 0,
        bytes,
    };
    let Some(entries) = source.entries else {
        return vec![item(source.id.to_string(), source.question, source.variants, source.bytes.unwrap_or_default())];
    };
    let free: Vec<_> = entries.into_iter().filter(|entry| asked.insert(entry.question)).collect();
    let chosen = match source.sample.map(wanted) {
        Some(count) if count < free.len() => {
            let all: Vec<_> = free.iter().map(|entry| entry.question).collect();
            let chosen = Draw::new(seed_of(seed, part(source.id.0))).sample(free, count);
            let kept: BTreeSet<_> = chosen.iter().map(|entry| entry.question).collect();
            // What this bank does not ask another one may.
            for question in all.iter().filter(|question| !kept.contains(question)) {
                asked.remove(question);
            }
            chosen
        }
        _ => free,
    };
    let named = |entry: SourceEntry| {
        item(format!("{}-{}", source.id, entry.id), Some(entry.question), entry.variants, entry.bytes)
    };
    chosen.into_iter().map(named).collect()
}

fn variant(seed: u64, question: QuestionItemId, variants: Option<usize>) -> Option<usize> {
    let variants = variants.filter(|variants| *variants > 0)?;
    Some(Draw::new(seed_of(seed, part(question.0))).below(variants))
}

/// Shuffles the items. What is about a stimulus stays with it, and is shuffled by itself.
fn shuffled(items: Vec<DrawnItem>, seed: u64) -> Vec<DrawnItem> {
    let stimuli: BTreeSet<_> =
        items.iter().filter(|item| item.question.is_none()).map(|item| item.id.clone()).collect();
    let mut groups: BTreeMap<String, Vec<DrawnItem>> = BTreeMap::new();
    let mut heads = Vec::new();
    for item in items {
        match item.about.clone().filter(|about| stimuli.contains(about)) {
            Some(about) => groups.entry(about).or_default().push(item),
            None => heads.push(item),
        }
    }
    let mut draw = Draw::new(seed_of(seed, ORDER));
    draw.shuffle(&mut heads);
    let mut ordered = Vec::new();
    for head in heads {
        let mut about = groups.remove(&head.id).unwrap_or_default();
        draw.shuffle(&mut about);
        ordered.push(head);
        ordered.append(&mut about);
    }
    ordered
}

fn numbered(mut items: Vec<DrawnItem>) -> Drawn {
    let points: Fraction = items.iter().map(|item| Fraction::of_number(item.points)).sum();
    let mut item_count = 0;
    for item in &mut items {
        item_count += i64::from(item.question.is_some());
        item.position = item_count;
    }
    // A stimulus stands with the question behind it.
    for item in items.iter_mut().filter(|item| item.question.is_none()) {
        item.position = (item.position + 1).min(item_count.max(1));
    }
    let bytes = items.iter().map(|item| item.bytes).sum();
    Drawn { items, item_count, points_possible: points.to_f64(), bytes }
}

fn part(id: i64) -> u64 {
    id.cast_unsigned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn source(fields: Value) -> SourceItem {
        let mut all = json!({"points": 1, "question": null, "stimulus": null, "about": null, "variants": null,
                             "bytes": 1000, "entries": null, "sample": null});
        for (name, value) in fields.as_object().unwrap() {
            all[name] = value.clone();
        }
        serde_json::from_value(all).unwrap()
    }

    fn bank(id: i64, sample: Option<usize>, questions: std::ops::Range<i64>) -> SourceItem {
        let entries: Vec<_> =
            questions.map(|id| json!({"id": id, "question": id, "variants": null, "bytes": 10})).collect();
        source(json!({"id": id, "entries": entries, "sample": sample, "points": 2}))
    }

    fn ids(drawn: &Drawn) -> Vec<&str> {
        drawn.items.iter().map(|item| item.id.as_str()).collect()
    }

    #[test]
    fn a_bank_gives_as_many_as_are_wanted_and_the_same_to_the_same_seed() {
        let quiz = || vec![source(json!({"id": 1, "question": 5})), bank(2, Some(3), 10..20)];
        let drawn = draw(quiz(), 7, false);
        assert_eq!((drawn.items.len(), drawn.item_count, drawn.points_possible), (4, 4, 7.0));
        assert_eq!(drawn.bytes, 1030);
        assert_eq!(drawn.items, draw(quiz(), 7, false).items);
        let others: BTreeSet<_> = (0..50).map(|seed| format!("{:?}", ids(&draw(quiz(), seed, false)))).collect();
        assert!(others.len() > 20);
        assert_eq!(ids(&draw(vec![bank(2, None, 10..13)], 7, false)), ["2-10", "2-11", "2-12"]);
        assert_eq!(draw(vec![bank(2, Some(9), 10..13)], 7, false).item_count, 3);
    }

    #[test]
    fn no_question_is_asked_twice() {
        for seed in 0..50 {
            let quiz =
                vec![bank(1, Some(3), 10..16), bank(2, Some(3), 10..16), source(json!({"id": 3, "question": 30}))];
            let drawn = draw(quiz, seed, true);
            let questions: BTreeSet<_> = drawn.items.iter().map(|item| item.question).collect();
            assert_eq!((questions.len(), drawn.item_count), (7, 7));
        }
    }

    #[test]
    fn what_is_about_a_stimulus_stays_with_it() {
        for seed in 0..50 {
            let quiz = vec![
                source(json!({"id": 1, "stimulus": 9})),
                source(json!({"id": 2, "question": 2, "about": 1})),
                source(json!({"id": 3, "question": 3})),
                source(json!({"id": 4, "question": 4, "about": 1})),
                source(json!({"id": 5, "question": 5})),
            ];
            let drawn = draw(quiz, seed, true);
            let ids = ids(&drawn);
            let place = |id: &str| ids.iter().position(|other| *other == id).unwrap();
            let mut about = [place("2") - place("1"), place("4") - place("1")];
            about.sort_unstable();
            assert_eq!(about, [1, 2]);
            let stimulus = drawn.items.iter().find(|item| item.id == "1").unwrap();
            let next = drawn.items.iter().find(|item| ["2", "4"].contains(&item.id.as_str())).unwrap();
            assert_eq!(stimulus.position, next.position);
        }
    }

    #[test]
    fn a_formula_has_one_of_its_numbers() {
        let quiz = || vec![source(json!({"id": 1, "question": 5, "variants": 3}))];
        let variants: BTreeSet<_> = (0..50).map(|seed| draw(quiz(), seed, false).items[0].variant).collect();
        assert_eq!(variants.into_iter().collect::<Vec<_>>(), [Some(0), Some(1), Some(2)]);
    }
}
