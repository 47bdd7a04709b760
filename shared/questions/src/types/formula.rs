//! Formula: each student gets other numbers, and the result that goes with them.

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::number::is_positive_or_zero;
use crate::types::parts::{CountText, Nothing, NumberText, are_the_same, are_unique, is_blank, require_few};
use crate::types::{Draft, QuestionType, ensure};

pub(crate) struct Formula;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FormulaScoring")]
pub(crate) struct Scoring {
    pub(crate) value: Value,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FormulaValue")]
pub(crate) struct Value {
    pub(crate) formula: String,
    pub(crate) numeric: Tolerance,
    pub(crate) variables: Vec<Variable>,
    pub(crate) answer_count: CountText,
    pub(crate) generated_solutions: Vec<Solution>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Tolerance {
    pub(crate) r#type: ToleranceType,
    pub(crate) margin: NumberText,
    pub(crate) margin_type: MarginType,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ToleranceType {
    MarginOfError,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MarginType {
    Absolute,
    Percent,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) min: NumberText,
    pub(crate) max: NumberText,
    /// Decimal places.
    pub(crate) precision: i64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Solution {
    pub(crate) inputs: Vec<Input>,
    pub(crate) output: NumberText,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) value: NumberText,
}

impl QuestionType for Formula {
    const SLUG: &'static str = "formula";
    const ALGORITHMS: &'static [&'static str] = &["Numeric"];
    type Interaction = Nothing;
    type Properties = Nothing;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        let value = &draft.scoring_data.value;
        ensure(!is_blank(&value.formula), "scoring_data[value][formula]", "can't be blank")?;
        let margin = value.numeric.margin.number();
        ensure(
            is_positive_or_zero(margin),
            "scoring_data[value][numeric][margin]",
            "must be greater than or equal to 0",
        )?;
        value.check_variables()?;
        ensure(value.answer_count.value() > 0, "scoring_data[value][answer_count]", "must be greater than 0")?;
        value.check_solutions()
    }
}

impl Value {
    fn check_variables(&self) -> Result<()> {
        let field = "scoring_data[value][variables]";
        require_few(self.variables.len(), field)?;
        ensure(!self.names().any(|name| is_blank(name)), &format!("{field}[][name]"), "can't be blank")?;
        ensure(are_unique(self.names()), field, "must have names that differ")?;
        for variable in &self.variables {
            let in_order = variable.min.number() <= variable.max.number();
            ensure(in_order, &format!("{field}[][max]"), "must be greater than or equal to min")?;
            ensure(variable.precision >= 0, &format!("{field}[][precision]"), "must be greater than or equal to 0")?;
        }
        Ok(())
    }

    fn check_solutions(&self) -> Result<()> {
        let field = "scoring_data[value][generated_solutions]";
        require_few(self.generated_solutions.len(), field)?;
        ensure(!self.generated_solutions.is_empty(), field, "must have at least one solution")?;
        let complete =
            |solution: &Solution| are_the_same(self.names(), solution.inputs.iter().map(|input| &input.name));
        let holds = self.generated_solutions.iter().all(complete);
        ensure(holds, &format!("{field}[][inputs]"), "must name each variable once")
    }

    fn names(&self) -> impl Iterator<Item = &String> + Clone {
        self.variables.iter().map(|variable| &variable.name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sample::{Sample, accepts, refuses};

    fn sample() -> Sample {
        Sample {
            interaction_data: json!({}),
            scoring_data: json!({"value": {
                "formula": "x + y",
                "numeric": {"type": "marginOfError", "margin": "0.5", "margin_type": "absolute"},
                "variables": [{"name": "x", "min": "1", "max": "9", "precision": 0},
                              {"name": "y", "min": "-1.5", "max": "2", "precision": 1}],
                "answer_count": "1",
                "generated_solutions": [{"inputs": [{"name": "x", "value": "3"}, {"name": "y", "value": "0.5"}],
                                         "output": "3.5"}],
            }}),
            ..Sample::new("formula", "Numeric")
        }
    }

    #[test]
    fn numbers_stay_text() {
        assert_eq!(accepts(sample()).scoring_data.0, sample().scoring_data);
        let mut sent = sample();
        *sent.scoring_data.pointer_mut("/value/variables/0/precision").unwrap() = json!("0");
        *sent.scoring_data.pointer_mut("/value/answer_count").unwrap() = json!(1);
        assert_eq!(accepts(sent).scoring_data.0, sample().scoring_data);
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let with = |pointer: &str, value: Value| {
            let mut sample = sample();
            *sample.scoring_data.pointer_mut(&format!("/value{pointer}")).unwrap() = value;
            sample
        };
        refuses([
            (with("/formula", json!(" ")), "scoring_data[value][formula] can't be blank"),
            (
                with("/numeric/type", json!("exactResponse")),
                "scoring_data[value][numeric][type] must be one of marginOfError",
            ),
            (with("/numeric/margin", json!("x")), "scoring_data[value][numeric][margin] must be a number"),
            (
                with("/numeric/margin", json!("-1")),
                "scoring_data[value][numeric][margin] must be greater than or equal to 0",
            ),
            (
                with("/numeric/margin_type", json!("x")),
                "scoring_data[value][numeric][margin_type] must be one of absolute, percent",
            ),
            (
                with("/variables/0/min", json!("10")),
                "scoring_data[value][variables][][max] must be greater than or equal to min",
            ),
            (with("/variables/0/name", json!("y")), "scoring_data[value][variables] must have names that differ"),
            (with("/variables/0/name", json!("")), "scoring_data[value][variables][][name] can't be blank"),
            (
                with("/variables/0/precision", json!(-1)),
                "scoring_data[value][variables][][precision] must be greater than or equal to 0",
            ),
            (
                with("/variables/0/precision", json!("1.5")),
                "scoring_data[value][variables][][precision] must be an integer",
            ),
            (with("/answer_count", json!("0")), "scoring_data[value][answer_count] must be greater than 0"),
            (
                with("/generated_solutions", json!([])),
                "scoring_data[value][generated_solutions] must have at least one solution",
            ),
            (
                with("/generated_solutions/0/inputs/0/name", json!("z")),
                "scoring_data[value][generated_solutions][][inputs] must name each variable once",
            ),
            (
                with("/generated_solutions/0/output", json!("much")),
                "scoring_data[value][generated_solutions][][output] must be a number",
            ),
            (Sample { scoring_data: json!({"value": []}), ..sample() }, "scoring_data[value] must be an object"),
        ]);
    }
}
