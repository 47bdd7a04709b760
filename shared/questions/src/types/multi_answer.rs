//! Multiple answer: some of the choices are right.

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::types::choices::{Choices, ShuffleRules};
use crate::types::parts::{Id, are_unique};
use crate::types::{Draft, QuestionType, ensure};

pub(crate) struct MultiAnswer;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MultiAnswerProperties")]
pub(crate) struct Properties {
    #[serde(default, alias = "shuffleRules", skip_serializing_if = "Option::is_none")]
    pub(crate) shuffle_rules: Option<ShuffleRules>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MultiAnswerScoring")]
pub(crate) struct Scoring {
    pub(crate) value: Vec<Id>,
}

impl QuestionType for MultiAnswer {
    const SLUG: &'static str = "multi-answer";
    const ALGORITHMS: &'static [&'static str] = &["AllOrNothing", "PartialScore"];
    type Interaction = Choices;
    type Properties = Properties;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        draft.interaction_data.check()?;
        draft.interaction_data.check_rules(draft.properties.shuffle_rules.as_ref())?;
        let (right, field) = (&draft.scoring_data.value, "scoring_data[value]");
        ensure(!right.is_empty(), field, "must have at least one right choice")?;
        ensure(are_unique(right), field, "must name each choice once")?;
        draft.interaction_data.require_choices(right, field)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::sample::{A, B, C, Sample, accepts, refuses};

    fn sample() -> Sample {
        Sample {
            interaction_data: json!({"choices": [{"id": A, "position": "1", "item_body": "<b>Oak</b>"},
                                                 {"id": B, "item_body": "Elm"}]}),
            properties: json!({"shuffle_rules": {"choices": {"to_lock": ["0"], "shuffled": "true"}}}),
            scoring_data: json!({"value": [A, B]}),
            ..Sample::new("multi-answer", "PartialScore")
        }
    }

    #[test]
    fn text_of_a_form_is_cast_and_positions_are_filled_in() {
        let stored = accepts(sample());
        assert_eq!(stored.interaction_data.0["choices"][0]["position"], 1);
        assert_eq!(stored.interaction_data.0["choices"][1]["position"], 2);
        let rules = json!({"shuffle_rules": {"choices": {"to_lock": [0], "shuffled": true}}});
        assert_eq!(stored.properties.0, rules);
        accepts(sample().scored("AllOrNothing"));
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let scored = |value| Sample { scoring_data: json!({ "value": value }), ..sample() };
        refuses([
            (sample().scored("Equivalence"), "scoring_algorithm must be one of AllOrNothing, PartialScore"),
            (scored(json!([])), "scoring_data[value] must have at least one right choice"),
            (scored(json!([A, A])), "scoring_data[value] must name each choice once"),
            (scored(json!([C])), "scoring_data[value] must be the id of a choice"),
            (scored(json!(["x"])), "scoring_data[value][] must be a UUID"),
            (scored(json!(A)), "scoring_data[value] must be a list"),
            (Sample { answer_feedback: json!({A: "x"}), ..sample() }, "answer_feedback is only for choice"),
        ]);
    }
}
