//! Forms of the log-in page, each of which is taken once.

use shared::{Db, Timestamp, db};

/// Takes the form with that token. False: it was taken before.
pub(crate) async fn spend(db: &Db, token_hash: &str, expires_at: Timestamp, now: Timestamp) -> db::Result<bool> {
    db.execute("DELETE FROM spent_forms WHERE expires_at <= ?1", (now,)).await?;
    db.affects(
        "INSERT INTO spent_forms (token_hash, expires_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING RETURNING 1",
        (token_hash, expires_at),
    )
    .await
}
