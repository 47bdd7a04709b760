//! Credentials of readers, as administrators see them.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::{JsonSchema, Timestamp};

/// The credential with which a district's data team reads.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Credential {
    pub(crate) client_id: String,
    /// Shown once, when the credential is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client_secret: Option<String>,
    pub(crate) scopes: Json<Vec<String>>,
    /// The only schools that it reads of; null: all of the district.
    pub(crate) school_ids: Option<Json<Vec<i64>>>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) revoked_at: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
}
