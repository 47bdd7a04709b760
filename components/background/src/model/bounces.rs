//! Messages that came back.

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Timestamp};

/// The fate of a message after it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// The address does not exist.
    Permanent,
    /// It could not be delivered this time.
    Transient,
    /// The transport sends nothing there any more, or the recipient has complained.
    Suppression,
}

impl Severity {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Permanent => "permanent",
            Self::Transient => "transient",
            Self::Suppression => "suppression",
        }
    }
}

/// A bounce as it is noted on a channel.
pub(crate) struct Bounce {
    pub(crate) severity: Severity,
    pub(crate) at: Timestamp,
    pub(crate) summary: Option<String>,
}

impl Bounce {
    /// The transport refused the address for good.
    pub(crate) fn permanent(at: Timestamp, summary: String) -> Self {
        Self { severity: Severity::Permanent, at, summary: Some(summary) }
    }
}
