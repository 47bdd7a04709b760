//! The SQL of what is removed.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{AttachmentId, UploadId};
use shared::{Db, Timestamp, db};

/// An upload whose address takes no bytes any more, and the blob of one that broke off.
#[derive(Deserialize, Serialize)]
pub(crate) struct EndedUpload {
    id: UploadId,
    pub(crate) blob: Option<String>,
}

/// A deleted file whose bytes are still there.
#[derive(Deserialize)]
pub(crate) struct Deleted {
    pub(crate) id: AttachmentId,
    pub(crate) blob: String,
    pub(crate) size: usize,
}

/// Uploads whose address takes no bytes any more, whether they have come or not. Packages that are waited for are left to
/// the area that waits.
pub(crate) async fn ended_uploads(db: &Db, now: Timestamp, most: i64) -> db::Result<Vec<EndedUpload>> {
    let sql = "SELECT id, blob FROM uploads
        WHERE expires_at <= ?1 AND ifnull(claimed_until <= ?1, 1)
          AND NOT EXISTS (SELECT 1 FROM content_migrations m
                          WHERE m.upload_id = uploads.id AND m.workflow_state = 'pre_processing')
        ORDER BY expires_at LIMIT ?2";
    db.fetch_all(sql, (now, most)).await
}

pub(crate) async fn forget_uploads(db: &Db, ended: &[EndedUpload]) -> db::Result<()> {
    let work = db.transaction(async |db| {
        let migrations = "UPDATE content_migrations SET upload_id = NULL
            WHERE upload_id IN (SELECT value ->> 'id' FROM json_each(?1))";
        db.execute(migrations, (Json(ended),)).await?;
        let uploads = "DELETE FROM uploads WHERE id IN (SELECT value ->> 'id' FROM json_each(?1))";
        db.execute(uploads, (Json(ended),)).await
    });
    work.await
}

pub(crate) async fn deleted(db: &Db, before: Timestamp, most: i64) -> db::Result<Vec<Deleted>> {
    let sql = "SELECT id, blob, size FROM attachments
        WHERE workflow_state = 'deleted' AND blob <> '' AND updated_at < ?1 ORDER BY updated_at LIMIT ?2";
    db.fetch_all(sql, (before, most)).await
}

/// Removes the row of a deleted file that nothing names any more.
pub(crate) async fn forget(db: &Db, id: AttachmentId) -> db::Result<()> {
    let sql = "DELETE FROM attachments
        WHERE id = ?1 AND workflow_state = 'deleted' AND blob = ''
          AND NOT EXISTS (SELECT 1 FROM submission_attachments s WHERE s.attachment_id = ?1)
          AND NOT EXISTS (SELECT 1 FROM uploads u WHERE u.attachment_id = ?1)
          AND NOT EXISTS (SELECT 1 FROM content_exports e WHERE e.attachment_id = ?1)
          AND NOT EXISTS (SELECT 1 FROM content_migrations m WHERE m.attachment_id = ?1)";
    db.execute(sql, (id,)).await
}

/// Lets the deleted file forget its bytes, and tells whether no other file has them.
pub(crate) async fn is_last(db: &Db, id: AttachmentId, blob: &str) -> db::Result<bool> {
    #[derive(Deserialize)]
    struct Row {
        is_last: bool,
    }
    let row: Row = db
        .fetch_one(
            "UPDATE attachments SET blob = '' WHERE id = ?1
             RETURNING NOT EXISTS (SELECT 1 FROM attachments o WHERE o.blob = ?2 AND o.id <> ?1) AS is_last",
            (id, blob),
        )
        .await?;
    Ok(row.is_last)
}
