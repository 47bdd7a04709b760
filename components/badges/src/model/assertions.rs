//! What stands in an award as evidence.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;

/// A deed of the earner.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Evidence {
    pub(crate) url: Option<String>,
    pub(crate) narrative: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) genre: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) audience: Option<String>,
}
