//! Ordering: the right order is that of the scoring data; the choices are a map and have none.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use shared::{JsonSchema, Result};

use crate::form;
use crate::types::parts::{Id, Labelled, are_the_same, is_blank, require_few};
use crate::types::{Draft, QuestionType, ensure};

pub(crate) struct Ordering;

const FEWEST: usize = 2;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OrderingInteraction")]
pub(crate) struct Interaction {
    pub(crate) choices: BTreeMap<Id, Labelled>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OrderingProperties")]
pub(crate) struct Properties {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) top_label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bottom_label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) include_labels: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) display_answers_paragraph: Option<bool>,
    /// Null, whatever is sent.
    #[serde(default, deserialize_with = "null", skip_serializing_if = "Option::is_none")]
    pub(crate) shuffle_rules: Option<()>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OrderingScoring")]
pub(crate) struct Scoring {
    pub(crate) value: Vec<Id>,
}

fn null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<()>, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| Some(()))
}

impl QuestionType for Ordering {
    const SLUG: &'static str = "ordering";
    const ALGORITHMS: &'static [&'static str] = &["DeepEquals"];
    type Interaction = Interaction;
    type Properties = Properties;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        let (choices, field) = (&draft.interaction_data.choices, "interaction_data[choices]");
        require_few(choices.len(), field)?;
        ensure(choices.len() >= FEWEST, field, "must have at least two choices")?;
        choices.iter().try_for_each(|(key, own)| own.check(key, field))?;
        if draft.properties.include_labels == Some(true) {
            let Properties { top_label, bottom_label, .. } = &draft.properties;
            let is_shown = |label: &Option<String>| label.as_deref().is_some_and(|label| !is_blank(label));
            ensure(is_shown(top_label), "properties[top_label]", "can't be blank where labels are shown")?;
            ensure(is_shown(bottom_label), "properties[bottom_label]", "can't be blank where labels are shown")?;
        }
        form::line("properties[top_label]", draft.properties.top_label.as_deref().unwrap_or_default())?;
        form::line("properties[bottom_label]", draft.properties.bottom_label.as_deref().unwrap_or_default())?;
        let complete = are_the_same(&draft.scoring_data.value, choices.keys());
        ensure(complete, "scoring_data[value]", "must name each choice once")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sample::{A, B, C, Sample, accepts, refuses};

    fn sample() -> Sample {
        Sample {
            interaction_data: json!({"choices": {A: {"id": A, "item_body": "<p>seed</p>"}, B: {"id": B, "item_body": "<p>tree</p>"}}}),
            properties: json!({"top_label": "first", "bottom_label": "last", "include_labels": true,
                               "display_answers_paragraph": false, "shuffle_rules": null}),
            scoring_data: json!({"value": [B, A]}),
            ..Sample::new("ordering", "DeepEquals")
        }
    }

    #[test]
    fn it_is_stored_as_it_was_sent() {
        let stored = accepts(sample());
        assert_eq!(stored.interaction_data.0, sample().interaction_data);
        assert_eq!(stored.properties.0, sample().properties);
        assert_eq!(stored.scoring_data.0, sample().scoring_data);
        assert_eq!(accepts(Sample { properties: json!({}), ..sample() }).properties.0, json!({}));
        let shuffled = json!({"shuffle_rules": {"x": 1}});
        assert_eq!(accepts(Sample { properties: shuffled, ..sample() }).properties.0, json!({"shuffle_rules": null}));
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let with = |choices: Value| Sample { interaction_data: json!({ "choices": choices }), ..sample() };
        let labelled = |properties: Value| Sample { properties, ..sample() };
        let scored = |value: Value| Sample { scoring_data: json!({ "value": value }), ..sample() };
        refuses([
            (with(json!({A: {"id": A, "item_body": "x"}})), "interaction_data[choices] must have at least two choices"),
            (
                with(json!({A: {"id": A, "item_body": "x"}, B: {"id": A, "item_body": "x"}})),
                "interaction_data[choices] must have ids that are equal to their keys",
            ),
            (
                with(json!({A: {"id": A, "item_body": "x"}, B: {"id": B, "item_body": ""}})),
                "interaction_data[choices][item_body] can't be blank",
            ),
            (with(json!([])), "interaction_data[choices] must be an object"),
            (
                labelled(json!({"include_labels": true, "bottom_label": "last"})),
                "properties[top_label] can't be blank where labels are shown",
            ),
            (
                labelled(json!({"include_labels": true, "top_label": "first", "bottom_label": " "})),
                "properties[bottom_label] can't be blank where labels are shown",
            ),
            (
                labelled(json!({"top_label": "x".repeat(256)})),
                "properties[top_label] is too long (maximum is 255 characters)",
            ),
            (scored(json!([A])), "scoring_data[value] must name each choice once"),
            (scored(json!([A, A, B])), "scoring_data[value] must name each choice once"),
            (scored(json!([A, C])), "scoring_data[value] must name each choice once"),
        ]);
    }
}
