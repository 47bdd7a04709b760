//! Formulas, as ours are written: solutions of which one is picked.

use std::collections::BTreeMap;

use super::attribute;
use super::body::text;
use super::item::Item;
use crate::model::{Formula, Interaction, Solution, Variable};
use crate::xml::Element;

const PREFIX: &str = "var-";

/// `None` if the numbers of the text are made in another way.
pub(super) fn formula(item: &Item<'_>) -> Option<(Interaction, String)> {
    let processing = item.element.first("templateProcessing")?;
    let condition = processing.first("templateCondition")?;
    let solutions: Vec<_> = condition.elements().filter_map(solution).collect();
    if solutions.is_empty() {
        return None;
    }
    let declared = item.element.all("templateDeclaration").map(|own| attribute(own, "identifier"));
    let names: Vec<_> = declared.filter_map(|id| id.strip_prefix(PREFIX).map(str::to_owned)).collect();
    let equal = item.element.first("responseProcessing").and_then(|own| own.find("equal").next());
    let tolerance = equal.map(|own| attribute(own, "tolerance")).unwrap_or_default();
    let rubric = item.element.find("rubricBlock").find(|own| own.attribute("class") == Some("formula"))?;
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, value) in solutions.iter().flat_map(|own| &own.inputs) {
        values.entry(name).or_default().push(value);
    }
    let variables = names.iter().map(|name| variable(name, values.get(name.as_str()).map(Vec::as_slice)));
    let variables = variables.collect();
    let formula = Formula {
        formulas: rubric.all("p").map(Element::content).collect(),
        variables,
        tolerance: tolerance.split_whitespace().next().unwrap_or("0").to_owned(),
        percent: equal.and_then(|own| own.attribute("toleranceMode")) == Some("relative"),
        decimal_places: solutions.iter().map(|own| places(&own.output)).max().unwrap_or_default(),
        solutions,
    };
    let body = text(item.element, &|own| {
        let name = own.attribute("identifier").and_then(|id| id.strip_prefix(PREFIX));
        match own.name.as_str() {
            "printedVariable" => name.map(|name| format!("[{name}]")),
            _ => None,
        }
    });
    Some((Interaction::Formula(formula), body))
}

fn solution(branch: &Element) -> Option<Solution> {
    let mut solution = Solution::default();
    for set in branch.all("setTemplateValue") {
        let value = set.content_at(&["baseValue"])?;
        match set.attribute("identifier")? {
            "RESULT" => solution.output = value,
            id => solution.inputs.push((id.strip_prefix(PREFIX)?.to_owned(), value)),
        }
    }
    (!solution.output.is_empty()).then_some(solution)
}

/// Its bounds are those of the solutions.
fn variable(name: &str, values: Option<&[&str]>) -> Variable {
    let values = values.unwrap_or_default().iter();
    let number = |text: &&&str| text.parse::<f64>().unwrap_or_default();
    let least = values.clone().min_by(|a, b| number(a).total_cmp(&number(b)));
    let most = values.clone().max_by(|a, b| number(a).total_cmp(&number(b)));
    Variable {
        name: name.to_owned(),
        min: least.map(ToString::to_string).unwrap_or_default(),
        max: most.map(ToString::to_string).unwrap_or_default(),
        scale: values.map(|value| places(value)).max().unwrap_or_default(),
    }
}

fn places(number: &str) -> i64 {
    let places = number.split_once('.').map_or(0, |(_, places)| places.len());
    i64::try_from(places).unwrap_or_default()
}
