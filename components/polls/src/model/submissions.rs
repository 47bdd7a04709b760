//! Votes, as they are answered.

use serde::{Deserialize, Serialize};
use shared::ids::{PollChoiceId, PollSessionId, PollSubmissionId, UserId};
use shared::{JsonSchema, Timestamp};

/// The choice of somebody.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct PollSubmission {
    pub(crate) id: PollSubmissionId,
    pub(crate) poll_session_id: PollSessionId,
    pub(crate) poll_choice_id: PollChoiceId,
    pub(crate) user_id: UserId,
    pub(crate) created_at: Timestamp,
    /// True if the caller may read it, where it is read alone.
    #[serde(skip_serializing, default)]
    pub(crate) is_seen: bool,
}
