//! Options to choose from.

use super::item::{Body, equal, right, score, text, with_feedback};
use super::{Cx, Form, decimal, field};
use crate::model::{Choice, Choices};
use crate::xml::Element;

const RESPONSE: &str = "response1";

/// One option is right, or each has its own points.
pub(super) fn one(own: &Choices, cx: &Cx<'_>) -> Body {
    let varies = cx.form == Form::Full && own.options.iter().any(|choice| choice.points.is_some());
    let scoring = if varies {
        own.options.iter().map(worth).collect()
    } else {
        let best = own.options.iter().filter(|choice| choice.right).map(|choice| equal(RESPONSE, &choice.id));
        // There may be none: then no answer is right.
        let best: Vec<_> = best.collect();
        if best.is_empty() { Vec::new() } else { vec![right(best)] }
    };
    Body { presentation: vec![response(own, "Single", cx)], scoring, ..common(own) }
}

/// All right options, and no others.
pub(super) fn several(own: &Choices, cx: &Cx<'_>) -> Body {
    let conditions = own.options.iter().map(|choice| {
        let chosen = equal(RESPONSE, &choice.id);
        if choice.right { chosen } else { Element::new("not").child(chosen) }
    });
    let conditions: Vec<_> = conditions.collect();
    let scoring = match conditions.is_empty() {
        true => Vec::new(),
        false => vec![right([Element::new("and").children(conditions)])],
    };
    let mut body = Body { presentation: vec![response(own, "Multiple", cx)], scoring, ..common(own) };
    body.fields.extend(own.partial.then(|| field("scoring_algorithm", "PartialScore")));
    body
}

/// The points of one of several options.
fn worth(choice: &Choice) -> Element {
    Element::new("respcondition")
        .child(Element::new("conditionvar").child(equal(RESPONSE, &choice.id)))
        .child(score("Set", &decimal(choice.points.unwrap_or_default())))
}

fn common(own: &Choices) -> Body {
    let ids: Vec<_> = own.options.iter().map(|choice| choice.id.as_str()).collect();
    let feedback = feedback(&own.options);
    Body {
        fields: vec![field("original_answer_ids", ids.join(","))],
        conditions: feedback.iter().map(|(id, _)| with_feedback(equal(RESPONSE, id), id)).collect(),
        feedback,
        ..Body::default()
    }
}

pub(super) fn feedback(options: &[Choice]) -> Vec<(String, String)> {
    let given = options.iter().filter(|choice| !choice.feedback.is_empty());
    given.map(|choice| (choice.id.clone(), choice.feedback.clone())).collect()
}

fn response(own: &Choices, cardinality: &str, cx: &Cx<'_>) -> Element {
    let label = |(place, choice): (i64, &Choice)| {
        let locked = own.locked.contains(&place).then_some("No");
        Element::new("response_label")
            .with("ident", choice.id.as_str())
            .with_some("rshuffle", locked)
            .child(text(&choice.text, cx))
    };
    let choices = Element::new("render_choice")
        .with_some("shuffle", own.shuffled.then_some("Yes"))
        .children((0..).zip(&own.options).map(label));
    Element::new("response_lid").with("ident", RESPONSE).with("rcardinality", cardinality).child(choices)
}
