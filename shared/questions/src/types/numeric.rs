//! Numeric: a number is right when any of the accepted responses matches it.

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::number::is_positive_or_zero;
use crate::types::formula::MarginType;
use crate::types::parts::{CountText, Nothing, NumberText, are_unique, is_blank, require_few};
use crate::types::{Draft, QuestionType, ensure, invalid_field};

pub(crate) struct Numeric;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NumericScoring")]
pub(crate) struct Scoring {
    pub(crate) value: Vec<Response>,
}

/// An accepted response. Which members it has depends on its type; the others are left out.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Response {
    pub(crate) id: String,
    pub(crate) r#type: ResponseType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<NumberText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) margin: Option<NumberText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) margin_type: Option<MarginType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) start: Option<NumberText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<NumberText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) precision: Option<CountText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) precision_type: Option<PrecisionType>,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ResponseType {
    ExactResponse,
    MarginOfError,
    #[serde(rename = "withinARange")]
    WithinARange,
    PreciseResponse,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum PrecisionType {
    Decimals,
    SignificantDigits,
}

impl QuestionType for Numeric {
    const SLUG: &'static str = "numeric";
    const ALGORITHMS: &'static [&'static str] = &["Numeric"];
    type Interaction = Nothing;
    type Properties = Nothing;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        let (responses, field) = (&mut draft.scoring_data.value, "scoring_data[value]");
        require_few(responses.len(), field)?;
        ensure(!responses.is_empty(), field, "must have at least one response")?;
        let ids = || responses.iter().map(|response| &response.id);
        ensure(!ids().any(|id| is_blank(id)), "scoring_data[value][][id]", "can't be blank")?;
        ensure(are_unique(ids()), field, "must have ids that differ")?;
        responses.iter().try_for_each(Response::check)?;
        responses.iter_mut().for_each(Response::settle);
        Ok(())
    }
}

impl Response {
    fn check(&self) -> Result<()> {
        match self.r#type {
            ResponseType::ExactResponse => needed(&self.value, "value").map(drop),
            ResponseType::MarginOfError => {
                needed(&self.value, "value")?;
                needed(&self.margin_type, "margin_type")?;
                let margin = needed(&self.margin, "margin")?.number();
                ensure(is_positive_or_zero(margin), &member("margin"), "must be greater than or equal to 0")
            }
            ResponseType::WithinARange => {
                let (start, end) = (needed(&self.start, "start")?, needed(&self.end, "end")?);
                let in_order = start.number() <= end.number();
                ensure(in_order, &member("end"), "must be greater than or equal to start")
            }
            ResponseType::PreciseResponse => {
                needed(&self.value, "value")?;
                let precision = needed(&self.precision, "precision")?.value();
                let digits = needed(&self.precision_type, "precision_type")?;
                // No number is written with no digit: nobody could be right.
                let is_some = precision > 0 || matches!(digits, PrecisionType::Decimals);
                ensure(is_some, &member("precision"), "must be greater than 0")
            }
        }
    }

    /// Leaves out what its type has not.
    fn settle(&mut self) {
        if self.r#type == ResponseType::WithinARange {
            self.value = None;
        } else {
            (self.start, self.end) = (None, None);
        }
        if self.r#type != ResponseType::MarginOfError {
            (self.margin, self.margin_type) = (None, None);
        }
        if self.r#type != ResponseType::PreciseResponse {
            (self.precision, self.precision_type) = (None, None);
        }
    }
}

/// A member that the type of response must have.
fn needed<'a, T>(own: &'a Option<T>, name: &str) -> Result<&'a T> {
    own.as_ref().ok_or_else(|| invalid_field(&member(name), "is missing"))
}

fn member(name: &str) -> String {
    format!("scoring_data[value][][{name}]")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sample::{Sample, accepts, refuses};

    fn sample(value: Value) -> Sample {
        Sample {
            interaction_data: json!({}),
            scoring_data: json!({ "value": value }),
            ..Sample::new("numeric", "Numeric")
        }
    }

    #[test]
    fn all_four_types_of_response_are_accepted() {
        let value = json!([{"id": "1", "type": "exactResponse", "value": "12"},
                           {"id": "b1", "type": "marginOfError", "value": "12", "margin": "5", "margin_type": "percent"},
                           {"id": "b2", "type": "withinARange", "start": "11", "end": "13"},
                           {"id": "b3", "type": "preciseResponse", "value": "12.50", "precision": "2", "precision_type": "decimals"}]);
        assert_eq!(accepts(sample(value.clone())).scoring_data.0, json!({ "value": value }));
    }

    #[test]
    fn members_of_other_types_are_left_out() {
        let stored = accepts(sample(json!([{"id": 1, "type": "exactResponse", "value": -1e3, "margin": "5", "x": 1}])));
        assert_eq!(stored.scoring_data.0, json!({"value": [{"id": "1", "type": "exactResponse", "value": "-1000.0"}]}));
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let one = |response: Value| sample(json!([response]));
        refuses([
            (sample(json!([])), "scoring_data[value] must have at least one response"),
            (sample(json!("12")), "scoring_data[value] must be a list"),
            (
                sample(json!([{"id": "1", "type": "exactResponse", "value": "1"},
                           {"id": "1", "type": "exactResponse", "value": "2"}])),
                "scoring_data[value] must have ids that differ",
            ),
            (one(json!({"type": "exactResponse", "value": "1"})), "scoring_data[value][][id] is missing"),
            (one(json!({"id": "", "type": "exactResponse", "value": "1"})), "scoring_data[value][][id] can't be blank"),
            (
                one(json!({"id": "1", "type": "guess"})),
                "scoring_data[value][][type] must be one of exactResponse, \
                marginOfError, withinARange, preciseResponse",
            ),
            (one(json!({"id": "1", "type": "exactResponse"})), "scoring_data[value][][value] is missing"),
            (
                one(json!({"id": "1", "type": "exactResponse", "value": "twelve"})),
                "scoring_data[value][][value] must be a number",
            ),
            (
                one(json!({"id": "1", "type": "exactResponse", "value": "inf"})),
                "scoring_data[value][][value] must be a number",
            ),
            (
                one(
                    json!({"id": "1", "type": "marginOfError", "value": "1", "margin": "-1", "margin_type": "absolute"}),
                ),
                "scoring_data[value][][margin] must be greater than or equal to 0",
            ),
            (
                one(json!({"id": "1", "type": "marginOfError", "value": "1", "margin": "1"})),
                "scoring_data[value][][margin_type] is missing",
            ),
            (
                one(json!({"id": "1", "type": "withinARange", "start": "2", "end": "1"})),
                "scoring_data[value][][end] must be greater than or equal to start",
            ),
            (
                one(
                    json!({"id": "1", "type": "preciseResponse", "value": "1", "precision": "1.5", "precision_type": "decimals"}),
                ),
                "scoring_data[value][][precision] must be a whole number",
            ),
            (
                one(
                    json!({"id": "1", "type": "preciseResponse", "value": "1", "precision": "1", "precision_type": "x"}),
                ),
                "scoring_data[value][][precision_type] must be one of decimals, significantDigits",
            ),
            (
                one(
                    json!({"id": "1", "type": "preciseResponse", "value": "1", "precision": "0", "precision_type": "significantDigits"}),
                ),
                "scoring_data[value][][precision] must be greater than 0",
            ),
        ]);
        accepts(one(
            json!({"id": "1", "type": "preciseResponse", "value": "1", "precision": "0", "precision_type": "decimals"}),
        ));
    }
}
