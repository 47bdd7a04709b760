//! Formulas: one of the solutions is picked, and its numbers are put into the text.

use super::blanks::put;
use super::item::Body;
use super::numbers::{entry, tolerant};
use super::processing::Scoring;
use super::{Cx, RESPONSE, base, declaration, variable};
use crate::ident;
use crate::model::{Formula, Solution};
use crate::xml::Element;

const PICKED: &str = "SOLUTION";
const RESULT: &str = "RESULT";

pub(super) fn formula(own: &Formula, body: &str, cx: &Cx<'_>) -> Body {
    cx.note("its numbers are those of the solutions that were made for it; the formula is only told to authors");
    let mut text = cx.html(body);
    for variable in &own.variables {
        let shown = Element::new("printedVariable").with("identifier", name(&variable.name));
        while put(&mut text, &format!("[{}]", variable.name), &shown) {}
    }
    let number = own.tolerance.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let mode = if own.percent { "relative" } else { "absolute" };
    let test = match number.filter(|number| *number > 0.0) {
        Some(_) => tolerant(mode, own.tolerance.trim()),
        None => Element::new("equal").with("toleranceMode", "exact"),
    };
    let is_usable = |solution: &&Solution| solution.output.trim().parse::<f64>().is_ok_and(f64::is_finite);
    let solutions: Vec<_> = own.solutions.iter().filter(is_usable).collect();
    let scoring = match solutions.is_empty() {
        true => Scoring::None,
        false => Scoring::When(test.child(variable(RESPONSE)).child(variable(RESULT))),
    };
    let author = Element::new("rubricBlock").with("class", "formula").with("view", "author");
    let formulas = own.formulas.iter().map(|formula| Element::new("p").text(formula.as_str()));
    let mut body = Body::new(declaration("responseDeclaration", RESPONSE, "single", "float"), entry(), scoring);
    body.text = Some(text);
    body.blocks.push(author.children(formulas));
    body.templates = templates(own, &solutions);
    body
}

/// A variable of the item: none that the item has for another purpose.
fn name(variable: &str) -> String {
    ident::of(&format!("var-{variable}"))
}

fn templates(own: &Formula, solutions: &[&Solution]) -> Vec<Element> {
    if solutions.is_empty() {
        return Vec::new();
    }
    let declare = |name: &str, kind| declaration("templateDeclaration", name, "single", kind);
    let variables = own.variables.iter().map(|variable| declare(&name(&variable.name), "float"));
    let mut templates = vec![declare(PICKED, "integer"), declare(RESULT, "float")];
    templates.extend(variables);
    let most = solutions.len().to_string();
    let pick = Element::new("setTemplateValue")
        .with("identifier", PICKED)
        .child(Element::new("randomInteger").with("min", "1").with("max", most));
    let branches = (1..).zip(solutions).map(|(number, solution): (i64, _)| {
        let branch = Element::new(if number == 1 { "templateIf" } else { "templateElseIf" });
        let picked = Element::new("match").child(variable(PICKED)).child(base("integer", number.to_string()));
        let set = |name: String, value: &str| {
            Element::new("setTemplateValue").with("identifier", name).child(base("float", value.trim()))
        };
        let inputs = solution.inputs.iter().filter(|(_, value)| value.trim().parse::<f64>().is_ok_and(f64::is_finite));
        branch
            .child(picked)
            .children(inputs.map(|(input, value)| set(name(input), value)))
            .child(set(RESULT.to_owned(), &solution.output))
    });
    let result = Element::new("setCorrectResponse").with("identifier", RESPONSE).child(variable(RESULT));
    templates.push(
        Element::new("templateProcessing")
            .child(pick)
            .child(Element::new("templateCondition").children(branches))
            .child(result),
    );
    templates
}
