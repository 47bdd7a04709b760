//! The questions of classic quizzes: one model for what is stored, answered to clients and exchanged in packages.

#![expect(missing_docs, reason = "fields of records; those that are not obvious are described")]

#[cfg(target_arch = "wasm32")]
use macros::JsonSchema;
#[cfg(not(target_arch = "wasm32"))]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The weight of an answer that is right.
pub const RIGHT: f64 = 100.0;

/// What questions or answers are worth together. Floating-point numbers add up to 0.30000000000000004 where a person expects 0.3:
/// six digits behind the point are kept, as the view `worth_of_quizzes` does.
pub fn sum_of_points(points: impl IntoIterator<Item = f64>) -> f64 {
    const UNIT: f64 = 1e6;
    // Of larger sums a digit more would not be exact.
    const LARGEST: f64 = 1e9;
    let sum = points.into_iter().fold(0.0, |sum, points| sum + points);
    if sum.abs() < LARGEST { (sum * UNIT).round() / UNIT } else { sum }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Unique in the question.
    #[serde(default)]
    pub id: Option<i64>,
    #[serde(default)]
    pub text: String,
    /// Rich content that is shown instead of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    #[serde(default)]
    pub comments: String,
    /// Rich content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comments_html: Option<String>,
    /// 100 is right, and any other number is wrong.
    #[serde(default)]
    pub weight: f64,
    /// The blank in the text that it fills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blank_id: Option<String>,
    /// The left side of a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// Its counterpart.
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
    /// The values of the variables to which a formula gives this answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<Value>,
    /// The result of the formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<f64>,
}

impl Answer {
    /// True if who chooses it is right. There are no shares: a weight between is wrong, as in the reference system.
    pub fn is_right(&self) -> bool {
        (self.weight - RIGHT).abs() < f64::EPSILON
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NumericalAnswerType {
    #[serde(rename = "exact_answer")]
    Exact,
    #[serde(rename = "range_answer")]
    Range,
    #[serde(rename = "precision_answer")]
    Precision,
}

/// The data that only some types of questions have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QuestionData {
    pub correct_comments_html: Option<String>,
    pub incorrect_comments_html: Option<String>,
    pub neutral_comments_html: Option<String>,
    /// The text behind a missing word: rich content.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_add_up_as_people_add_them() {
        assert_eq!(sum_of_points([0.1, 0.1, 0.1]), 0.3);
        assert_eq!(sum_of_points([0.7, 0.1]), 0.8);
        assert_eq!(sum_of_points([0.125; 8]), 1.0);
        assert_eq!(sum_of_points([1.1, -1.1]), 0.0);
        assert_eq!(sum_of_points([]), 0.0);
        assert_eq!(sum_of_points([2e9, 0.25]), 2_000_000_000.25);
    }

    #[test]
    fn an_answer_is_right_with_its_whole_weight() {
        let right = |weight: f64| Answer { weight, ..Answer::default() }.is_right();
        assert!(right(100.0));
        for weight in [99.0, 50.0, 0.5, 0.0, -100.0, 150.0] {
            assert!(!right(weight), "{weight}");
        }
    }
}
