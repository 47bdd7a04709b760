//! Polls, as they are answered.

use serde::{Deserialize, Serialize};
use shared::db::BuiltJson;
use shared::ids::{AccountId, PollId, UserId};
use shared::{Error, JsonSchema, Result, Timestamp};
use std::collections::BTreeMap;

/// The number of submissions of each choice, by the choice's id.
pub(crate) type Counts = BTreeMap<String, i64>;

/// A question with choices.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Poll {
    pub(crate) id: PollId,
    pub(crate) question: String,
    pub(crate) description: Option<String>,
    pub(crate) created_at: Timestamp,
    /// Whoever asks. Only for those who may change the poll.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user_id: Option<UserId>,
    /// The number of times that each choice was taken in all sessions together. Only for those who may change the poll.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total_results: Option<BuiltJson<Counts>>,
    #[serde(skip_serializing)]
    pub(crate) root_account_id: AccountId,
    #[serde(skip_serializing)]
    pub(crate) may_update: bool,
    #[serde(skip_serializing)]
    pub(crate) may_list_sessions: bool,
    #[serde(skip_serializing)]
    pub(crate) may_read: bool,
}

impl Poll {
    pub(crate) fn require_readable(&self) -> Result<()> {
        if self.may_read { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// 403 unless the caller may change the poll, or runs one of its sessions.
    pub(crate) fn require_sessions_readable(&self) -> Result<()> {
        if self.may_list_sessions { Ok(()) } else { Err(Error::forbidden()) }
    }

    pub(crate) fn require_changeable(&self) -> Result<()> {
        if self.may_update { Ok(()) } else { Err(Error::forbidden()) }
    }
}
