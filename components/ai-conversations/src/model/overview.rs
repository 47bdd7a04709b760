//! What a teacher sees of each student at a glance.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::AiConversationId;
use shared::{JsonSchema, Timestamp};

use crate::model::conversations::Progress;

/// The latest conversation of a student.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Latest {
    /// Null when there is none.
    pub(crate) id: Option<AiConversationId>,
    /// The id of the student, as text.
    pub(crate) user_id: String,
    pub(crate) student: Json<Student>,
    pub(crate) has_conversation: bool,
    pub(crate) workflow_state: Option<String>,
    /// `not_started`, `in_progress` or `completed`.
    pub(crate) status: String,
    pub(crate) progress: Option<Json<Progress>>,
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) updated_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Student {
    /// As text.
    pub(crate) id: String,
    pub(crate) name: String,
}
