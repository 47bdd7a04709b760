//! Pairs: halves of matches, answers and their categories, items and their places.

use std::collections::BTreeMap;

use super::item::{Item, options};
use crate::model::{Categorization, Category, Choice, Interaction, Left, Matching, Ordering, Report};
use crate::xml::Element;

/// Halves that are matched, or answers that are put into categories.
pub(super) fn matched(item: &Item<'_>, own: &Element, about: &str, report: &mut Report) -> Option<Interaction> {
    let response = item.response(own)?;
    let mut sets = own.all("simpleMatchSet").map(|set| options(set, "simpleAssociableChoice"));
    let (left, right) = (sets.next()?, sets.next()?);
    let right_answers = response.right();
    let pairs: Vec<(&str, &str)> = right_answers.iter().filter_map(|pair| pair.split_once(' ')).collect();
    let shuffled = own.attribute("shuffle") == Some("true");
    if own.attribute("class") == Some("categorization") {
        let mut members: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (member, category) in &pairs {
            members.entry(category).or_default().push(bare(member));
        }
        let categories = right.into_iter().map(|category| Category {
            members: members.remove(category.id.as_str()).unwrap_or_default(),
            id: bare(&category.id),
            text: category.text,
        });
        let categories = categories.collect();
        let answers = left.into_iter().map(|answer| Choice { id: bare(&answer.id), ..answer }).collect();
        let score_method = own.attribute("label").map(str::to_owned);
        return Some(Interaction::Categorization(Categorization { categories, answers, score_method, shuffled }));
    }
    let mut partners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (half, partner) in &pairs {
        partners.entry(half).or_default().push(partner);
    }
    let partners_of = |half: &str| partners.get(half).map(Vec::as_slice).unwrap_or_default();
    if left.iter().any(|half| partners_of(&half.id).len() > 1) {
        report.note(about, "something is matched with several others: only the first is kept");
    }
    let left = left.into_iter().map(|half| Left {
        right: partners_of(&half.id).first().map(|right| bare(right)).unwrap_or_default(),
        feedback: item.feedback_of(&half.id),
        id: bare(&half.id),
        text: half.text,
    });
    // Unmatched halves on the left have no place in a quiz.
    let (matched, unmatched): (Vec<_>, Vec<_>) = left.partition(|half| !half.right.is_empty());
    for half in unmatched {
        report.note(about, format!("\u{201c}{}\u{201d} is matched with nothing, and left out", half.text.plain()));
    }
    Some(Interaction::Matching(Matching {
        left: matched,
        right: right.into_iter().map(|half| Choice { id: bare(&half.id), ..half }).collect(),
        shuffled,
        partial: !response.mapping.is_empty(),
    }))
}

/// The id without the side that our own identifiers name.
fn bare(id: &str) -> String {
    let bare = id.strip_prefix("left-").or_else(|| id.strip_prefix("right-"));
    bare.unwrap_or(id).to_owned()
}

pub(super) fn ordering(item: &Item<'_>, own: &Element) -> Option<Ordering> {
    let order = item.response(own)?.right();
    // Of several places, the first counts.
    let places: BTreeMap<_, _> = order.iter().enumerate().rev().map(|(place, id)| (id, place)).collect();
    let mut items = options(own, "simpleChoice");
    items.sort_by_key(|choice| places.get(&choice.id).copied().unwrap_or(usize::MAX));
    let paragraph = own.attribute("orientation") == Some("horizontal");
    Some(Ordering { items, paragraph, ..Ordering::default() })
}
