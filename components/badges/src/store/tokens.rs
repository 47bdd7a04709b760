//! Tokens: who may get one for which login, what renews them, and which a user has.

use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::{AccountId, ClientId, TokenId, UserId};
use shared::{Db, Timestamp, may_come_in};

/// A registered client.
#[derive(Deserialize)]
pub(crate) struct Client {
    pub(crate) id: ClientId,
    pub(crate) root_account_id: AccountId,
    pub(crate) secret_hash: String,
    /// The scopes of its tokens; everything unless given.
    pub(crate) scopes: Option<Json<Vec<String>>>,
}

pub(crate) async fn client(db: &Db, id: &str) -> db::Result<Option<Client>> {
    db.fetch(
        "SELECT k.id, k.root_account_id, k.secret_hash, k.scopes
         FROM developer_keys k JOIN accounts a ON a.id = k.account_id
         WHERE k.id = CAST(?1 AS INTEGER) AND CAST(k.id AS TEXT) = ?1
           AND k.workflow_state = 'active' AND a.workflow_state = 'active'",
        (id,),
    )
    .await
}

/// True if the user administers the site or an account.
pub(crate) async fn is_administrator(db: &Db, user: UserId) -> db::Result<bool> {
    db.affects(
        "SELECT 1 FROM users u WHERE u.id = ?1 AND (u.site_admin OR EXISTS (
             SELECT 1 FROM account_admins m JOIN accounts a ON a.id = m.account_id
             WHERE m.user_id = u.id AND a.workflow_state = 'active'))",
        (user,),
    )
    .await
}

/// A refresh token that was given with an access token.
pub(crate) struct NewRefreshToken<'a> {
    pub(crate) hash: &'a str,
    pub(crate) tenant: AccountId,
    pub(crate) user: UserId,
    pub(crate) access_token: TokenId,
    pub(crate) scopes: &'a [String],
}

pub(crate) async fn insert_refresh_token(
    db: &Db,
    token: &NewRefreshToken<'_>,
    now: Timestamp,
    end: Timestamp,
) -> db::Result<()> {
    db.execute(
        "INSERT INTO badge_refresh_tokens
             (token_hash, root_account_id, user_id, access_token_id, scopes, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (token.hash, token.tenant, token.user, token.access_token, Json(token.scopes), now, end),
    )
    .await
}

/// A refresh token that is used up now.
#[derive(Deserialize)]
pub(crate) struct UsedToken {
    pub(crate) root_account_id: AccountId,
    pub(crate) user_id: UserId,
    pub(crate) access_token_id: TokenId,
    pub(crate) scopes: Option<Json<Vec<String>>>,
}

/// Uses the token up, if it is good: of two who show it at the same time one gets something. One whose access token was
/// revoked is not good, nor is one whose client is gone.
pub(crate) async fn use_refresh_token(db: &Db, hash: &str, now: Timestamp) -> db::Result<Option<UsedToken>> {
    const MAY_COME_IN: &str = may_come_in!("u");
    db.fetch(
        &format!(
            "UPDATE badge_refresh_tokens SET used_at = ?2
         WHERE token_hash = ?1 AND used_at IS NULL AND expires_at > ?2
           AND EXISTS (
               SELECT 1 FROM access_tokens t LEFT JOIN developer_keys k ON k.id = t.developer_key_id
               WHERE t.id = access_token_id AND t.revoked_at IS NULL AND ifnull(k.workflow_state, 'active') = 'active')
           AND EXISTS (SELECT 1 FROM users u WHERE u.id = user_id AND {MAY_COME_IN})
         RETURNING root_account_id, user_id, access_token_id, scopes"
        ),
        (hash, now),
    )
    .await
}

/// Revokes a token, and tells which client has it.
pub(crate) async fn revoke(db: &Db, id: TokenId, now: Timestamp) -> db::Result<Option<ClientId>> {
    #[derive(Deserialize)]
    struct Row {
        developer_key_id: Option<ClientId>,
    }
    let sql = "UPDATE access_tokens SET revoked_at = ifnull(revoked_at, ?2) WHERE id = ?1 RETURNING developer_key_id";
    let row: Option<Row> = db.fetch(sql, (id, now)).await?;
    Ok(row.and_then(|row| row.developer_key_id))
}

/// A token of a user that is good.
#[derive(Deserialize)]
pub(crate) struct OwnToken {
    pub(crate) id: TokenId,
    pub(crate) scopes: Option<Json<Vec<String>>>,
    pub(crate) purpose: Option<String>,
    pub(crate) client: Option<i64>,
    pub(crate) client_name: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
}

const OWN: &str = "SELECT t.id, t.scopes, t.purpose, k.id AS client, k.name AS client_name, t.created_at, t.expires_at
     FROM access_tokens t LEFT JOIN developer_keys k ON k.id = t.developer_key_id
     WHERE t.user_id = ?1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?2)";

/// The newest of the user's tokens.
pub(crate) async fn own(db: &Db, user: UserId, now: Timestamp) -> db::Result<Vec<OwnToken>> {
    db.fetch_all(&format!("{OWN} ORDER BY t.id DESC LIMIT 500"), (user, now)).await
}

pub(crate) async fn find(db: &Db, user: UserId, id: TokenId, now: Timestamp) -> db::Result<Option<OwnToken>> {
    db.fetch(&format!("{OWN} AND t.id = ?3"), (user, now, id)).await
}
