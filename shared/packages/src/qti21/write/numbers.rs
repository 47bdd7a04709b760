//! Numbers.

use super::item::Body;
use super::processing::{AnswerFeedback, Scoring};
use super::{Cx, RESPONSE, base, correct, declaration, variable};
use crate::ident;
use crate::model::{Accepted, Number};
use crate::xml::Element;

pub(super) fn numeric(numbers: &[Number], cx: &Cx<'_>) -> Body {
    let (mut tests, mut told) = (Vec::new(), Vec::new());
    for number in numbers {
        let Some(test) = test(&number.accepted) else {
            cx.note("an accepted response that is no number is left out");
            continue;
        };
        if !number.feedback.is_empty() {
            let id = format!("feedback-{}", ident::of(&number.id));
            told.push(AnswerFeedback { id, when: test.clone(), html: number.feedback.clone() });
        }
        tests.push(test);
    }
    let first = numbers.iter().find_map(|number| shown(&number.accepted));
    let response = declaration("responseDeclaration", RESPONSE, "single", "float").children(correct(first));
    let scoring = match tests.len() {
        0 => Scoring::None,
        1 => tests.pop().map_or(Scoring::None, Scoring::When),
        _ => Scoring::When(Element::new("or").children(tests)),
    };
    Body { told, ..Body::new(response, entry(), scoring) }
}

/// The place where a number is typed.
pub(super) fn entry() -> Element {
    Element::new("p").child(Element::new("textEntryInteraction").with("responseIdentifier", RESPONSE))
}

/// A number that is accepted.
fn shown(accepted: &Accepted) -> Option<String> {
    let (low, high) = accepted.bounds()?;
    Some(match accepted {
        Accepted::Range { .. } => (low + (high - low) / 2.0).to_string(),
        Accepted::Exact { value } | Accepted::Margin { value, .. } | Accepted::Precise { value, .. } => {
            value.trim().to_owned()
        }
    })
}

fn test(accepted: &Accepted) -> Option<Element> {
    accepted.bounds()?;
    let compared = |element: Element, value: &str| element.child(variable(RESPONSE)).child(base("float", value.trim()));
    Some(match accepted {
        Accepted::Exact { value } => compared(Element::new("equal").with("toleranceMode", "exact"), value),
        Accepted::Margin { value, margin, percent } => {
            let mode = if *percent { "relative" } else { "absolute" };
            let margin = margin.trim();
            compared(tolerant(mode, margin), value)
        }
        Accepted::Range { start, end } => {
            Element::new("and").child(compared(Element::new("gte"), start)).child(compared(Element::new("lte"), end))
        }
        Accepted::Precise { value, precision, significant } => {
            let mode = if *significant { "significantFigures" } else { "decimalPlaces" };
            let rounded = Element::new("equalRounded").with("roundingMode", mode).with("figures", precision.trim());
            compared(rounded, value)
        }
    })
}

pub(super) fn tolerant(mode: &str, margin: &str) -> Element {
    Element::new("equal").with("toleranceMode", mode).with("tolerance", format!("{margin} {margin}"))
}
