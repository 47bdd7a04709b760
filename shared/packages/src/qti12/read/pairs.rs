//! Pairs: halves of matches, answers and their categories, items and their places.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Item, labels};
use super::{attribute, materials, metadata};
use crate::model::{Categorization, Category, Choice, Left, Matching, Ordering};
use crate::xml::Element;

fn is_shuffled(item: &Item<'_>) -> bool {
    let mut lists = item.presentation.find("render_choice");
    lists.any(|own| own.attribute("shuffle").is_some_and(|shuffle| shuffle.eq_ignore_ascii_case("yes")))
}

/// Each left half has its list; what reads the same in several lists is the same.
pub(super) fn matching(item: &Item<'_>) -> Matching {
    let mut right: Vec<Choice> = Vec::new();
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let mut left = Vec::new();
    for response in item.responses("response_lid") {
        let ident = attribute(response, "ident");
        let chosen = item.conditions.right(&ident).first();
        let mut half = String::new();
        for option in labels(response) {
            // Of pictures the plain texts are the same, and often none.
            let text = if option.text.has_media() { option.text.html() } else { option.text.plain() }.into_owned();
            let known = ids.get(&text);
            if chosen == Some(&option.id) {
                half.clone_from(known.unwrap_or(&option.id));
            }
            if known.is_none() {
                ids.insert(text, option.id.clone());
                right.push(option);
            }
        }
        let own = ident.strip_prefix("response_").unwrap_or(&ident);
        left.push(Left {
            id: own.to_owned(),
            text: materials(response),
            feedback: chosen.map(|chosen| item.conditions.feedback_of(&ident, chosen)).unwrap_or_default(),
            right: half,
        });
    }
    let partial = metadata(item.element, "scoring_algorithm").as_deref() == Some("PartialDeep");
    Matching { left, right, shuffled: is_shuffled(item), partial }
}

pub(super) fn categorization(item: &Item<'_>) -> Categorization {
    let mut own = Categorization {
        score_method: metadata(item.element, "score_method"),
        shuffled: is_shuffled(item),
        ..Categorization::default()
    };
    let mut known = BTreeSet::new();
    for response in item.responses("response_lid") {
        let ident = attribute(response, "ident");
        own.answers.extend(labels(response).into_iter().filter(|answer| known.insert(answer.id.clone())));
        let members = item.conditions.right(&ident).to_vec();
        own.categories.push(Category { text: materials(response), members, id: ident });
    }
    own
}

pub(super) fn ordering(item: &Item<'_>) -> Option<Ordering> {
    let response = item.responses("response_lid").into_iter().next()?;
    let order = item.conditions.right(&attribute(response, "ident"));
    // Of several places, the first counts.
    let places: BTreeMap<_, _> = order.iter().enumerate().rev().map(|(place, id)| (id, place)).collect();
    let mut items = labels(response);
    items.sort_by_key(|choice| places.get(&choice.id).copied().unwrap_or(usize::MAX));
    let extension = response.first("render_extension");
    let label = |position: &str| {
        let mut materials = extension.into_iter().flat_map(|own| own.all("material"));
        let label = materials.find(|own| own.attribute("position") == Some(position));
        label.map(Element::content).filter(|label| !label.is_empty())
    };
    let list = response.find("ims_render_object").next();
    let (top_label, bottom_label) = (label("top"), label("bottom"));
    Some(Ordering {
        labelled: top_label.is_some() && bottom_label.is_some(),
        paragraph: list.is_some_and(|own| own.attribute("orientation") == Some("Row")),
        items,
        top_label,
        bottom_label,
    })
}
