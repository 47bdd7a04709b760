//! Fill in the blank as it was: a sentence in pieces of text and blanks. Imports bring such questions, and nobody makes others.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::{JsonSchema, Result};

use crate::types::{Draft, QuestionType};

pub(crate) struct FillBlank;

/// The members that are known of it; which of them there are depends on where it comes from.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FillBlankInteraction")]
pub(crate) struct Interaction {
    /// Rich text above the sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) blanks: Option<Vec<Map<String, Value>>>,
    /// The pieces of the sentence, in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stem_items: Option<Vec<StemItem>>,
}

/// A piece of the sentence.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct StemItem {
    pub(crate) id: String,
    /// From 1.
    pub(crate) position: i64,
    /// `text` or `blank`.
    pub(crate) r#type: String,
    /// The text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    /// The id of the blank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) blank_id: Option<String>,
}

/// The scoring of each blank.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FillBlankScoring")]
pub(crate) struct Scoring {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Vec<Map<String, Value>>>,
}

impl QuestionType for FillBlank {
    const SLUG: &'static str = "fill-blank";
    const IS_DEPRECATED: bool = true;
    const ALGORITHMS: &'static [&'static str] = &["MultipleMethods"];
    type Interaction = Interaction;
    type Properties = Map<String, Value>;
    type Scoring = Scoring;

    /// None is ever checked: such a question cannot be written.
    fn check(_: &mut Draft<Self>) -> Result<()> {
        Ok(())
    }
}
