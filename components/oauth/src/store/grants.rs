//! The grants of users to clients: codes, and the refresh tokens that they are changed for.

use serde::Deserialize;
use shared::auth::REFRESH_TOKENS_LAST;
use shared::db::{self, IdRow, Json};
use shared::ids::{ClientId, TokenId, UserId};
use shared::{Db, Result, Timestamp, may_come_in};

/// Whom a client may act for, and what it may call.
#[derive(Deserialize)]
pub(crate) struct Grant {
    pub(crate) user_id: UserId,
    pub(crate) name: String,
    pub(crate) locale: Option<String>,
    pub(crate) scopes: Option<Json<Vec<String>>>,
}

/// A code as it stands.
#[derive(Deserialize)]
pub(crate) struct Code {
    pub(crate) developer_key_id: ClientId,
    pub(crate) redirect_uri: String,
    pub(crate) expires_at: Timestamp,
    pub(crate) used_at: Option<Timestamp>,
    pub(crate) refresh_token_id: Option<i64>,
}

/// A new code, of which only the hash is kept.
pub(crate) struct NewCode<'a> {
    pub(crate) key: ClientId,
    pub(crate) user: UserId,
    pub(crate) hash: &'a str,
    pub(crate) redirect_uri: &'a str,
    pub(crate) challenge: Option<&'a str>,
    pub(crate) scopes: Option<Vec<String>>,
    pub(crate) expires_at: Timestamp,
}

pub(crate) async fn insert_code(db: &Db, code: NewCode<'_>) -> db::Result<()> {
    db.execute(
        "INSERT INTO authorization_codes
             (developer_key_id, user_id, code_hash, redirect_uri, code_challenge, scopes, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (code.key, code.user, code.hash, code.redirect_uri, code.challenge, code.scopes.map(Json), code.expires_at),
    )
    .await
}

/// Uses a code up, if all that it is bound to is there. Of several who try, one succeeds.
pub(crate) async fn redeem(
    db: &Db,
    hash: &str,
    key: Option<ClientId>,
    redirect_uri: &str,
    challenge: Option<String>,
    now: Timestamp,
) -> db::Result<Option<Grant>> {
    const MAY_COME_IN: &str = may_come_in!("u");
    db.fetch(
        &format!(
            "UPDATE authorization_codes AS c SET used_at = ?5
         FROM users u
         WHERE c.code_hash = ?1 AND c.developer_key_id = ?2 AND c.redirect_uri = ?3 AND c.code_challenge IS ?4
           AND c.used_at IS NULL AND c.expires_at > ?5 AND u.id = c.user_id AND {MAY_COME_IN}
         RETURNING user_id, scopes, (SELECT name FROM users WHERE id = user_id) AS name,
                   (SELECT locale FROM users WHERE id = user_id) AS locale"
        ),
        (hash, key, redirect_uri, challenge, now),
    )
    .await
}

pub(crate) async fn code(db: &Db, hash: &str) -> db::Result<Option<Code>> {
    db.fetch(
        "SELECT developer_key_id, redirect_uri, expires_at, used_at, refresh_token_id
         FROM authorization_codes WHERE code_hash = ?1",
        (hash,),
    )
    .await
}

/// The refresh token that a code is changed for.
pub(crate) async fn insert_refresh_token(db: &Db, code: &str, hash: &str, now: Timestamp) -> db::Result<i64> {
    let made: IdRow<i64> = db
        .fetch_one(
            "INSERT INTO refresh_tokens (developer_key_id, user_id, token_hash, scopes, created_at, last_used_at)
             SELECT developer_key_id, user_id, ?2, scopes, ?3, ?3 FROM authorization_codes WHERE code_hash = ?1
             RETURNING id",
            (code, hash, now),
        )
        .await?;
    db.execute("UPDATE authorization_codes SET refresh_token_id = ?2 WHERE code_hash = ?1", (code, made.id)).await?;
    Ok(made.id)
}

/// A refresh token that is still good.
#[derive(Deserialize)]
pub(crate) struct RefreshToken {
    pub(crate) id: i64,
    pub(crate) developer_key_id: ClientId,
    pub(crate) user_id: UserId,
    pub(crate) name: String,
    pub(crate) locale: Option<String>,
    pub(crate) scopes: Option<Json<Vec<String>>>,
}

/// Notes that the refresh token is used, if it is good. One that nobody used for long has ended.
pub(crate) async fn use_refresh_token(db: &Db, hash: &str, now: Timestamp) -> db::Result<Option<RefreshToken>> {
    const MAY_COME_IN: &str = may_come_in!("u");
    db.fetch(
        &format!(
            "UPDATE refresh_tokens AS r SET last_used_at = ?2
         FROM users u
         WHERE r.token_hash = ?1 AND r.revoked_at IS NULL AND r.last_used_at > ?3 AND u.id = r.user_id
           AND {MAY_COME_IN}
         RETURNING id, developer_key_id, user_id, scopes, (SELECT name FROM users WHERE id = user_id) AS name,
                   (SELECT locale FROM users WHERE id = user_id) AS locale"
        ),
        (hash, now, now.plus_seconds(-REFRESH_TOKENS_LAST)),
    )
    .await
}

/// Revokes a token, and the refresh token that could renew it.
pub(crate) async fn revoke(db: &Db, token: TokenId, now: Timestamp) -> Result<()> {
    #[derive(Deserialize)]
    struct Revoked {
        refresh_token_id: Option<i64>,
    }
    db.transaction(async |db| {
        let revoked: Option<Revoked> = db
            .fetch(
                "UPDATE access_tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL
                 RETURNING refresh_token_id",
                (token, now),
            )
            .await?;
        revoke_refresh_token(db, revoked.and_then(|token| token.refresh_token_id), now).await
    })
    .await
}

/// Revokes a refresh token and every token that it gave.
pub(crate) async fn revoke_refresh_token(db: &Db, id: Option<i64>, now: Timestamp) -> Result<()> {
    let Some(id) = id else { return Ok(()) };
    db.transaction(async |db| {
        let sql = "UPDATE refresh_tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
        db.execute(sql, (id, now)).await?;
        Ok(revoke_tokens_of(db, id, now).await?)
    })
    .await
}

/// Revokes the tokens that a refresh token gave.
pub(crate) async fn revoke_tokens_of(db: &Db, refresh_token: i64, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE access_tokens SET revoked_at = ?2 WHERE refresh_token_id = ?1 AND revoked_at IS NULL";
    db.execute(sql, (refresh_token, now)).await
}
