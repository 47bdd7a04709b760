//! Groups, as they are answered.

use serde::{Deserialize, Serialize};
use shared::ids::{AccountId, CourseId, UserGroupId};
use shared::{JsonSchema, Timestamp};

/// Users who do something together.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Group {
    pub(crate) id: UserGroupId,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) is_public: bool,
    pub(crate) followed_by_user: bool,
    pub(crate) join_level: JoinLevel,
    /// Those who ask to be in it are not counted.
    pub(crate) members_count: i64,
    pub(crate) max_membership: Option<i64>,
    pub(crate) avatar_url: Option<String>,
    /// `Course` or `Account`.
    pub(crate) context_type: String,
    pub(crate) context_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) course_id: Option<CourseId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) account_id: Option<AccountId>,
    pub(crate) role: Option<String>,
    /// Groups stand in no categories, so it is null.
    pub(crate) group_category_id: Option<i64>,
    /// Told to those who manage the group.
    pub(crate) sis_group_id: Option<String>,
    pub(crate) concluded: bool,
    pub(crate) created_at: Timestamp,
}

/// The way into a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JoinLevel {
    /// All who take part in the course, by themselves.
    ParentContextAutoJoin,
    /// Those who ask and are let in.
    ParentContextRequest,
    /// Those who are put into it.
    InvitationOnly,
}

impl JoinLevel {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ParentContextAutoJoin => "parent_context_auto_join",
            Self::ParentContextRequest => "parent_context_request",
            Self::InvitationOnly => "invitation_only",
        }
    }
}
