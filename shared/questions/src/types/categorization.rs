//! Categorization: each answer belongs into one category, or into none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::types::parts::{Id, Labelled, ShuffledQuestions, are_the_same, are_unique, require_few};
use crate::types::{Draft, QuestionType, ensure, not_included};

pub(crate) struct Categorization;

const PER_CATEGORY: &str = "AllOrNothing";

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CategorizationInteraction")]
pub(crate) struct Interaction {
    pub(crate) categories: BTreeMap<Id, Labelled>,
    /// All answers, right and wrong.
    pub(crate) distractors: BTreeMap<Id, Labelled>,
    pub(crate) category_order: Vec<Id>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CategorizationScoring")]
pub(crate) struct Scoring {
    pub(crate) value: Vec<CategoryScoring>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) score_method: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CategoryScoring {
    pub(crate) id: Id,
    pub(crate) scoring_data: Answers,
    pub(crate) scoring_algorithm: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Answers {
    pub(crate) value: Vec<Id>,
}

impl QuestionType for Categorization {
    const SLUG: &'static str = "categorization";
    const ALGORITHMS: &'static [&'static str] = &["Categorization"];
    type Interaction = Interaction;
    type Properties = ShuffledQuestions;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        let Interaction { categories, distractors, category_order } = &draft.interaction_data;
        require_few(categories.len(), "interaction_data[categories]")?;
        require_few(distractors.len(), "interaction_data[distractors]")?;
        ensure(!categories.is_empty(), "interaction_data[categories]", "must have at least one category")?;
        ensure(!distractors.is_empty(), "interaction_data[distractors]", "must have at least one answer")?;
        categories.iter().try_for_each(|(key, own)| own.check(key, "interaction_data[categories]"))?;
        distractors.iter().try_for_each(|(key, own)| own.check(key, "interaction_data[distractors]"))?;
        let in_order = are_the_same(category_order, categories.keys());
        ensure(in_order, "interaction_data[category_order]", "must name each category once")?;

        let rows = &draft.scoring_data.value;
        let covered = are_the_same(rows.iter().map(|row| &row.id), categories.keys());
        ensure(covered, "scoring_data[value]", "must name each category once")?;
        if rows.iter().any(|row| row.scoring_algorithm != PER_CATEGORY) {
            return Err(not_included("scoring_data[value][][scoring_algorithm]", &[PER_CATEGORY]));
        }
        let field = "scoring_data[value][][scoring_data][value]";
        let answers = rows.iter().flat_map(|row| &row.scoring_data.value);
        ensure(answers.clone().all(|id| distractors.contains_key(id)), field, "must hold ids of distractors")?;
        ensure(are_unique(answers.clone()), field, "must put each answer into one category")?;
        // Whoever puts nothing anywhere has not answered: nobody could be right.
        ensure(answers.count() > 0, field, "must put at least one answer into a category")
    }
}

impl Interaction {
    /// The categories, in their order.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = &Labelled> {
        self.category_order.iter().filter_map(|id| self.categories.get(id))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sample::{A, B, C, D, Sample, accepts, refuses};

    fn sample() -> Sample {
        Sample {
            interaction_data: interaction(),
            properties: json!({"shuffle_rules": {"questions": {"shuffled": false}}}),
            scoring_data: json!({"value": [row(A, json!([C])), row(B, json!([D]))], "score_method": "all_or_nothing"}),
            ..Sample::new("categorization", "Categorization")
        }
    }

    fn interaction() -> Value {
        json!({"categories": {A: {"id": A, "item_body": "Trees"}, B: {"id": B, "item_body": "Birds"}},
               "distractors": {C: {"id": C, "item_body": "<p>Oak</p>"}, D: {"id": D, "item_body": "Owl"}},
               "category_order": [B, A]})
    }

    fn row(id: &str, answers: Value) -> Value {
        json!({"id": id, "scoring_data": {"value": answers}, "scoring_algorithm": "AllOrNothing"})
    }

    #[test]
    fn it_is_stored_as_it_was_sent() {
        let stored = accepts(sample());
        assert_eq!(stored.interaction_data.0, sample().interaction_data);
        assert_eq!(stored.properties.0, sample().properties);
        assert_eq!(stored.scoring_data.0, sample().scoring_data);
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let with = |member: &str, value: Value| {
            let mut sample = sample();
            sample.interaction_data[member] = value;
            sample
        };
        let scored = |value: Value| Sample { scoring_data: json!({ "value": value }), ..sample() };
        let mut other = row(A, json!([C]));
        other["scoring_algorithm"] = json!("PartialScore");
        refuses([
            (with("categories", json!({})), "interaction_data[categories] must have at least one category"),
            (
                with("categories", json!({"x": {"id": A, "item_body": "x"}})),
                "interaction_data[categories] must be a UUID",
            ),
            (
                with("categories", json!({A: {"id": B, "item_body": "x"}})),
                "interaction_data[categories] must have ids that are equal to their keys",
            ),
            (with("distractors", json!({})), "interaction_data[distractors] must have at least one answer"),
            (
                with("distractors", json!({C: {"id": C, "item_body": ""}})),
                "interaction_data[distractors][item_body] can't be blank",
            ),
            (with("category_order", json!([A])), "interaction_data[category_order] must name each category once"),
            (with("category_order", json!([A, A])), "interaction_data[category_order] must name each category once"),
            (scored(json!([row(A, json!([C]))])), "scoring_data[value] must name each category once"),
            (
                scored(json!([other, row(B, json!([D]))])),
                "scoring_data[value][][scoring_algorithm] must be AllOrNothing",
            ),
            (
                scored(json!([row(A, json!([A])), row(B, json!([D]))])),
                "scoring_data[value][][scoring_data][value] must hold ids of distractors",
            ),
            (
                scored(json!([row(A, json!([C])), row(B, json!([C]))])),
                "scoring_data[value][][scoring_data][value] must put each answer into one category",
            ),
            (
                scored(json!([row(A, json!([])), row(B, json!([]))])),
                "scoring_data[value][][scoring_data][value] must put at least one answer into a category",
            ),
        ]);
    }
}
