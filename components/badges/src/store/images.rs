//! Which images are stored.

use serde::Deserialize;
use shared::{Db, Timestamp, db};

use crate::images::Stored;

#[derive(Deserialize)]
pub(crate) struct ImageRow {
    pub(crate) size: usize,
}

pub(crate) async fn find(db: &Db, name: &str) -> db::Result<Option<ImageRow>> {
    db.fetch("SELECT size FROM badge_images WHERE name = ?1", (name,)).await
}

/// Writes down that the bytes are there.
pub(crate) async fn insert(db: &Db, image: &Stored, now: Timestamp) -> db::Result<()> {
    db.execute(
        "INSERT INTO badge_images (name, content_type, size, created_at) VALUES (?1, ?2, ?3, ?4)",
        (image.name.as_str(), image.form.content_type(), i64::try_from(image.size).unwrap_or(i64::MAX), now),
    )
    .await
}
