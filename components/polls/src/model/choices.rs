//! Choices of polls, as they are answered.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::ids::{PollChoiceId, PollId};

/// One of the answers that a poll offers.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct PollChoice {
    pub(crate) id: PollChoiceId,
    pub(crate) poll_id: PollId,
    pub(crate) text: String,
    pub(crate) position: i64,
    /// Only for those who may change the poll or run one of its sessions, and for those who took part in a session that
    /// is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) is_correct: Option<bool>,
}
