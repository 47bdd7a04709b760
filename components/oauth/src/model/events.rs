//! Events as they are answered. The database builds them, as the SQL of `store/events.rs` says.

use serde::{Deserialize, Serialize};
use shared::db::BuiltJson;
use shared::ids::{AccountId, ClientId, TokenId, UserId};
use shared::{JsonSchema, Timestamp};

/// Somebody came in, or something changed by which somebody may.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AuthenticationEvent {
    id: String,
    created_at: Timestamp,
    /// `login`, `login_failed`, `masquerade`, `password_changed`, `token_created`, `developer_key_created`,
    /// `developer_key_updated` or `developer_key_deleted`.
    event_type: String,
    /// The network that it came from; null where that is not known.
    network: Option<String>,
    links: EventLinks,
}

/// The records that an event names. Some may be gone.
#[derive(Serialize, JsonSchema)]
struct EventLinks {
    account: AccountId,
    /// Whom it concerns.
    user: Option<UserId>,
    /// The user who did it, where that is somebody else.
    real_user: Option<UserId>,
    login: Option<i64>,
    developer_key: Option<ClientId>,
    token: Option<TokenId>,
    /// Views of pages are not recorded.
    page_view: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkedUser {
    id: UserId,
    name: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Linked {
    users: BuiltJson<Vec<LinkedUser>>,
}
