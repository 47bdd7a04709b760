//! Keys that sign credentials.

use serde::Deserialize;
use shared::{Db, Timestamp, db};

#[derive(Deserialize)]
pub(crate) struct KeyRow {
    pub(crate) id: i64,
    pub(crate) thumbprint: String,
    pub(crate) public_key: String,
    pub(crate) sealed_seed: String,
}

const KEYS: &str = "SELECT id, thumbprint, public_key, sealed_seed FROM badge_signing_keys ORDER BY id DESC";

pub(crate) async fn newest(db: &Db) -> db::Result<Option<KeyRow>> {
    db.fetch(&format!("{KEYS} LIMIT 1"), ()).await
}

pub(crate) async fn all(db: &Db) -> db::Result<Vec<KeyRow>> {
    db.fetch_all(KEYS, ()).await
}

pub(crate) async fn insert(
    db: &Db,
    thumbprint: &str,
    public_key: &str,
    sealed: &str,
    now: Timestamp,
) -> db::Result<()> {
    db.execute(
        "INSERT INTO badge_signing_keys (thumbprint, public_key, sealed_seed, created_at) VALUES (?1, ?2, ?3, ?4)",
        (thumbprint, public_key, sealed, now),
    )
    .await
}

pub(crate) async fn seal_anew(db: &Db, id: i64, sealed: &str) -> db::Result<()> {
    db.execute("UPDATE badge_signing_keys SET sealed_seed = ?2 WHERE id = ?1", (id, sealed)).await
}
