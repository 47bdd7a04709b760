//! Users: as they are kept, made and ordered.

use serde::Deserialize;
use shared::channels::Kind;
use shared::ids::UserId;
use shared::{JsonSchema, Timestamp};

use crate::model::enrollments::Role;
use crate::model::filters::{AnyOf, Direction};

/// A user, with what the logins tell.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) id: UserId,
    pub(crate) name: String,
    pub(crate) created_at: Timestamp,
    pub(crate) sortable_name: String,
    pub(crate) short_name: String,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    pub(crate) sis_user_id: Option<String>,
    pub(crate) integration_id: Option<String>,
    pub(crate) login_id: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) locale: Option<String>,
    pub(crate) time_zone: Option<String>,
}

/// The users of an account that are listed, and their order.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct UserFilter {
    /// Part of a name, a login, an e-mail address or an SIS id; or an id.
    pub(crate) search_term: Option<String>,
    /// Somebody who takes part in a course as one of these.
    pub(crate) enrollment_type: AnyOf<Role>,
    /// By id unless given.
    pub(crate) sort: UserSort,
    /// Ascending unless given.
    pub(crate) order: Direction,
}

impl UserFilter {
    /// True if it is all of them, in the order of their ids.
    pub(crate) fn is_plain(&self) -> bool {
        self.search_term.is_none()
            && self.enrollment_type.is_empty()
            && (self.sort, self.order) == (UserSort::Id, Direction::Asc)
    }
}

/// The order of an account's users.
#[derive(Debug, Deserialize, Clone, Copy, Default, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UserSort {
    /// The name, the family name first.
    Username,
    #[default]
    Id,
}

/// A user who is made.
pub(crate) struct NewUser {
    pub(crate) name: String,
    pub(crate) sortable_name: String,
    pub(crate) short_name: String,
    pub(crate) email: Option<String>,
    pub(crate) locale: Option<String>,
    pub(crate) time_zone: Option<String>,
    pub(crate) channel: Option<FirstChannel>,
}

/// The first channel of a new user.
pub(crate) struct FirstChannel {
    pub(crate) kind: Kind,
    pub(crate) address: String,
    /// The address to which the link of its confirmation leads; none where it needs no confirmation.
    pub(crate) asked_from: Option<String>,
}
