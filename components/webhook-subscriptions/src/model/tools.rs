//! A tool that calls, and the ids by which it knows things.

use shared::ids::{AccountId, ToolProxyId};

/// The number at which ids of other services of our kind would begin.
pub(crate) const GLOBAL_IDS: i64 = 10_000_000_000_000;

/// The tool that calls.
pub(crate) struct Tool {
    pub(crate) id: ToolProxyId,
    pub(crate) root_account: AccountId,
    pub(crate) account: AccountId,
    pub(crate) capabilities: Vec<String>,
    /// The methods with which its security contract lets it call; none: all of them.
    pub(crate) methods: Option<Vec<String>>,
}

impl Tool {
    /// True if the tool may call with that method.
    pub(crate) fn may_call(&self, method: &str) -> bool {
        self.methods.as_ref().is_none_or(|methods| methods.iter().any(|own| own == method))
    }

    /// By what the keys of lists call the tool's developer.
    pub(crate) fn developer_key(&self) -> String {
        self.id.0.saturating_add(GLOBAL_IDS).to_string()
    }
}
