//! Registrations of tools, as administrators and tools see them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::Json;
use shared::ids::{AccountId, ToolRegistrationId, UserId};
use shared::{JsonSchema, Timestamp};

/// Dynamic registration of LTI 1.3.
pub(crate) const LTI_1_3: &str = "lti_1_3";
/// A tool proxy of LTI 2.
pub(crate) const LTI_2: &str = "lti_2";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Filter {
    #[serde(rename = "account_id")]
    pub(crate) _account_id: Option<shared::ids::IdOrAlias<AccountId>>,
    /// `invited`, `pending`, `approved` or `refused`
    pub(crate) status: Option<String>,
}

/// The registration of a tool that registers itself.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct ToolRegistration {
    pub(crate) id: ToolRegistrationId,
    pub(crate) account_id: AccountId,
    /// `lti_1_3` or `lti_2`
    pub(crate) version: String,
    /// `invited`, `pending` (it has registered, and waits), `approved` or `refused`
    pub(crate) status: String,
    /// The guid of the tool, from when it has registered.
    pub(crate) guid: Option<String>,
    pub(crate) name: Option<String>,
    /// The capabilities that the tool asks for. It has those alone that were approved.
    pub(crate) capabilities: Json<Vec<String>>,
    /// The tool's own description of itself.
    pub(crate) configuration: Json<Value>,
    pub(crate) initiation_url: String,
    pub(crate) invited_by: UserId,
    /// Until when the tool must have registered.
    pub(crate) invited_until: Timestamp,
    pub(crate) created_at: Timestamp,
    pub(crate) registered_at: Option<Timestamp>,
    pub(crate) decided_by: Option<UserId>,
    pub(crate) decided_at: Option<Timestamp>,
}

/// A tool that has registered, and its registration.
pub(crate) struct Registering {
    pub(crate) name: String,
    pub(crate) capabilities: Vec<String>,
    pub(crate) configuration: Value,
    pub(crate) sealed_secret: String,
    /// The methods that its security contract names.
    pub(crate) methods: Option<Vec<String>>,
    /// The token with which it reads its registration, as a hash.
    pub(crate) access_token_hash: Option<String>,
}
