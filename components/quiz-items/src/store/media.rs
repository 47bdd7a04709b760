//! The data of media beside their bytes.

use serde::Deserialize;
use shared::error::OrNotFound;
use shared::ids::CourseId;
use shared::{Db, Result, Timestamp, db};

/// The most images of a course.
const MAX_IMAGES: i64 = 2_000;

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

/// An object whose bytes come, or have come.
pub(crate) struct NewObject<'a> {
    pub(crate) course: CourseId,
    pub(crate) id: &'a str,
    pub(crate) size: i64,
    /// The bytes that the images of the course may have together.
    pub(crate) quota: i64,
}

/// Why an object is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct Place {
    pub(crate) is_taken: bool,
    pub(crate) is_full: bool,
}

/// The condition that the images of the course `?1` have no room for `?2` bytes more, of so many in all.
const IS_FULL: &str = "(SELECT count(*) >= ?4 OR total(size) + ?2 > ?3 FROM media_objects WHERE course_id = ?1)";

/// Whether there is an object of that id, and whether the course has room for it; 404 where the course is gone.
pub(crate) async fn place(db: &Db, new: &NewObject<'_>) -> Result<Place> {
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM media_objects WHERE id = ?5) AS is_taken, {IS_FULL} AS is_full
         FROM courses WHERE id = ?1"
    );
    let &NewObject { course, id, size, quota } = new;
    db.fetch(&sql, (course, size, quota, MAX_IMAGES, id)).await?.or_not_found()
}

/// Notes an object whose bytes are all stored; `false` where it is not taken any more.
pub(crate) async fn insert(
    db: &Db,
    new: &NewObject<'_>,
    blob: &str,
    content_type: &str,
    now: Timestamp,
) -> db::Result<bool> {
    let sql = format!(
        "INSERT INTO media_objects (id, root_account_id, course_id, blob, content_type, size, created_at)
         SELECT ?5, root_account_id, id, ?6, ?7, ?2, ?8 FROM courses WHERE id = ?1 AND NOT {IS_FULL}
         ON CONFLICT DO NOTHING RETURNING id"
    );
    let &NewObject { course, id, size, quota } = new;
    db.affects(&sql, (course, size, quota, MAX_IMAGES, id, blob, content_type, now)).await
}
