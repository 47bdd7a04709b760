//! Questions: rows and views.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use shared::{JsonSchema, Result, rich_text};

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum QuestionType {
    #[serde(rename = "calculated_question")]
    Calculated,
    #[serde(rename = "essay_question")]
    Essay,
    #[serde(rename = "file_upload_question")]
    FileUpload,
    #[serde(rename = "fill_in_multiple_blanks_question")]
    FillInMultipleBlanks,
    #[serde(rename = "matching_question")]
    Matching,
    #[serde(rename = "missing_word_question")]
    MissingWord,
    #[serde(rename = "multiple_answers_question")]
    MultipleAnswers,
    #[serde(rename = "multiple_choice_question")]
    MultipleChoice,
    #[serde(rename = "multiple_dropdowns_question")]
    MultipleDropdowns,
    #[serde(rename = "numerical_question")]
    Numerical,
    #[serde(rename = "short_answer_question")]
    ShortAnswer,
    #[default]
    #[serde(rename = "text_only_question")]
    TextOnly,
    #[serde(rename = "true_false_question")]
    TrueFalse,
}

/// What only some types of questions have.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct QuestionData {
    pub(crate) correct_comments_html: Option<String>,
    pub(crate) incorrect_comments_html: Option<String>,
    pub(crate) neutral_comments_html: Option<String>,
    /// What follows a missing word: rich content.
    #[serde(deserialize_with = "stored_rich")]
    pub(crate) text_after_answers: Option<String>,
    /// The distractors of matches, one to a line.
    pub(crate) matching_answer_incorrect_matches: Option<String>,
    pub(crate) variables: Option<Value>,
    pub(crate) formulas: Option<Value>,
    pub(crate) answer_tolerance: Option<Value>,
    pub(crate) formula_decimal_places: Option<i64>,
}

/// Rich content of a row that may be older than the rule that it is sanitized when it is written. What cannot be
/// sanitized is not shown.
pub(crate) fn stored_rich<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let html = Option::<String>::deserialize(deserializer)?;
    Ok(html.map(|html| rich_text::sanitize(&html).unwrap_or_default()))
}
