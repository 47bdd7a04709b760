//! The SQL of what is removed.

use serde::Deserialize;
use shared::ids::AttachmentId;
use shared::{Db, Timestamp, db};

/// Bytes that were being written when something broke off.
#[derive(Deserialize)]
pub(crate) struct LeftBehind {
    pub(crate) blob: String,
}

/// A deleted file whose bytes are still there.
#[derive(Deserialize)]
pub(crate) struct Deleted {
    pub(crate) id: AttachmentId,
    pub(crate) blob: String,
    pub(crate) size: usize,
}

pub(crate) async fn left_behind(db: &Db, before: Timestamp, most: i64) -> db::Result<Vec<LeftBehind>> {
    let sql = "SELECT blob FROM blobs_in_writing WHERE started_at < ?1 ORDER BY started_at LIMIT ?2";
    db.fetch_all(sql, (before, most)).await
}

pub(crate) async fn deleted(db: &Db, before: Timestamp, most: i64) -> db::Result<Vec<Deleted>> {
    let sql = "SELECT id, blob, size FROM attachments
        WHERE workflow_state = 'deleted' AND blob <> '' AND updated_at < ?1 ORDER BY updated_at LIMIT ?2";
    db.fetch_all(sql, (before, most)).await
}

/// Lets the deleted file forget its bytes, and tells whether no other file has them.
pub(crate) async fn is_last(db: &Db, id: AttachmentId, blob: &str) -> db::Result<bool> {
    #[derive(Deserialize)]
    struct Last {
        last: bool,
    }
    let last: Last = db
        .fetch_one(
            "UPDATE attachments SET blob = '' WHERE id = ?1
             RETURNING NOT EXISTS (SELECT 1 FROM attachments o WHERE o.blob = ?2 AND o.id <> ?1) AS last",
            (id, blob),
        )
        .await?;
    Ok(last.last)
}
