//! Question banks, as they are answered.

use serde::{Deserialize, Serialize};
use shared::ids::{AccountId, CourseId, QuestionBankId, UserId};
use shared::{JsonSchema, Timestamp};

/// A bank of questions.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct QuestionBank {
    pub(crate) id: QuestionBankId,
    pub(crate) title: String,
    pub(crate) course_id: Option<CourseId>,
    pub(crate) account_id: Option<AccountId>,
    pub(crate) user_id: Option<UserId>,
    pub(crate) assessment_question_count: i64,
    pub(crate) workflow_state: String,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}
