//! Evaluations of conversations, as they are answered.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use shared::JsonSchema;

use crate::model::coerce;
use crate::model::experiences::Experience;
use crate::model::text::for_display;

/// The evaluation of a student.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Evaluation {
    pub(crate) summary: String,
    pub(crate) overall_assessment: String,
    /// 0 to 100.
    #[serde(deserialize_with = "coerce::score")]
    pub(crate) overall_score: f64,
    #[serde(deserialize_with = "coerce::list")]
    pub(crate) learning_objectives_evaluation: Vec<ObjectiveEvaluation>,
    #[serde(default, deserialize_with = "coerce::list")]
    pub(crate) strengths: Vec<String>,
    #[serde(default, deserialize_with = "coerce::list")]
    pub(crate) areas_for_improvement: Vec<String>,
    #[serde(default, deserialize_with = "coerce::readable")]
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
    #[serde(deserialize_with = "coerce::message_number")]
    pub(crate) message_number: usize,
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

    /// What it says of the experience, and of a conversation of so many messages: objectives that the experience does not
    /// have, metrics that it does not have enabled, and messages that are not there are left out.
    pub(crate) fn of(mut self, experience: &Experience, messages: usize) -> Self {
        let objectives = || experience.learning_objectives.0.iter();
        let metrics = || experience.evaluation_metrics.0.iter().filter(|metric| metric.enabled);
        let mut seen = HashSet::new();
        self.learning_objectives_evaluation
            .retain_mut(|one| names(&mut one.objective, objectives()) && seen.insert(one.objective.clone()));
        self.key_moments
            .retain_mut(|one| one.message_number <= messages && names(&mut one.learning_objective, objectives()));
        let mut seen = HashSet::new();
        self.custom_metrics.retain_mut(|one| {
            names(&mut one.metric, metrics().map(|metric| &metric.name)) && seen.insert(one.metric.clone())
        });
        self
    }

    /// As it goes out: what the model wrote opens no tag on a page. Objectives and metrics are the teacher's words.
    pub(crate) fn shown(mut self) -> Self {
        let texts = [&mut self.summary, &mut self.overall_assessment].into_iter();
        let texts = texts.chain(&mut self.strengths).chain(&mut self.areas_for_improvement);
        let texts = texts.chain(self.learning_objectives_evaluation.iter_mut().map(|one| &mut one.explanation));
        let texts = texts.chain(self.key_moments.iter_mut().map(|one| &mut one.evidence));
        let texts = texts.chain(self.custom_metrics.iter_mut().map(|one| &mut one.response));
        texts.for_each(|text| *text = for_display(text));
        self
    }
}

/// True if the text is one of the names, or one of them but for case and the space around it, and writes it as that one is
/// written.
fn names<'a>(text: &mut String, names: impl Iterator<Item = &'a String> + Clone) -> bool {
    let (trimmed, lowercase) = (text.trim(), text.trim().to_lowercase());
    let exact = names.clone().find(|name| name.trim() == trimmed);
    let name = exact.or_else(|| names.clone().find(|name| name.trim().to_lowercase() == lowercase));
    name.map(|name| text.clone_from(name)).is_some()
}
