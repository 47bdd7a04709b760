//! Options to choose from.

use super::item::Body;
use super::processing::{AnswerFeedback, Scoring};
use super::{Cx, RESPONSE, base, correct, declaration, map_entry, share, variable};
use crate::ident;
use crate::model::{Choice, Choices};
use crate::xml::Element;

/// One of the options: where several are right, each is worth all points.
pub(super) fn one(own: &Choices, cx: &Cx<'_>) -> Body {
    let varies = own.options.iter().any(|choice| choice.points.is_some());
    let is_mapped = varies || own.options.iter().filter(|choice| choice.right).count() > 1;
    let best = own.options.iter().filter_map(|choice| choice.points).fold(0.0, f64::max);
    let worth = |choice: &Choice| match choice.points {
        Some(points) if best > 0.0 => points / best,
        None if choice.right && !varies => 1.0,
        _ => 0.0,
    };
    let entries = own.options.iter().map(|choice| map_entry(ident::of(&choice.id), worth(choice)));
    let mapping = is_mapped.then(|| Element::new("mapping").children(entries));
    let right = own.options.iter().filter(|choice| choice.right).take(1).map(|choice| ident::of(&choice.id));
    let response =
        declaration("responseDeclaration", RESPONSE, "single", "identifier").children(correct(right)).children(mapping);
    let scoring = if is_mapped { Scoring::Map } else { Scoring::Match };
    let told = answer_feedback(&own.options, |id| {
        Element::new("match").child(variable(RESPONSE)).child(base("identifier", id))
    });
    Body { told, ..Body::new(response, interaction(own, "1", cx), scoring) }
}

pub(super) fn several(own: &Choices, cx: &Cx<'_>) -> Body {
    let right: Vec<_> = own.options.iter().filter(|choice| choice.right).collect();
    let each = share(right.len());
    let worth = |choice: &Choice| if choice.right { each } else { -each };
    let entries = own.options.iter().map(|choice| map_entry(ident::of(&choice.id), worth(choice)));
    let mapping = || Element::new("mapping").with("lowerBound", "0").with("upperBound", "1").children(entries);
    let is_mapped = own.partial && !own.options.is_empty();
    let response = declaration("responseDeclaration", RESPONSE, "multiple", "identifier")
        .children(correct(right.iter().map(|choice| ident::of(&choice.id))))
        .children(is_mapped.then(mapping));
    let scoring = if is_mapped { Scoring::Map } else { Scoring::Match };
    let told = answer_feedback(&own.options, |id| {
        Element::new("member").child(base("identifier", id)).child(variable(RESPONSE))
    });
    Body { told, ..Body::new(response, interaction(own, "0", cx), scoring) }
}

fn interaction(own: &Choices, most: &str, cx: &Cx<'_>) -> Element {
    let choice = |(place, choice): (i64, &Choice)| {
        Element::new("simpleChoice")
            .with("identifier", ident::of(&choice.id))
            .with_some("fixed", own.locked.contains(&place).then_some("true"))
            .nodes(cx.text(&choice.text))
    };
    Element::new("choiceInteraction")
        .with("responseIdentifier", RESPONSE)
        .with("shuffle", own.shuffled.to_string())
        .with("maxChoices", most)
        .children((0..).zip(&own.options).map(choice))
}

fn answer_feedback(options: &[Choice], when: impl Fn(String) -> Element) -> Vec<AnswerFeedback> {
    let given = options.iter().filter(|choice| !choice.feedback.is_empty());
    given
        .map(|choice| {
            let id = ident::of(&choice.id);
            AnswerFeedback { when: when(id.clone()), id: format!("feedback-{id}"), html: choice.feedback.clone() }
        })
        .collect()
}
