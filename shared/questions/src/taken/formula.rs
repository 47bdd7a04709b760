//! Formula: a number, which is held against the result that goes with the numbers that the student was given.

use serde_json::{Value, json};

use crate::draw::Showing;
use crate::number::{Number, is_within};
use crate::response::{Part, Read, ResponseError};
use crate::score::Score;
use crate::taken::{QuestionError, Taken, numeric};
use crate::types::Draft;
use crate::types::formula::{Formula, MarginType, Solution};

impl Taken for Formula {
    type Response<'a> = Number;

    fn read<'a>(_: &Draft<Self>, response: &Part<'a>) -> Read<Option<Number>> {
        numeric::read_number(response)
    }

    fn score(asked: &Draft<Self>, answer: Number, variant: Option<usize>) -> Read<Score> {
        let Some(solution) = solution(asked, variant) else {
            let message = "must be one of the generated solutions".to_owned();
            return Err(ResponseError { place: "variant".to_owned(), message });
        };
        let tolerance = &asked.scoring_data.value.numeric;
        let is_percent = matches!(tolerance.margin_type, MarginType::Percent);
        let is_right = is_within(&answer, solution.output.number(), tolerance.margin.number(), is_percent);
        Ok(Score::single("", is_right))
    }

    fn show(asked: &Draft<Self>, showing: &mut Showing) -> Value {
        let inputs = solution(asked, showing.variant).into_iter().flat_map(|solution| &solution.inputs);
        let variables: Vec<_> =
            inputs.map(|input| json!({"name": input.name, "value": input.value.text().trim()})).collect();
        json!({ "variables": variables })
    }

    fn body(asked: &Draft<Self>, showing: &Showing) -> String {
        match solution(asked, showing.variant) {
            Some(solution) => filled_in(&asked.item_body, solution),
            None => asked.item_body.clone(),
        }
    }

    fn variant_count(asked: &Draft<Self>) -> usize {
        asked.scoring_data.value.generated_solutions.len()
    }

    fn check_stored(asked: &Draft<Self>) -> Result<(), QuestionError> {
        if Self::variant_count(asked) == 0 {
            return Err(QuestionError(
                "scoring_data[value][generated_solutions] must have at least one solution".to_owned(),
            ));
        }
        Ok(())
    }
}

fn solution(asked: &Draft<Formula>, variant: Option<usize>) -> Option<&Solution> {
    asked.scoring_data.value.generated_solutions.get(variant?)
}

/// The body with the value of each variable, whose name stands in back-ticks. Other back-ticks stay what they are.
fn filled_in(body: &str, solution: &Solution) -> String {
    let mut filled = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, inner)) = rest.split_once('`') {
        filled.push_str(before);
        let named = inner.split_once('`').and_then(|(name, after)| {
            let input = solution.inputs.iter().find(|input| escaped(&input.name) == name)?;
            Some((input.value.text().trim(), after))
        });
        match named {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('`');
                rest = inner;
            }
        }
    }
    filled + rest
}

/// A name as it stands in HTML.
fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
