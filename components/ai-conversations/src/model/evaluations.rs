//! Evaluations of conversations, as they are answered.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::JsonSchema;

use crate::model::coerce;

/// The evaluation of a student.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Evaluation {
    pub(crate) summary: String,
    pub(crate) overall_assessment: String,
    /// 0 to 100.
    #[serde(deserialize_with = "coerce::score")]
    pub(crate) overall_score: f64,
    pub(crate) learning_objectives_evaluation: Vec<ObjectiveEvaluation>,
    #[serde(default, deserialize_with = "coerce::list")]
    pub(crate) strengths: Vec<String>,
    #[serde(default, deserialize_with = "coerce::list")]
    pub(crate) areas_for_improvement: Vec<String>,
    #[serde(default, deserialize_with = "coerce::list")]
    pub(crate) key_moments: Vec<KeyMoment>,
    #[serde(default, deserialize_with = "coerce::list")]
    pub(crate) custom_metrics: Vec<CustomMetric>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct ObjectiveEvaluation {
    pub(crate) objective: String,
    pub(crate) met: bool,
    /// 0 to 100.
    #[serde(deserialize_with = "coerce::score")]
    pub(crate) score: f64,
    pub(crate) explanation: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct KeyMoment {
    pub(crate) learning_objective: String,
    pub(crate) evidence: String,
    /// Which message of the conversation, from 1 on.
    pub(crate) message_number: Value,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CustomMetric {
    pub(crate) metric: String,
    pub(crate) response: String,
}

impl Evaluation {
    pub(crate) fn is_possible(&self) -> bool {
        let scores = self.learning_objectives_evaluation.iter().map(|one| one.score);
        scores.chain([self.overall_score]).all(|score| (0.0..=100.0).contains(&score))
    }
}
