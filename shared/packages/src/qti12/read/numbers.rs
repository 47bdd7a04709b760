//! Numbers, and formulas that give them.

use super::attribute;
use super::item::Item;
use crate::model::{Accepted, Formula, Number, Report, Solution, Variable};
use crate::xml::Element;

/// Each condition that gives points is a number that is accepted.
pub(super) fn numeric(item: &Item<'_>, about: &str, report: &mut Report) -> Vec<Number> {
    let mut numbers = Vec::new();
    for condition in item.conditions.scoring() {
        let Some(variables) = condition.variables else { continue };
        match accepted(variables) {
            Some(accepted) => numbers.push(Number {
                id: (numbers.len() + 1).to_string(),
                accepted,
                feedback: item.conditions.feedback_of_condition(condition),
            }),
            None => report.note(about, "an accepted response that is no number is left out"),
        }
    }
    numbers
}

fn accepted(variables: &Element) -> Option<Accepted> {
    let number = |name: &str| {
        let text = variables.find(name).next()?.content();
        text.parse().ok().filter(|number: &f64| number.is_finite()).map(|number| (text, number))
    };
    let low = number("vargte").or_else(|| number("vargt"));
    let high = number("varlte").or_else(|| number("varlt"));
    let Some((value, exact)) = number("varequal") else {
        return Some(Accepted::Range { start: low?.0, end: high?.0 });
    };
    let equal = variables.find("varequal").next()?;
    if let (Some(kind), Some(margin)) = (equal.attribute("margintype"), equal.attribute("margin")) {
        return Some(Accepted::Margin { value, margin: margin.to_owned(), percent: kind == "percent" });
    }
    if let (Some(kind), Some(precision)) = (equal.attribute("precisiontype"), equal.attribute("precision")) {
        let significant = kind == "significantDigits";
        return Some(Accepted::Precise { value, precision: precision.to_owned(), significant });
    }
    let (Some((_, low)), Some((_, high))) = (low, high) else { return Some(Accepted::Exact { value }) };
    // Where the lower bound itself is not accepted, the number is rounded.
    if number("vargt").is_some() && number("vargte").is_none() && high > low {
        let digits = exact.abs().log10().floor() - (high - low).log10().round() + 1.0;
        return Some(Accepted::Precise { value, precision: digits.max(1.0).to_string(), significant: true });
    }
    let margin = high - exact;
    match margin.abs() <= f64::EPSILON {
        true => Some(Accepted::Exact { value }),
        false => Some(Accepted::Margin { value, margin: rounded(margin), percent: false }),
    }
}

/// Without the digits that only calculating has brought.
fn rounded(number: f64) -> String {
    let text = format!("{number:.10}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(super) fn formula(item: &Item<'_>) -> Option<Formula> {
    let own = item.element.find("calculated").next()?;
    let tolerance = own.first("answer_tolerance");
    let text = tolerance.map(Element::content).unwrap_or_default();
    let is_percent = tolerance.and_then(|own| own.attribute("margin_type")) == Some("percent");
    let formulas = own.first("formulas");
    let content = |own: &Element, name: &str| own.content_at(&[name]).unwrap_or_default();
    let variables = own.at(&["vars"]).into_iter().flat_map(|vars| vars.all("var")).map(|own| Variable {
        name: attribute(own, "name"),
        min: content(own, "min"),
        max: content(own, "max"),
        scale: attribute(own, "scale").parse().unwrap_or_default(),
    });
    let solutions = own.at(&["var_sets"]).into_iter().flat_map(|sets| sets.all("var_set")).map(|own| Solution {
        inputs: own.all("var").map(|input| (attribute(input, "name"), input.content())).collect(),
        output: content(own, "answer"),
    });
    let places = formulas.and_then(|own| own.attribute("decimal_places")?.parse().ok());
    Some(Formula {
        formulas: formulas.into_iter().flat_map(|own| own.all("formula")).map(Element::content).collect(),
        variables: variables.collect(),
        percent: is_percent || text.ends_with('%'),
        tolerance: text.trim_end_matches('%').trim_end().to_owned(),
        decimal_places: places.unwrap_or_default(),
        solutions: solutions.collect(),
    })
}
