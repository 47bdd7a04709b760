//! Tokens, as their lists and answers show them.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{ClientId, TokenId, UserId};
use shared::{JsonSchema, Timestamp};

/// A token as its user sees it.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Token {
    pub(crate) id: TokenId,
    pub(crate) user_id: UserId,
    /// The purpose for which its user made it; null for a client's.
    pub(crate) purpose: Option<String>,
    pub(crate) app_name: String,
    pub(crate) developer_key_id: Option<ClientId>,
    /// The scopes that it may call; an empty list is no limit.
    pub(crate) scopes: Json<Vec<String>>,
    /// The end of the token.
    pub(crate) token_hint: Option<String>,
    /// `active` or `deleted`.
    pub(crate) workflow_state: String,
    pub(crate) can_manually_regenerate: bool,
    pub(crate) remember_access: Option<bool>,
    /// The user who made it, where that is not its own.
    pub(crate) real_user_id: Option<UserId>,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) last_used_at: Option<Timestamp>,
    /// The token itself, in the answer that makes it.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(crate) visible_token: Option<String>,
}
