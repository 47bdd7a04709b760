//! The questions of classic quizzes, as they are stored.

#![expect(missing_docs, reason = "fields of records; those that are not obvious are described")]

mod from_stored;
mod to_stored;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question as it is stored: one column for each field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassicQuestion {
    pub question_name: String,
    pub question_type: QuestionType,
    /// HTML.
    pub question_text: String,
    pub points_possible: Option<f64>,
    pub correct_comments: String,
    pub incorrect_comments: String,
    pub neutral_comments: String,
    pub answers: Vec<Answer>,
    pub question_data: QuestionData,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum QuestionType {
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

/// An answer that students choose, or one that is accepted from them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    #[serde(default)]
    pub id: Option<i64>,
    #[serde(default)]
    pub text: String,
    /// Rich content that is shown instead of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    #[serde(default)]
    pub comments: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comments_html: Option<String>,
    /// 100 is right, 0 is wrong.
    #[serde(default)]
    pub weight: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blank_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_id: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numerical_answer_type: Option<NumericalAnswerType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approximate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<i64>,
    /// Objects with `name` and `value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<Value>,
    /// What the formula gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NumericalAnswerType {
    #[serde(rename = "exact_answer")]
    Exact,
    #[serde(rename = "range_answer")]
    Range,
    #[serde(rename = "precision_answer")]
    Precision,
}

/// What only some types of questions have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionData {
    pub correct_comments_html: Option<String>,
    pub incorrect_comments_html: Option<String>,
    pub neutral_comments_html: Option<String>,
    /// What follows a missing word.
    pub text_after_answers: Option<String>,
    /// The distractors of matches, one to a line.
    pub matching_answer_incorrect_matches: Option<String>,
    /// Objects with `name`, `min`, `max` and `scale`.
    pub variables: Option<Value>,
    /// Objects with `formula`.
    pub formulas: Option<Value>,
    /// A number, or a text that may end in `%`.
    pub answer_tolerance: Option<Value>,
    pub formula_decimal_places: Option<i64>,
}
