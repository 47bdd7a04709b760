//! Personal tokens, and the tokens that a user's clients hold.

use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::{AccountId, ClientId, TokenId, UserId};
use shared::page::{Key, Page};
use shared::{Db, Paged, Patch, Timestamp};

use crate::personal_tokens::Token;

/// The columns of a [`Token`].
const COLUMNS: &str = "id, user_id, purpose, developer_key_id, created_at, expires_at, last_used_at,
    ifnull(scopes, '[]') AS scopes, iif(revoked_at IS NULL, 'active', 'deleted') AS workflow_state, hint AS token_hint,
    ifnull((SELECT name FROM developer_keys WHERE id = developer_key_id), 'User-Generated') AS app_name,
    purpose IS NOT NULL AS can_manually_regenerate, NULL AS remember_access, NULL AS real_user_id";

/// A refresh token has one live token at a time, which stands for it even after its end.
const LISTED: &str = "revoked_at IS NULL AND (purpose IS NOT NULL OR refresh_token_id IS NOT NULL OR expires_at > ?2)";

pub(crate) async fn tokens(db: &Db, user: UserId, now: Timestamp, page: &Page) -> db::Result<Paged<Token>> {
    let sql = format!("SELECT {COLUMNS} FROM access_tokens WHERE user_id = ?1 AND {LISTED}");
    db.keyset(&sql, (user, now), Key::ascending(&["id"]), page).await
}

/// The token with that id or hint.
pub(crate) async fn token(db: &Db, user: UserId, now: Timestamp, id_or_hint: &str) -> db::Result<Option<Token>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM access_tokens
         WHERE user_id = ?1 AND {LISTED} AND (CAST(id AS TEXT) = ?3 OR hint = ?3)
         ORDER BY CAST(id AS TEXT) = ?3 DESC, id DESC LIMIT 1"
    );
    db.fetch(&sql, (user, now, id_or_hint)).await
}

/// Notes by what a new token can be told from others, and answers its record.
pub(crate) async fn set_hint(db: &Db, id: TokenId, hint: &str) -> db::Result<Token> {
    let sql = format!("UPDATE access_tokens SET hint = ?2 WHERE id = ?1 RETURNING {COLUMNS}");
    db.fetch_one(&sql, (id, hint)).await
}

pub(crate) async fn update(
    db: &Db,
    id: TokenId,
    purpose: Option<&str>,
    expires_at: Patch<Timestamp>,
) -> db::Result<Option<Token>> {
    let sql = format!(
        "UPDATE access_tokens SET purpose = ifnull(?2, purpose), expires_at = iif(?3, ?4, expires_at)
         WHERE id = ?1 AND revoked_at IS NULL RETURNING {COLUMNS}"
    );
    db.fetch(&sql, (id, purpose, expires_at.is_present(), expires_at.into_option())).await
}

/// The scopes of a developer key.
#[derive(Deserialize)]
pub(crate) struct KeyScopes {
    pub(crate) scopes: Option<Json<Vec<String>>>,
}

/// What a token may call; `None`: everything.
pub(crate) async fn scopes(db: &Db, id: TokenId) -> db::Result<Option<Vec<String>>> {
    let token: KeyScopes = db.fetch_one("SELECT scopes FROM access_tokens WHERE id = ?1", (id,)).await?;
    Ok(token.scopes.map(|scopes| scopes.0))
}

/// What a developer key of the tenant may give its tokens.
pub(crate) async fn key_scopes(db: &Db, tenant: AccountId, key: ClientId) -> db::Result<Option<KeyScopes>> {
    db.fetch(
        "SELECT scopes FROM developer_keys WHERE id = ?2 AND root_account_id = ?1 AND workflow_state = 'active'",
        (tenant, key),
    )
    .await
}
