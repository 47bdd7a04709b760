//! Numbers, and formulas that give them.

use super::Cx;
use super::item::{Body, display, score};
use crate::model::{Accepted, Formula, Number, Question, Solution, Variable};
use crate::xml::Element;

const RESPONSE: &str = "response1";

/// Each accepted number is a condition, with the bounds that it comes to.
pub(super) fn numeric(numbers: &[Number], question: &Question, cx: &mut Cx<'_>) -> Body {
    let mut scoring = Vec::new();
    for number in numbers {
        let Some(bounds) = number.accepted.bounds() else {
            cx.report.note(question.title.as_str(), "an accepted response that is no number is left out");
            continue;
        };
        let told = (!number.feedback.is_empty()).then(|| display(&format!("{}_fb", number.id)));
        scoring.push(
            Element::new("respcondition")
                .with("continue", "No")
                .child(Element::new("conditionvar").child(condition(&number.accepted, bounds)))
                .child(score("Set", "100"))
                .children(told),
        );
    }
    let feedback = numbers.iter().filter(|number| !number.feedback.is_empty());
    Body {
        kind: "numerical_question",
        presentation: vec![response()],
        feedback: feedback.map(|number| (number.id.clone(), number.feedback.clone())).collect(),
        scoring,
        ..Body::default()
    }
}

fn response() -> Element {
    let blank = Element::new("render_fib").with("fibtype", "Decimal");
    Element::new("response_str")
        .with("ident", RESPONSE)
        .with("rcardinality", "Single")
        .child(blank.child(Element::new("response_label").with("ident", "answer1")))
}

fn condition(accepted: &Accepted, (low, high): (f64, f64)) -> Element {
    let compared = |name: &str, value: f64| Element::new(name).with("respident", RESPONSE).text(value.to_string());
    let equal = |value: &str| Element::new("varequal").with("respident", RESPONSE).text(value);
    let within = |least: &str| [compared(least, low), compared("varlte", high)];
    let either =
        |equal, least: &str| Element::new("or").child(equal).child(Element::new("and").children(within(least)));
    match accepted {
        Accepted::Exact { value } => either(equal(value), "vargte"),
        Accepted::Margin { value, margin, percent } => {
            let kind = if *percent { "percent" } else { "absolute" };
            either(equal(value).with("margintype", kind).with("margin", margin.as_str()), "vargte")
        }
        Accepted::Range { .. } => Element::new("and").children(within("vargte")),
        Accepted::Precise { value, precision, significant } => {
            let kind = if *significant { "significantDigits" } else { "decimals" };
            either(equal(value).with("precisiontype", kind).with("precision", precision.as_str()), "vargt")
        }
    }
}

impl Accepted {
    /// The least and the greatest number that is accepted; `None` if they are none.
    pub(crate) fn bounds(&self) -> Option<(f64, f64)> {
        let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        match self {
            Self::Exact { value } => Some((number(value)?, number(value)?)),
            Self::Margin { value, margin, percent } => {
                let (value, margin) = (number(value)?, number(margin)?);
                let margin = if *percent { (value * margin / 100.0).abs() } else { margin };
                Some((value - margin, value + margin))
            }
            Self::Range { start, end } => Some((number(start)?, number(end)?)),
            Self::Precise { value, precision, significant } => {
                let (value, precision) = (number(value)?, precision.trim().parse::<i32>().ok()?);
                let half = 0.5 * 10_f64.powi(if *significant { magnitude(value) - precision + 1 } else { -precision });
                Some((value - half, value + half))
            }
        }
    }
}

/// The power of ten of the first digit.
fn magnitude(value: f64) -> i32 {
    let text = format!("{:e}", value.abs());
    text.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or_default()
}

pub(super) fn formula(own: &Formula) -> Body {
    let sign = if own.percent { "%" } else { "" };
    let calculated = Element::new("calculated")
        .child(Element::new("answer_tolerance").text(format!("{}{sign}", own.tolerance)))
        .child(
            Element::new("formulas")
                .with("decimal_places", own.decimal_places.to_string())
                .children(own.formulas.iter().map(|formula| Element::new("formula").text(formula.as_str()))),
        )
        .child(Element::new("vars").children(own.variables.iter().map(variable)))
        .child(Element::new("var_sets").children((1..).zip(&own.solutions).map(solution)));
    let other = Element::new("conditionvar").child(Element::new("other"));
    let right = Element::new("respcondition").with("title", "correct").child(other).child(score("Set", "100"));
    let not = Element::new("not").child(Element::new("other"));
    let wrong = Element::new("respcondition")
        .with("title", "incorrect")
        .child(Element::new("conditionvar").child(not))
        .child(score("Set", "0"));
    Body {
        kind: "calculated_question",
        presentation: vec![response()],
        scoring: vec![wrong, right],
        extension: Some(Element::new("itemproc_extension").child(calculated)),
        ..Body::default()
    }
}

fn variable(own: &Variable) -> Element {
    Element::new("var")
        .with("name", own.name.as_str())
        .with("scale", own.scale.to_string())
        .child(Element::new("min").text(own.min.as_str()))
        .child(Element::new("max").text(own.max.as_str()))
}

fn solution((number, own): (i64, &Solution)) -> Element {
    let input = |(name, value): &(String, String)| Element::new("var").with("name", name.as_str()).text(value.as_str());
    Element::new("var_set")
        .with("ident", number.to_string())
        .children(own.inputs.iter().map(input))
        .child(Element::new("answer").text(own.output.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_rule() {
        let precise = |value: &str, precision: &str, significant| {
            let (value, precision) = (value.to_owned(), precision.to_owned());
            Accepted::Precise { value, precision, significant }.bounds().unwrap()
        };
        let near = |(low, high): (f64, f64), (least, most): (f64, f64)| {
            assert!((low - least).abs() < 1e-9 && (high - most).abs() < 1e-9, "{low} {high}");
        };
        near(precise("1000", "6", true), (999.995, 1000.005));
        near(precise("0.0123", "2", true), (0.0118, 0.0128));
        near(precise("9", "1", false), (8.95, 9.05));
        near(precise("-12.5", "3", true), (-12.55, -12.45));
        let margin = Accepted::Margin { value: "-200".to_owned(), margin: "20".to_owned(), percent: true };
        near(margin.bounds().unwrap(), (-240.0, -160.0));
        assert_eq!(Accepted::Exact { value: "many".to_owned() }.bounds(), None);
    }
}
