//! Tools, as administrators see them.

use serde::{Deserialize, Serialize};
use shared::ids::{AccountId, IdOrAlias};
use shared::{JsonSchema, Timestamp};

use crate::model::capabilities;

/// A registered tool.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct ToolProxy {
    /// The tool's name for itself in its assertions.
    pub(crate) guid: String,
    pub(crate) account_id: AccountId,
    pub(crate) name: Option<String>,
    /// `vnd.vendor.webhooks.root_account.submission_created`, …
    pub(crate) capabilities: shared::db::Json<Vec<String>>,
    pub(crate) created_at: Timestamp,
    /// The secret with which the tool signs its assertions. Shown only when it is registered or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shared_secret: Option<String>,
    /// What is odd about what was just sent: each capability that allows nothing. Left out where nothing is. It is no
    /// column of a row.
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
}

impl ToolProxy {
    /// The tool with a warning of each of its capabilities that allows nothing.
    pub(crate) fn with_warnings(self) -> Self {
        Self { warnings: capabilities::warnings(&self.capabilities.0), ..self }
    }
}

/// The account whose records are listed; the caller's root account unless given.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct AccountFilter {
    pub(crate) account_id: Option<IdOrAlias<AccountId>>,
}
