//! Pairs: halves of matches, answers and their categories, items and their places.

use super::item::{Body, equal, part, right, text, with_feedback};
use super::{Cx, field};
use crate::model::{Categorization, Choice, Matching, Ordering, Text};
use crate::xml::Element;

pub(super) fn matching(own: &Matching, cx: &Cx<'_>) -> Body {
    let response = |id: &str| format!("response_{id}");
    let told_of = own.left.iter().filter(|left| !left.feedback.is_empty());
    Body {
        kind: "matching_question",
        fields: own.partial.then(|| field("scoring_algorithm", "PartialDeep")).into_iter().collect(),
        presentation: own
            .left
            .iter()
            .map(|left| group(&response(&left.id), "Single", &left.text, &own.right, own.shuffled, cx))
            .collect(),
        conditions: told_of
            .clone()
            .map(|left| with_feedback(equal(&response(&left.id), &left.right), &left.id))
            .collect(),
        feedback: told_of.map(|left| (left.id.clone(), left.feedback.clone())).collect(),
        scoring: own.left.iter().map(|left| part([equal(&response(&left.id), &left.right)], own.left.len())).collect(),
        ..Body::default()
    }
}

pub(super) fn categorization(own: &Categorization, cx: &Cx<'_>) -> Body {
    let scored = own.categories.iter().filter(|category| !category.members.is_empty());
    Body {
        kind: "categorization_question",
        fields: own.score_method.iter().map(|method| field("score_method", method.as_str())).collect(),
        presentation: own
            .categories
            .iter()
            .map(|category| group(&category.id, "Multiple", &category.text, &own.answers, own.shuffled, cx))
            .collect(),
        scoring: scored
            .clone()
            .map(|category| {
                let members = category.members.iter().map(|member| equal(&category.id, member));
                part(members, scored.clone().count())
            })
            .collect(),
        ..Body::default()
    }
}

/// They are shown in the order of their ids, which tells nothing of the right one.
pub(super) fn ordering(own: &Ordering, cx: &Cx<'_>) -> Body {
    let mut shown: Vec<_> = own.items.iter().collect();
    shown.sort_by(|a, b| a.id.cmp(&b.id));
    let label = |position: &str, text: &Option<String>| {
        let text = text.as_ref().filter(|_| own.labelled)?;
        let text = Element::new("mattext").text(text.as_str());
        Some(Element::new("material").with("position", position).child(text))
    };
    let list = Element::new("ims_render_object")
        .with("shuffle", "No")
        .with("orientation", if own.paragraph { "Row" } else { "Column" })
        .child(Element::new("flow_label").children(shown.into_iter().map(|item| option(item, cx))));
    let extension = Element::new("render_extension")
        .children(label("top", &own.top_label))
        .child(list)
        .children(label("bottom", &own.bottom_label));
    let response =
        Element::new("response_lid").with("ident", "response1").with("rcardinality", "Ordered").child(extension);
    Body {
        kind: "ordering_question",
        presentation: vec![response],
        scoring: vec![right(own.items.iter().map(|item| equal("response1", &item.id)))],
        ..Body::default()
    }
}

fn option(choice: &Choice, cx: &Cx<'_>) -> Element {
    Element::new("response_label").with("ident", choice.id.as_str()).child(text(&choice.text, cx))
}

fn group(id: &str, cardinality: &str, title: &Text, options: &[Choice], shuffled: bool, cx: &Cx<'_>) -> Element {
    let choices = Element::new("render_choice")
        .with_some("shuffle", shuffled.then_some("Yes"))
        .children(options.iter().map(|choice| option(choice, cx)));
    Element::new("response_lid")
        .with("ident", id)
        .with("rcardinality", cardinality)
        .child(text(title, cx))
        .child(choices)
}
