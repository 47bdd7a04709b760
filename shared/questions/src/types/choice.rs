//! Multiple choice: one of the choices is right, or each has its own points.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::types::choices::{Choices, ShuffleRules};
use crate::types::parts::{Id, are_the_same, are_unique};
use crate::types::{Draft, QuestionType, ensure};

pub(crate) struct Choice;

pub(crate) const VARYING: &str = "VaryPointsByAnswer";

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ChoiceProperties")]
pub(crate) struct Properties {
    #[serde(default, alias = "shuffleRules", skip_serializing_if = "Option::is_none")]
    pub(crate) shuffle_rules: Option<ShuffleRules>,
    #[serde(default, alias = "varyPointsByAnswer", skip_serializing_if = "Option::is_none")]
    pub(crate) vary_points_by_answer: Option<bool>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ChoiceScoring")]
pub(crate) struct Scoring {
    pub(crate) value: Id,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) values: Option<Vec<Points>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Points {
    pub(crate) value: Id,
    pub(crate) points: f64,
}

impl QuestionType for Choice {
    const SLUG: &'static str = "choice";
    const ALGORITHMS: &'static [&'static str] = &["Equivalence", VARYING];
    const HAS_ANSWER_FEEDBACK: bool = true;
    type Interaction = Choices;
    type Properties = Properties;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        draft.interaction_data.check()?;
        let choices = &draft.interaction_data;
        choices.check_rules(draft.properties.shuffle_rules.as_ref())?;
        choices.require_choices([&draft.scoring_data.value], "scoring_data[value]")?;
        let ids: BTreeSet<_> = choices.ids().map(Id::as_str).collect();
        let known = draft.answer_feedback.keys().all(|key| ids.contains(key.as_str()));
        ensure(known, "answer_feedback", "must have the ids of choices as its keys")?;
        check_points(draft)
    }
}

/// The algorithm and the property say the same thing twice: they must not contradict each other.
fn check_points(draft: &mut Draft<Choice>) -> Result<()> {
    let varies = draft.scoring_algorithm == VARYING;
    let property = &mut draft.properties.vary_points_by_answer;
    let contradicts = property.is_some_and(|property| property != varies);
    let message = "must be true with VaryPointsByAnswer, and only then";
    ensure(!contradicts, "properties[vary_points_by_answer]", message)?;
    if varies {
        *property = Some(true);
    }
    let field = "scoring_data[values]";
    let rows = draft.scoring_data.values.as_deref().unwrap_or_default();
    let named = rows.iter().map(|row| &row.value);
    draft.interaction_data.require_choices(named.clone(), "scoring_data[values][][value]")?;
    let none_is_negative = rows.iter().all(|row| row.points >= 0.0);
    ensure(none_is_negative, "scoring_data[values][][points]", "must be greater than or equal to 0")?;
    ensure(are_unique(named.clone()), field, "must name each choice once")?;
    ensure(!varies || are_the_same(named, draft.interaction_data.ids()), field, "must name each choice once")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sample::{A, B, C, Sample, accepts, refuses};

    fn sample() -> Sample {
        Sample {
            interaction_data: json!({"choices": [{"id": A, "position": 1, "itemBody": "<p>Oak</p>"},
                                                 {"id": B, "position": 2, "itemBody": "<p>Elm</p>"}]}),
            properties: json!({"shuffleRules": {"choices": {"toLock": [1], "shuffled": true}},
                               "varyPointsByAnswer": false}),
            scoring_data: json!({"value": A}),
            answer_feedback: json!({A: "<p>Yes</p>"}),
            ..Sample::new("choice", "Equivalence")
        }
    }

    fn varying() -> Sample {
        Sample {
            properties: json!({"vary_points_by_answer": true}),
            scoring_data: json!({"value": A, "values": [{"value": A, "points": 2}, {"value": B, "points": "0.5"}]}),
            ..sample()
        }
        .scored("VaryPointsByAnswer")
    }

    #[test]
    fn both_spellings_are_read_and_one_is_stored() {
        let stored = accepts(sample());
        let choices = json!([{"id": A, "position": 1, "item_body": "<p>Oak</p>"},
                             {"id": B, "position": 2, "item_body": "<p>Elm</p>"}]);
        assert_eq!(stored.interaction_data.0, json!({"choices": choices}));
        let properties = json!({"shuffle_rules": {"choices": {"to_lock": [1], "shuffled": true}},
                                "vary_points_by_answer": false});
        assert_eq!(stored.properties.0, properties);
        assert_eq!(accepts(Sample { properties, interaction_data: json!({"choices": choices}), ..sample() }), stored);
    }

    #[test]
    fn each_choice_may_have_its_own_points() {
        let stored = accepts(varying());
        let values = json!([{"value": A, "points": 2.0}, {"value": B, "points": 0.5}]);
        assert_eq!(stored.scoring_data.0, json!({"value": A, "values": values}));
        assert_eq!(accepts(Sample { properties: json!({}), ..varying() }), stored);
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let interaction = |choices: Value| Sample { interaction_data: json!({"choices": choices}), ..sample() };
        let scoring = |scoring_data: Value| Sample { scoring_data, ..varying() };
        let one = json!({"id": A, "position": 1, "item_body": "x"});
        let cases = [
            (sample().scored("AllOrNothing"), "scoring_algorithm must be one of Equivalence, VaryPointsByAnswer"),
            (interaction(json!([one])), "interaction_data[choices] must have at least two choices"),
            (interaction(json!([one, one])), "interaction_data[choices] must have ids that differ"),
            (interaction(json!("x")), "interaction_data[choices] must be a list"),
            (interaction(json!([{"id": "1", "item_body": "x"}])), "interaction_data[choices][][id] must be a UUID"),
            (interaction(json!([{"id": A}])), "interaction_data[choices][][item_body] is missing"),
            (
                interaction(json!([one, {"id": B, "item_body": "<p> </p>"}])),
                "interaction_data[choices][][item_body] can't be blank",
            ),
            (Sample { interaction_data: json!({}), ..sample() }, "interaction_data[choices] is missing"),
            (
                Sample { scoring_data: json!({"value": C}), ..sample() },
                "scoring_data[value] must be the id of a choice",
            ),
            (Sample { scoring_data: json!({}), ..sample() }, "scoring_data[value] is missing"),
            (
                Sample { answer_feedback: json!({C: "x"}), ..sample() },
                "answer_feedback must have the ids of choices as its keys",
            ),
            (
                Sample { properties: json!({"shuffle_rules": {"choices": {"to_lock": [2]}}}), ..sample() },
                "properties[shuffle_rules][choices][to_lock] must hold zero-based positions of choices, each once",
            ),
            (
                Sample { properties: json!({"varyPointsByAnswer": true}), ..sample() },
                "properties[vary_points_by_answer] must be true with VaryPointsByAnswer, and only then",
            ),
            (scoring(json!({"value": A})), "scoring_data[values] must name each choice once"),
            (
                scoring(json!({"value": A, "values": [{"value": A, "points": 1}]})),
                "scoring_data[values] must name each choice once",
            ),
            (
                scoring(json!({"value": A, "values": [{"value": C, "points": 1}]})),
                "scoring_data[values][][value] must be the id of a choice",
            ),
            (
                scoring(json!({"value": A, "values": [{"value": A, "points": -1}]})),
                "scoring_data[values][][points] must be greater than or equal to 0",
            ),
            (
                scoring(json!({"value": A, "values": [{"value": A, "points": "x"}]})),
                "scoring_data[values][][points] must be a number",
            ),
        ];
        refuses(cases);
    }
}
