//! What stands in a class as alignments.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;

/// The place of a badge in a framework of somebody else.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Alignment {
    pub(crate) target_name: String,
    pub(crate) target_url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target_description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target_framework: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target_code: Option<String>,
}
