//! Group memberships: rows and views.

use serde::{Deserialize, Serialize};
use shared::ids::{GroupMembershipId, UserGroupId, UserId};
use shared::{JsonSchema, Timestamp};

/// That a user is in a group, or asks to be in it.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Membership {
    pub(crate) id: GroupMembershipId,
    pub(crate) group_id: UserGroupId,
    pub(crate) user_id: UserId,
    pub(crate) workflow_state: MembershipState,
    pub(crate) moderator: bool,
    pub(crate) created_at: Timestamp,
}

/// How far a membership has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MembershipState {
    Accepted,
    Requested,
}

impl MembershipState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Requested => "requested",
        }
    }
}
