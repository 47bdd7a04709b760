//! Attempts: rows and views.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::UserId;
use shared::{JsonSchema, Timestamp};

/// The answer of a student.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Attempt {
    pub(crate) id: i64,
    /// 1 is the student's first.
    pub(crate) attempt: i64,
    pub(crate) user_id: UserId,
    pub(crate) created_at: Timestamp,
    /// Null to students where the quiz does not show them.
    pub(crate) responses: Option<Json>,
}
