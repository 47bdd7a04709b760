//! The solutions of a formula. An attempt draws one of them: the student reads the values of its variables in the text, and its
//! result alone is right.

use std::borrow::Cow;

use classic_questions::Answer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::JsonSchema;

/// The value that a variable has in a solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct VariableValue {
    name: String,
    value: f64,
}

/// The values of a solution, by name. What is no number is none of them: it goes into a text of HTML.
pub(crate) fn values(solution: &Answer) -> Vec<VariableValue> {
    let variables = solution.variables.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let read = |variable: &Value| {
        let name = variable.get("name")?.as_str()?.to_owned();
        Some(VariableValue { name, value: number(variable.get("value")?)? })
    };
    let mut values: Vec<_> = variables.iter().filter_map(read).collect();
    values.sort_by(|one, other| one.name.cmp(&other.name));
    values
}

/// The result of a solution. Of those that were written before texts were read, the text has it.
pub(crate) fn result(solution: &Answer) -> Option<f64> {
    solution.answer.or_else(|| finite(&solution.text))
}

/// The solution of a key with the same values: of several the one with the same id, or else the first.
pub(crate) fn same_solution<'a>(asked: &Answer, key: &'a [Answer]) -> Option<&'a Answer> {
    let wanted = values(asked);
    let alike: Vec<_> = key.iter().filter(|solution| values(solution) == wanted).collect();
    let by_id = alike.iter().find(|solution| solution.id.is_some() && solution.id == asked.id);
    by_id.or(alike.first()).copied()
}

/// The text with values in place of the names in brackets: `[x]`. What is no variable stays.
pub(crate) fn fill_in<'a>(text: &'a str, values: &[VariableValue]) -> Cow<'a, str> {
    if values.is_empty() {
        return text.into();
    }
    let mut parts = text.split('[');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let named = part.split_once(']').and_then(|(name, rest)| Some((value_of(name, values)?, rest)));
        match named {
            Some((value, rest)) => filled.extend([shown(value).as_str(), rest]),
            None => filled.extend(["[", part]),
        }
    }
    filled.into()
}

fn value_of(name: &str, values: &[VariableValue]) -> Option<f64> {
    let place = values.binary_search_by(|value| value.name.as_str().cmp(name)).ok()?;
    values.get(place).map(|found| found.value)
}

/// A value as it stands in a text: with a power of ten where it would have many digits without.
fn shown(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-6..1e16).contains(&size) => value.to_string(),
        _ => format!("{value:e}"),
    }
}

/// A number, also one that is written as text.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| finite(value.as_str()?))
}

pub(crate) fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn solution(id: i64, variables: Value, answer: f64) -> Answer {
        serde_json::from_value(json!({ "id": id, "variables": variables, "answer": answer })).unwrap()
    }

    #[test]
    fn values_stand_in_the_place_of_names() {
        let variables =
            json!([{"name": "y", "value": "2.50"}, {"name": "x", "value": 3}, {"name": "z", "value": "<b>"}]);
        let values = values(&solution(1, variables, 1.0));
        for (text, filled) in [
            ("<p>[x] + [y] = [?]</p>", "<p>3 + 2.5 = [?]</p>"),
            ("[z] [X] [x", "[z] [X] [x"),
            ("[[x]] x [x][x]", "[3] x 33"),
            ("", ""),
        ] {
            assert_eq!(fill_in(text, &values), filled);
        }
        assert_eq!(fill_in("[x]", &[]), "[x]");
        let shown = [0.0, -3.0, 0.25, 1e300, 5e-324].map(shown);
        assert_eq!(shown, ["0", "-3", "0.25", "1e300", "5e-324"]);
    }

    #[test]
    fn a_solution_is_known_by_its_values() {
        let x = |value: Value| json!([{"name": "x", "value": value}]);
        let key = [solution(1, x(json!(2)), 4.0), solution(2, x(json!("1")), 2.0), solution(3, x(json!(1)), 2.5)];
        let found = |asked: &Answer| same_solution(asked, &key).and_then(|solution| solution.answer);
        assert_eq!(found(&solution(1, x(json!(1)), 1.0)), Some(2.0));
        assert_eq!(found(&solution(3, x(json!(1)), 1.0)), Some(2.5));
        assert_eq!(found(&solution(1, x(json!(7)), 1.0)), None);
    }
}
