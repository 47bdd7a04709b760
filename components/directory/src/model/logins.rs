//! Logins, as they are answered.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::error::Violation;
use shared::ids::{AccountId, UserId};
use shared::{Error, JsonSchema, Timestamp};

/// A name under which a user comes in.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Login {
    pub(crate) id: i64,
    pub(crate) user_id: UserId,
    pub(crate) account_id: AccountId,
    pub(crate) unique_id: String,
    pub(crate) sis_user_id: Option<String>,
    pub(crate) integration_id: Option<String>,
    /// There are no others than our own, so it is null.
    pub(crate) authentication_provider_id: Option<i64>,
    /// `active`, `suspended` or `deleted`.
    pub(crate) workflow_state: String,
    pub(crate) created_at: Timestamp,
}

/// The state of a login that is changed.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LoginState {
    Active,
    Suspended,
}

impl LoginState {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Suspended => "suspended",
        }
    }
}

pub(crate) fn in_pseudonym(Violation { field, code, message }: Violation) -> Error {
    let field = field.unwrap_or_default();
    let rule = json!({"attribute": field, "type": code, "message": message});
    Error::own(StatusCode::BAD_REQUEST, json!({"errors": {"pseudonym": {field: [rule]}}}))
}
