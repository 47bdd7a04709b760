//! Bytes of files that are being written. What is noted here and never ended was left behind by a crash, and is removed.

use uuid::Uuid;

use crate::clock::Timestamp;
use crate::db::{self, Db};

/// A name for new bytes in the blob store, noted before the first of them is written.
pub async fn begin_bytes(db: &Db, now: Timestamp) -> db::Result<String> {
    let name = format!("file/{}", Uuid::new_v4());
    db.execute("INSERT INTO blobs_in_writing (blob, started_at) VALUES (?1, ?2)", (&name, now)).await?;
    Ok(name)
}

/// Ends the note: a file names the bytes now, in the same transaction, or they are gone.
pub async fn end_bytes(db: &Db, name: &str) -> db::Result<()> {
    db.execute("DELETE FROM blobs_in_writing WHERE blob = ?1", (name,)).await
}
