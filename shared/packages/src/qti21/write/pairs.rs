//! Pairs: halves of matches, answers and their categories, items and their places.

use std::collections::BTreeSet;

use super::blanks::counted;
use super::item::Body;
use super::processing::{AnswerFeedback, Scoring};
use super::{Cx, RESPONSE, base, correct, declaration, map_entry, share, variable};
use crate::ident;
use crate::model::{Categorization, Category, Matching, Ordering, Text};
use crate::xml::Element;

/// The way of scoring categories by which all of them are right or nothing is.
const WHOLE: &str = "all_or_nothing";
/// The most pairs that the points of categories are made of: the file of a question has an end.
const MAX_TESTS: usize = 1_000;

/// Halves may have the same ids on both sides.
fn left_id(id: &str) -> String {
    format!("left-{}", ident::of(id))
}

fn right_id(id: &str) -> String {
    format!("right-{}", ident::of(id))
}

pub(super) fn matching(own: &Matching, cx: &Cx<'_>) -> Body {
    let pairs: Vec<_> =
        own.left.iter().map(|left| format!("{} {}", left_id(&left.id), right_id(&left.right))).collect();
    let each = share(pairs.len());
    let entries = pairs.iter().map(|pair| map_entry(pair.as_str(), each));
    let is_mapped = own.partial && !pairs.is_empty();
    let mapping = is_mapped.then(|| Element::new("mapping").with("defaultValue", "0").children(entries));
    let response = declaration("responseDeclaration", RESPONSE, "multiple", "directedPair")
        .children(correct(pairs.clone()))
        .children(mapping);
    let left = own.left.iter().map(|left| option(left_id(&left.id), "1", &left.text, cx));
    let right = own.right.iter().map(|right| option(right_id(&right.id), "0", &right.text, cx));
    let most = own.left.len().to_string();
    let interaction = interaction(left, right, own.shuffled).with("maxAssociations", most);
    let told = own.left.iter().zip(pairs).filter(|(left, _)| !left.feedback.is_empty());
    let told = told.map(|(left, pair)| AnswerFeedback {
        id: format!("feedback-{}", left_id(&left.id)),
        when: Element::new("member").child(base("directedPair", pair)).child(variable(RESPONSE)),
        html: left.feedback.clone(),
    });
    let scoring = if is_mapped { Scoring::Map } else { Scoring::Match };
    Body { told: told.collect(), ..Body::new(response, interaction, scoring) }
}

/// Each answer is matched with its category, or with none. The label tells our own import how categories are scored.
pub(super) fn categorization(own: &Categorization, cx: &Cx<'_>) -> Body {
    let pairs = own.categories.iter().flat_map(|category| {
        let category_id = right_id(&category.id);
        category.members.iter().map(move |member| format!("{} {category_id}", left_id(member)))
    });
    let response = declaration("responseDeclaration", RESPONSE, "multiple", "directedPair").children(correct(pairs));
    let answers = own.answers.iter().map(|answer| option(left_id(&answer.id), "1", &answer.text, cx));
    let categories = own.categories.iter().map(|category| option(right_id(&category.id), "0", &category.text, cx));
    let interaction = interaction(answers, categories, own.shuffled)
        .with("maxAssociations", own.answers.len().to_string())
        .with("class", "categorization")
        .with_some("label", own.score_method.as_deref());
    let scoring = match own.score_method.as_deref() {
        Some(WHOLE) => Scoring::Match,
        _ if own.categories.len().saturating_mul(own.answers.len()) > MAX_TESTS => {
            cx.note("all its categories have to be right in other systems; each had its share of the points");
            Scoring::Match
        }
        _ => Scoring::Sum(own.categories.iter().map(|category| worth(category, own)).collect()),
    };
    Body::new(response, interaction, scoring)
}

/// The share of a category, which has all of its answers and no others.
fn worth(category: &Category, own: &Categorization) -> Element {
    let members: BTreeSet<_> = category.members.iter().map(String::as_str).collect();
    let tests = own.answers.iter().map(|answer| {
        let pair = format!("{} {}", left_id(&answer.id), right_id(&category.id));
        let is_there = Element::new("member").child(base("directedPair", pair)).child(variable(RESPONSE));
        if members.contains(answer.id.as_str()) { is_there } else { Element::new("not").child(is_there) }
    });
    let share = share(own.categories.len()).to_string();
    Element::new("product").child(counted(Element::new("and").children(tests))).child(base("float", share))
}

/// They are shown in the order of their ids, which tells nothing of the right one.
pub(super) fn ordering(own: &Ordering, cx: &Cx<'_>) -> Body {
    if own.labelled {
        cx.note("the labels above and below are left out");
    }
    let mut shown: Vec<_> = own.items.iter().collect();
    shown.sort_by(|a, b| a.id.cmp(&b.id));
    let choices = shown
        .into_iter()
        .map(|item| Element::new("simpleChoice").with("identifier", ident::of(&item.id)).nodes(cx.text(&item.text)));
    let interaction = Element::new("orderInteraction")
        .with("responseIdentifier", RESPONSE)
        .with("shuffle", "true")
        .with("orientation", if own.paragraph { "horizontal" } else { "vertical" })
        .children(choices);
    let order = own.items.iter().map(|item| ident::of(&item.id));
    let response = declaration("responseDeclaration", RESPONSE, "ordered", "identifier").children(correct(order));
    Body::new(response, interaction, Scoring::Match)
}

fn option(id: String, most: &str, text: &Text, cx: &Cx<'_>) -> Element {
    Element::new("simpleAssociableChoice").with("identifier", id).with("matchMax", most).nodes(cx.text(text))
}

fn interaction(left: impl Iterator<Item = Element>, right: impl Iterator<Item = Element>, shuffled: bool) -> Element {
    Element::new("matchInteraction")
        .with("responseIdentifier", RESPONSE)
        .with("shuffle", shuffled.to_string())
        .child(Element::new("simpleMatchSet").children(left))
        .child(Element::new("simpleMatchSet").children(right))
}
