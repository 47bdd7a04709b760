//! New tokens, and the end of old ones.

use database::{Db, IdRow, Json};
use serde_json::Value;
use types::clock::{DAY, Timestamp};
use types::ids::{AccountId, ClientId, TokenId, UserId};
use web::error::Result;

use super::jwt::{self, Claims};

/// The time after which an unused refresh token of a client ends, in seconds.
pub const REFRESH_TOKENS_LAST: i64 = 180 * DAY;

/// The properties of a new token.
#[derive(Debug, Clone, Default)]
pub struct NewToken {
    /// The client that asked for it.
    pub developer_key: Option<ClientId>,
    /// The id of the refresh token that renews it.
    pub refresh_token: Option<i64>,
    /// Its purpose, as its user says.
    pub purpose: Option<String>,
    /// The scopes that it may call; `None`: everything.
    pub scopes: Option<Vec<String>>,
    /// When it ends; `None`: when it is revoked.
    pub expires_at: Option<Timestamp>,
}

/// Makes a token for a user, and answers it with its id. The end of a token that has a purpose stands in the database alone,
/// because its user may move it; that of others stands in the token too, and no row can put it off.
pub async fn issue(
    db: &Db,
    now: Timestamp,
    user: UserId,
    root_account: AccountId,
    token: NewToken,
) -> Result<(TokenId, String)> {
    let scopes = token.scopes.clone().map(|scopes| Json(Value::from(scopes)));
    let is_personal = token.purpose.is_some();
    let made: IdRow<TokenId> = db
        .fetch_one(
            "INSERT INTO access_tokens
                 (root_account_id, user_id, developer_key_id, refresh_token_id, purpose, scopes, expires_at, created_at,
                  key_version)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING id",
            (
                root_account,
                user,
                token.developer_key,
                token.refresh_token,
                token.purpose,
                scopes,
                token.expires_at,
                now,
                jwt::KeyVersion::Derived.number(),
            ),
        )
        .await?;
    let claims = Claims {
        sub: user.to_string(),
        tenant: root_account.0,
        jti: made.id.to_string(),
        iat: now.unix(),
        exp: token.expires_at.filter(|_| !is_personal).map(Timestamp::unix),
        scopes: token.scopes,
    };
    Ok((made.id, jwt::sign(&claims).await?))
}

/// Ends all tokens of users but one, what renews them, and codes that were not changed for tokens yet: after a change of the
/// password nobody is left who came in with the old one.
pub async fn revoke_all_but(db: &Db, users: &[UserId], kept: Option<TokenId>, now: Timestamp) -> database::Result<()> {
    const USERS: &str = "SELECT value FROM json_each(?1)";
    const KEPT: &str = "SELECT refresh_token_id FROM access_tokens WHERE id = ?3 AND refresh_token_id IS NOT NULL
        UNION ALL SELECT made_through_refresh_token_id FROM access_tokens
        WHERE id = ?3 AND made_through_refresh_token_id IS NOT NULL";
    db.transaction(async |db| {
        let sql = format!(
            "UPDATE refresh_tokens SET revoked_at = ?2
             WHERE user_id IN ({USERS}) AND revoked_at IS NULL AND id NOT IN ({KEPT})"
        );
        db.execute(&sql, (Json(users), now, kept)).await?;
        let sql = format!(
            "UPDATE access_tokens SET revoked_at = ?2
             WHERE user_id IN ({USERS}) AND revoked_at IS NULL AND id IS NOT ?3"
        );
        db.execute(&sql, (Json(users), now, kept)).await?;
        let sql = format!("UPDATE authorization_codes SET used_at = ?2 WHERE user_id IN ({USERS}) AND used_at IS NULL");
        db.execute(&sql, (Json(users), now)).await
    })
    .await
}
