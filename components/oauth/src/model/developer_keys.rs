//! Developer keys, as their lists and answers show them.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{AccountId, ClientId, UserId};
use shared::{JsonSchema, Timestamp};

/// A client of the OAuth2 endpoint.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct DeveloperKey {
    pub(crate) id: ClientId,
    /// The id as the OAuth2 endpoint takes it.
    pub(crate) client_id: String,
    /// In the answer that creates the key.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(crate) client_secret: Option<String>,
    pub(crate) name: String,
    pub(crate) account_id: AccountId,
    pub(crate) account_name: String,
    /// Whom the client acts for with its own credentials.
    pub(crate) user_id: Option<UserId>,
    pub(crate) user_name: Option<String>,
    /// The scopes that its tokens may call; an empty list is no limit.
    pub(crate) scopes: Json<Vec<String>>,
    pub(crate) require_scopes: bool,
    /// The addresses to which users may be sent back.
    pub(crate) redirect_uris: Json<Vec<String>>,
    /// The topic that push messages to its users go to.
    pub(crate) push_topic_arn: Option<String>,
    pub(crate) workflow_state: String,
    pub(crate) created_at: Timestamp,
}
