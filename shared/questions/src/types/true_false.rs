//! True or false.

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::types::parts::{Nothing, is_blank};
use crate::types::{Draft, QuestionType, ensure};

pub(crate) struct TrueFalse;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrueFalseInteraction")]
pub(crate) struct Interaction {
    pub(crate) true_choice: String,
    pub(crate) false_choice: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrueFalseScoring")]
pub(crate) struct Scoring {
    pub(crate) value: bool,
}

impl QuestionType for TrueFalse {
    const SLUG: &'static str = "true-false";
    const ALGORITHMS: &'static [&'static str] = &["Equivalence"];
    type Interaction = Interaction;
    type Properties = Nothing;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        let Interaction { true_choice, false_choice } = &draft.interaction_data;
        ensure(!is_blank(true_choice), "interaction_data[true_choice]", "can't be blank")?;
        ensure(!is_blank(false_choice), "interaction_data[false_choice]", "can't be blank")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::sample::{Sample, accepts, refuses};

    fn sample() -> Sample {
        Sample {
            interaction_data: json!({"true_choice": "True", "false_choice": "False"}),
            scoring_data: json!({"value": true}),
            ..Sample::new("true-false", "Equivalence")
        }
    }

    #[test]
    fn the_sheets_example_is_accepted() {
        let stored = accepts(sample());
        assert_eq!(stored.scoring_data.0, json!({"value": true}));
        assert_eq!(accepts(Sample { scoring_data: json!({"value": "true"}), ..sample() }), stored);
        assert_eq!(accepts(Sample { properties: json!({"colour": "red"}), ..sample() }), stored);
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let with = |interaction_data| Sample { interaction_data, ..sample() };
        refuses([
            (sample().scored("None"), "scoring_algorithm must be Equivalence"),
            (with(json!({"true_choice": "", "false_choice": "x"})), "interaction_data[true_choice] can't be blank"),
            (with(json!({"true_choice": "x", "false_choice": " "})), "interaction_data[false_choice] can't be blank"),
            (with(json!({"true_choice": "x"})), "interaction_data[false_choice] is missing"),
            (
                Sample { scoring_data: json!({"value": "perhaps"}), ..sample() },
                "scoring_data[value] must be true or false",
            ),
            (Sample { scoring_data: json!({}), ..sample() }, "scoring_data[value] is missing"),
        ]);
    }
}
