//! Tokens: rows and views.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{ClientId, TokenId, UserId};
use shared::{JsonSchema, Timestamp};

/// What is known of a token.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Token {
    pub(crate) id: TokenId,
    pub(crate) user_id: UserId,
    /// What its user made it for; null for a client's.
    pub(crate) purpose: Option<String>,
    pub(crate) app_name: String,
    pub(crate) developer_key_id: Option<ClientId>,
    /// What it may call; an empty list is no limit.
    pub(crate) scopes: Json<Vec<String>>,
    /// The end of the token.
    pub(crate) token_hint: Option<String>,
    /// `active` or `deleted`.
    pub(crate) workflow_state: String,
    pub(crate) can_manually_regenerate: bool,
    pub(crate) remember_access: Option<bool>,
    /// Who made it, where that is not its user.
    pub(crate) real_user_id: Option<UserId>,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) last_used_at: Option<Timestamp>,
    /// The token itself, in the answer that makes it.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(crate) visible_token: Option<String>,
}
