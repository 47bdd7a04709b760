//! Administrators of accounts, as they are answered.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::db::Json;
use shared::ids::UserId;

/// A user's office as an administrator of an account.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Admin {
    pub(crate) id: i64,
    pub(crate) role: String,
    pub(crate) user: Json<AdminUser>,
    /// `active` or `deleted`.
    pub(crate) workflow_state: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct AdminUser {
    pub(crate) id: UserId,
    pub(crate) name: String,
    pub(crate) sortable_name: String,
    pub(crate) short_name: String,
    pub(crate) login_id: Option<String>,
}
