//! Accounts: rows and views.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::db::Json;
use shared::ids::AccountId;

/// A school, a faculty, a department.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Account {
    pub(crate) id: AccountId,
    pub(crate) name: String,
    /// Null for a root account.
    pub(crate) parent_account_id: Option<AccountId>,
    /// Null for a root account.
    pub(crate) root_account_id: Option<AccountId>,
    pub(crate) sis_account_id: Option<String>,
    pub(crate) default_time_zone: String,
    pub(crate) uuid: String,
    /// `active` or `deleted`.
    pub(crate) workflow_state: String,
    /// The settings of the whole tenant; null of an account that is no root account.
    pub(crate) settings: Option<Json<AccountSettings>>,
}

/// Settings of a root account.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct AccountSettings {
    /// The users who may make issuers of badges.
    pub(crate) badge_issuers: BadgeIssuers,
}

#[derive(Serialize, Deserialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BadgeIssuers {
    /// Whoever has a verified address.
    Everyone,
    /// Administrators, and who teaches, assists or designs a course.
    Staff,
    /// Administrators.
    Admins,
}
