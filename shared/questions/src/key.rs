//! The key of a question: what is right. It may be corrected after the question was answered, as long as what was asked stays.

use serde::Deserialize;
use serde_json::{Value, json};
use shared::{Error, JsonSchema, Patch, Result};

use crate::question::{QuestionForm, StoredQuestion};
use crate::taken::Question;
use crate::types::choice::{Choice, VARYING};
use crate::types::{QuestionType, checked, invalid_field};

/// The parts of a key that are corrected; what is left out stays.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub struct KeyForm {
    /// An object; its shape depends on the type.
    pub scoring_data: Patch<Value>,
    /// One of those of the type.
    pub scoring_algorithm: Patch<String>,
}

impl KeyForm {
    /// True if nothing is corrected.
    pub fn is_empty(&self) -> bool {
        matches!((&self.scoring_data, &self.scoring_algorithm), (Patch::Absent, Patch::Absent))
    }
}

/// The question with another key.
///
/// # Errors
/// 422 if the key is none of the type, or students would have been asked something else.
pub fn corrected(question: &StoredQuestion, form: KeyForm) -> Result<StoredQuestion> {
    let mut changed = QuestionForm::of_key(form).over(question.clone())?;
    // The properties of a choice tell its algorithm.
    if changed.scoring_algorithm != question.scoring_algorithm
        && changed.interaction_type_slug == Choice::SLUG
        && let Value::Object(properties) = &mut changed.properties.0
    {
        properties.insert("vary_points_by_answer".to_owned(), json!(changed.scoring_algorithm == VARYING));
    }
    let key = checked(changed)?;
    let corrected = StoredQuestion {
        properties: key.properties,
        scoring_data: key.scoring_data,
        scoring_algorithm: key.scoring_algorithm,
        ..question.clone()
    };
    let parsed = |stored: &StoredQuestion| Question::parse(stored.clone().into()).map_err(Error::internal);
    if parsed(question)?.asks_like(&parsed(&corrected)?) {
        return Ok(corrected);
    }
    Err(invalid_field("scoring_data", "must go with what was asked: the same variables and values, and as many places"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sample::{A, B, C, Sample};

    fn formula(value: &str, output: &str) -> Sample {
        Sample {
            item_body: "Half of `x`?".to_owned(),
            scoring_data: json!({"value": {
                "formula": "x / 2", "numeric": {"type": "marginOfError", "margin": "0", "margin_type": "percent"},
                "variables": [{"name": "x", "min": "1", "max": "9", "precision": 0}], "answer_count": "1",
                "generated_solutions": [{"inputs": [{"name": "x", "value": value}], "output": output}],
            }}),
            ..Sample::new("formula", "Numeric")
        }
    }

    fn order(ids: [&str; 3]) -> Sample {
        let choice = |id: &str| json!({"id": id, "item_body": id});
        Sample {
            interaction_data: json!({"choices": {A: choice(A), B: choice(B), C: choice(C)}}),
            scoring_data: json!({ "value": ids }),
            ..Sample::new("ordering", "DeepEquals")
        }
    }

    fn correct(sample: Sample, scoring_data: Value) -> Result<StoredQuestion> {
        let form = KeyForm { scoring_data: Patch::Value(scoring_data), ..KeyForm::default() };
        corrected(&checked(sample.question()).unwrap(), form)
    }

    #[test]
    fn what_is_right_may_change_and_what_was_asked_may_not() {
        let changed = correct(formula("7", "3"), formula("7", "3.5").scoring_data).unwrap();
        assert_eq!(changed.scoring_data.0["value"]["generated_solutions"][0]["output"], "3.5");
        let error = correct(formula("7", "3"), formula("8", "4").scoring_data).unwrap_err();
        assert!(error.to_string().contains("must go with what was asked"), "{error}");
        assert!(correct(order([A, B, C]), json!({"value": [C, B, A]})).is_ok());
        assert!(correct(order([A, B, C]), json!({"value": [C, B]})).is_err());
        let spot =
            |id: &str| json!({"id": id, "type": "square", "coordinates": [{"x": 0.1, "y": 0.1}, {"x": 0.2, "y": 0.2}]});
        let spots = Sample {
            interaction_data: json!({"image_url": "/courses/1/files/2/preview"}),
            properties: json!({"hotspots_count": 1}),
            scoring_data: json!({"value": [spot(A), spot(B)]}),
            ..Sample::new("hot-spot", "HotSpot")
        };
        assert!(correct(spots.clone(), json!({"value": [spot(A)]})).is_ok());
        assert!(correct(spots, json!({"value": spot(A)})).is_err(), "one place is no list");
    }

    #[test]
    fn a_choice_may_get_points_for_each_answer() {
        let choice = |id: &str| json!({"id": id, "position": 1, "item_body": id});
        let sample = Sample {
            interaction_data: json!({"choices": [choice(A), choice(B)]}),
            properties: json!({"vary_points_by_answer": false}),
            scoring_data: json!({"value": A}),
            ..Sample::new("choice", "Equivalence")
        };
        let values = json!({"value": A, "values": [{"value": A, "points": 2}, {"value": B, "points": 1}]});
        let form = KeyForm {
            scoring_data: Patch::Value(values),
            scoring_algorithm: Patch::Value("VaryPointsByAnswer".to_owned()),
        };
        let changed = corrected(&checked(sample.question()).unwrap(), form).unwrap();
        assert_eq!(changed.properties.0["vary_points_by_answer"], true);
        assert_eq!(changed.scoring_algorithm, "VaryPointsByAnswer");
    }
}
