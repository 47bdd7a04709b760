//! The items of new quizzes, as they are stored.

#![expect(missing_docs, reason = "fields of records; those that are not obvious are described")]

mod blanks;
mod from_stored;
mod to_stored;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Feedback, Stimulus};

/// A question as it is stored: one column for each field, the objects as JSON.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionItem {
    pub title: Option<String>,
    /// HTML.
    pub item_body: String,
    pub calculator_type: String,
    pub feedback: Feedback,
    pub interaction_type_slug: String,
    pub interaction_data: Value,
    pub properties: Value,
    pub scoring_data: Value,
    /// HTML by the ids of choices.
    pub answer_feedback: BTreeMap<String, String>,
    pub scoring_algorithm: String,
}

/// A stimulus as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StimulusItem {
    pub title: Option<String>,
    pub body: Option<String>,
    pub instructions: Option<String>,
    pub source_url: Option<String>,
    pub orientation: String,
    pub passage: bool,
}

impl StimulusItem {
    /// The stimulus; `id` is unique in the package.
    pub fn to_stimulus(&self, id: impl Into<String>) -> Stimulus {
        Stimulus {
            id: id.into(),
            title: self.title.clone().unwrap_or_default(),
            body: self.body.clone().unwrap_or_default(),
            instructions: self.instructions.clone().unwrap_or_default(),
            source_url: self.source_url.clone().unwrap_or_default(),
            orientation: self.orientation.clone(),
            passage: self.passage,
        }
    }

    /// The stimulus as it is stored.
    pub fn of(stimulus: &Stimulus) -> Self {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        Self {
            title: given(&stimulus.title),
            body: given(&stimulus.body),
            instructions: given(&stimulus.instructions),
            source_url: given(&stimulus.source_url),
            orientation: if stimulus.orientation == "top" { "top" } else { "left" }.to_owned(),
            passage: stimulus.passage,
        }
    }
}
