//! The order of a list of submissions.

use serde::Deserialize;
use shared::JsonSchema;

/// The field by which a course's submissions are put in order. Those without a grade come first by `graded_at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SubmissionSort {
    Id,
    GradedAt,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SubmissionDirection {
    #[default]
    Ascending,
    Descending,
}
