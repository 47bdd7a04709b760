//! Memberships of groups: as they are answered, and how lists of them are filtered.

use serde::{Deserialize, Serialize};
use shared::ids::{GroupMembershipId, UserGroupId, UserId};
use shared::{JsonSchema, Timestamp};

use crate::model::filters::AnyOf;

/// The memberships of a list that are asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct MembershipFilter {
    /// All states unless given.
    pub(crate) filter_states: AnyOf<MembershipState>,
}

/// The members of a list that are asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct MemberSearch {
    /// Part of a name.
    pub(crate) search_term: Option<String>,
    /// True if those are left out whose enrollments in the group's course are all inactive.
    pub(crate) exclude_inactive: bool,
}

/// A user's place in a group, or the wish to be in it.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Membership {
    pub(crate) id: GroupMembershipId,
    pub(crate) group_id: UserGroupId,
    pub(crate) user_id: UserId,
    pub(crate) workflow_state: MembershipState,
    pub(crate) moderator: bool,
    pub(crate) created_at: Timestamp,
}

/// The state of a membership.
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
