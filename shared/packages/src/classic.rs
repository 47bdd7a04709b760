//! The questions of classic quizzes, as they are stored.

#![expect(missing_docs, reason = "fields of records; those that are not obvious are described")]

mod from_stored;
mod to_stored;

pub use classic_questions::{Answer, NumericalAnswerType, QuestionData, QuestionType};
use serde::{Deserialize, Serialize};

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
