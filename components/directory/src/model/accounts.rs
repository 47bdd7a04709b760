//! Accounts: as they are answered, their settings, and how lists of them are ordered.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::db::Json;
use shared::ids::AccountId;

use crate::model::filters::AnyOf;

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
    /// The number of courses of the account itself. Only where `include[]=course_count` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) course_count: Option<i64>,
    /// The number of accounts directly under it. Only where `include[]=sub_account_count` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sub_account_count: Option<i64>,
}

/// The accounts under an account that are listed.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct SubAccountFilter {
    /// True if those under the accounts under it are listed too.
    pub(crate) recursive: bool,
    /// By id unless given.
    pub(crate) order: SubAccountOrder,
    /// `course_count`, `sub_account_count`; others are passed over.
    pub(crate) include: AnyOf<String>,
}

/// The order of the accounts under an account.
#[derive(Debug, Deserialize, Clone, Copy, Default, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SubAccountOrder {
    #[default]
    Id,
    Name,
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
