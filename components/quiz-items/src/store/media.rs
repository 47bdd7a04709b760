//! The data of media beside their bytes.

use serde::Deserialize;
use shared::ids::CourseId;
use shared::{Db, Timestamp, db};

/// An object that is there as a whole.
#[derive(Deserialize)]
pub(crate) struct Object {
    /// Under which name its bytes lie in the blob store.
    pub(crate) blob: String,
    pub(crate) content_type: String,
    pub(crate) size: usize,
}

pub(crate) async fn object(db: &Db, id: &str) -> db::Result<Option<Object>> {
    db.fetch("SELECT blob, content_type, size FROM media_objects WHERE id = ?1", (id,)).await
}

/// Notes an object whose bytes are all stored; `false` where there is one of that id, or the course is gone.
pub(crate) async fn insert(
    db: &Db,
    course: CourseId,
    id: &str,
    blob: &str,
    content_type: &str,
    size: i64,
    now: Timestamp,
) -> db::Result<bool> {
    db.affects(
        "INSERT INTO media_objects (id, root_account_id, course_id, blob, content_type, size, created_at)
         SELECT ?2, root_account_id, id, ?3, ?4, ?5, ?6 FROM courses WHERE id = ?1
         ON CONFLICT DO NOTHING RETURNING id",
        (course, id, blob, content_type, size, now),
    )
    .await
}
