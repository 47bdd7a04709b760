//! Sessions of people on our pages. A session is a row among the tokens, which no token of the API names: what ends a user's
//! tokens (another password, a suspension, the end of the user) ends the sessions too, and the statement that finds the caller
//! judges both alike.

use database::{Db, IdRow};
use types::clock::{HOUR, Timestamp};
use types::ids::{TokenId, UserId};
use web::error::Result;
use web::session::PageSession;

use super::jwt::KeyVersion;

/// A session ends after so many seconds, whatever is done in it: a day at school.
const LIFETIME: i64 = 12 * HOUR;
/// It ends sooner where nothing was done for so many seconds.
pub(super) const IDLE: i64 = 2 * HOUR;

/// Begins a session of a user whose password was right.
pub async fn begin(db: &Db, user: UserId, now: Timestamp) -> Result<PageSession> {
    let expires_at = now.plus_seconds(LIFETIME);
    let made: IdRow<TokenId> = db
        .fetch_one(
            "INSERT INTO access_tokens (root_account_id, user_id, expires_at, created_at, last_used_at, key_version)
             SELECT root_account_id, id, ?2, ?3, ?3, ?4 FROM users WHERE id = ?1 RETURNING id",
            (user, expires_at, now, KeyVersion::OfPages.number()),
        )
        .await?;
    Ok(PageSession { id: made.id, user, expires_at })
}

/// Ends a session, or all sessions of its user.
pub async fn end(db: &Db, session: TokenId, is_everywhere: bool, now: Timestamp) -> Result<()> {
    let sql = if is_everywhere {
        "UPDATE access_tokens SET revoked_at = ?2
         WHERE user_id = (SELECT user_id FROM access_tokens WHERE id = ?1) AND key_version = ?3 AND revoked_at IS NULL"
    } else {
        "UPDATE access_tokens SET revoked_at = ?2 WHERE id = ?1 AND key_version = ?3 AND revoked_at IS NULL"
    };
    Ok(db.execute(sql, (session, now, KeyVersion::OfPages.number())).await?)
}
