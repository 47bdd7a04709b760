//! Tools: rows and views.

use shared::ids::{AccountId, ToolProxyId};

/// The number at which ids of other services of our kind would begin.
pub(crate) const GLOBAL_IDS: i64 = 10_000_000_000_000;

/// The tool that calls.
pub(crate) struct Tool {
    pub(crate) id: ToolProxyId,
    pub(crate) root_account: AccountId,
    pub(crate) account: AccountId,
    pub(crate) capabilities: Vec<String>,
}

impl Tool {
    /// By what the keys of lists call the tool's developer.
    pub(crate) fn developer_key(&self) -> String {
        self.id.0.saturating_add(GLOBAL_IDS).to_string()
    }
}
