//! Numbers.

use super::attribute;
use super::declarations::Response;
use super::item::Item;
use crate::model::{Accepted, Number, Report};
use crate::xml::Element;

/// The numbers that the processing compares with, or else those that are declared right.
pub(super) fn numeric(item: &Item<'_>, response: &Response<'_>, about: &str, report: &mut Report) -> Vec<Number> {
    let mut numbers = Vec::new();
    let mut add = |accepted, feedback| {
        let id = (numbers.len() + 1).to_string();
        numbers.push(Number { id, accepted, feedback });
    };
    for test in tests(item.element) {
        match accepted(test, response) {
            Some(accepted) => add(accepted, String::new()),
            None => report.note(about, "an accepted response that is no number is left out"),
        }
    }
    if numbers.is_empty() {
        for value in response.accepted() {
            let id = (numbers.len() + 1).to_string();
            numbers.push(Number { id, accepted: Accepted::Exact { value }, feedback: String::new() });
        }
    }
    // Feedback for single numbers has their ids in its own.
    for number in &mut numbers {
        number.feedback = item.feedback_of(&crate::ident::of(&number.id));
    }
    numbers
}

/// The comparisons of the condition that gives points.
fn tests(item: &Element) -> Vec<&Element> {
    let conditions = item.first("responseProcessing").into_iter().flat_map(|own| own.all("responseCondition"));
    let scores = |own: &&Element| own.find("setOutcomeValue").any(|own| own.attribute("identifier") == Some("SCORE"));
    let mut tests = Vec::new();
    for branch in conditions.filter(scores).flat_map(|own| own.all("responseIf")) {
        for test in branch.elements() {
            match test.name.as_str() {
                "or" => tests.extend(test.elements()),
                "equal" | "equalRounded" | "and" => tests.push(test),
                _ => {}
            }
        }
    }
    tests
}

fn accepted(test: &Element, response: &Response<'_>) -> Option<Accepted> {
    let number = |own: &Element| {
        let declared = own.first("correct").and(response.correct.first().cloned());
        own.content_at(&["baseValue"]).or(declared).filter(|text| text.parse::<f64>().is_ok_and(f64::is_finite))
    };
    match test.name.as_str() {
        "equal" => {
            let value = number(test)?;
            let tolerance = attribute(test, "tolerance");
            let margin = tolerance.split_whitespace().next().map(str::to_owned);
            let mode = test.attribute("toleranceMode").unwrap_or("exact");
            Some(match (mode, margin) {
                ("absolute", Some(margin)) => Accepted::Margin { value, margin, percent: false },
                ("relative", Some(margin)) => Accepted::Margin { value, margin, percent: true },
                _ => Accepted::Exact { value },
            })
        }
        "equalRounded" => Some(Accepted::Precise {
            value: number(test)?,
            precision: attribute(test, "figures"),
            significant: test.attribute("roundingMode") != Some("decimalPlaces"),
        }),
        "and" => {
            let bound = |names: [&str; 2]| names.into_iter().find_map(|name| test.first(name)).and_then(&number);
            Some(Accepted::Range { start: bound(["gte", "gt"])?, end: bound(["lte", "lt"])? })
        }
        _ => None,
    }
}
