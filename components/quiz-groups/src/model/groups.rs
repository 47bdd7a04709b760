//! Quiz groups, as they are answered.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::db::BuiltJson;
use shared::ids::{GroupId, QuestionBankId, QuizId};

/// Questions of a classic quiz from which some are picked for each student.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct QuizGroup {
    pub(crate) id: GroupId,
    pub(crate) quiz_id: QuizId,
    pub(crate) name: Option<String>,
    /// The number of questions that are picked for a student.
    pub(crate) pick_count: i64,
    /// Points for each question of the group.
    pub(crate) question_points: Option<f64>,
    /// The bank that the questions come from.
    pub(crate) assessment_question_bank_id: Option<QuestionBankId>,
    pub(crate) position: i64,
}

// In the words in which the database has built them: they are answered as their rows are.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct QuizGroups {
    pub(crate) quiz_groups: BuiltJson<Vec<QuizGroup>>,
}
