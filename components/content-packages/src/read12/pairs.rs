//! What is put together: halves of matches, answers and their categories, items and their places.

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
    let mut left = Vec::new();
    for response in item.responses("response_lid") {
        let ident = attribute(response, "ident");
        let chosen = item.conditions.right(&ident).into_iter().next();
        let mut half = String::new();
        for option in labels(response) {
            let known =
                right.iter().find(|known| known.text.plain() == option.text.plain()).map(|known| known.id.clone());
            let id = known.clone().unwrap_or_else(|| option.id.clone());
            if chosen.as_ref() == Some(&option.id) {
                half.clone_from(&id);
            }
            if known.is_none() {
                right.push(option);
            }
        }
        let own = ident.strip_prefix("response_").unwrap_or(&ident);
        left.push(Left {
            id: own.to_owned(),
            text: materials(response),
            feedback: chosen.map(|chosen| item.conditions.told(&ident, &chosen)).unwrap_or_default(),
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
    for response in item.responses("response_lid") {
        let ident = attribute(response, "ident");
        for answer in labels(response) {
            if !own.answers.iter().any(|known| known.id == answer.id) {
                own.answers.push(answer);
            }
        }
        let members = item.conditions.right(&ident);
        own.categories.push(Category { text: materials(response), members, id: ident });
    }
    own
}

pub(super) fn ordering(item: &Item<'_>) -> Option<Ordering> {
    let response = item.responses("response_lid").into_iter().next()?;
    let order = item.conditions.right(&attribute(response, "ident"));
    let mut items = labels(response);
    let place = |choice: &Choice| order.iter().position(|id| *id == choice.id).unwrap_or(usize::MAX);
    items.sort_by_key(place);
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
