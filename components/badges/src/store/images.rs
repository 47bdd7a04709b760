//! Which images are stored, and whose they are.

use serde::Deserialize;
use shared::ids::{AccountId, UserId};
use shared::{Db, Timestamp, db};

#[derive(Deserialize)]
pub(crate) struct ImageRow {
    pub(crate) size: usize,
}

/// An image that a record is about to name.
pub(crate) struct NewImage {
    pub(crate) name: String,
    pub(crate) content_type: &'static str,
    pub(crate) size: usize,
}

/// The number of images that somebody may have, and of their bytes.
#[derive(Clone, Copy)]
pub(crate) struct Quota {
    pub(crate) images: i64,
    pub(crate) bytes: i64,
}

/// An image that nothing names any more.
#[derive(Deserialize)]
pub(crate) struct UnusedImage {
    pub(crate) name: String,
    pub(crate) size: usize,
}

/// True if an image of `?3` bytes fits into the quotas of the tenant `?1` and the user `?2`. An image that is no more
/// shown counts as long as its bytes are there.
const FITS: &str = "(SELECT count(*) < ?4 AND ifnull(sum(size), 0) + ?3 <= ?5 FROM badge_images WHERE user_id = ?2)
     AND (SELECT count(*) < ?6 AND ifnull(sum(size), 0) + ?3 <= ?7 FROM badge_images WHERE root_account_id = ?1)";

pub(crate) async fn find(db: &Db, name: &str) -> db::Result<Option<ImageRow>> {
    db.fetch("SELECT size FROM badge_images WHERE name = ?1 AND unused_since IS NULL", (name,)).await
}

pub(crate) async fn has_room(
    db: &Db,
    tenant: AccountId,
    user: UserId,
    size: usize,
    (of_user, of_tenant): (Quota, Quota),
) -> db::Result<bool> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let binds = (tenant, user, size, of_user.images, of_user.bytes, of_tenant.images, of_tenant.bytes);
    db.affects(&format!("SELECT 1 WHERE {FITS}"), binds).await
}

/// Writes down that the bytes are there; false where there is no room for them.
pub(crate) async fn insert(
    db: &Db,
    tenant: AccountId,
    user: UserId,
    image: &NewImage,
    (of_user, of_tenant): (Quota, Quota),
    now: Timestamp,
) -> db::Result<bool> {
    let size = i64::try_from(image.size).unwrap_or(i64::MAX);
    let sql = format!(
        "INSERT INTO badge_images (root_account_id, user_id, size, name, content_type, created_at)
         SELECT ?1, ?2, ?3, ?8, ?9, ?10 WHERE {FITS} RETURNING name"
    );
    let binds = (
        tenant,
        user,
        size,
        of_user.images,
        of_user.bytes,
        of_tenant.images,
        of_tenant.bytes,
        &image.name,
        image.content_type,
        now,
    );
    db.affects(&sql, binds).await
}

/// Images that nothing has named since before that moment.
pub(crate) async fn unused(db: &Db, before: Timestamp, limit: i64) -> db::Result<Vec<UnusedImage>> {
    let sql = "SELECT name, size FROM badge_images WHERE unused_since < ?1 ORDER BY unused_since LIMIT ?2";
    db.fetch_all(sql, (before, limit)).await
}

/// Forgets an image, unless something names it.
pub(crate) async fn delete(db: &Db, name: &str) -> db::Result<bool> {
    db.affects(
        "DELETE FROM badge_images WHERE name = ?1 AND unused_since IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM badge_issuers WHERE image = ?1)
         AND NOT EXISTS (SELECT 1 FROM badge_classes WHERE image = ?1)
         AND NOT EXISTS (SELECT 1 FROM badge_imports WHERE image = ?1)
         RETURNING name",
        (name,),
    )
    .await
}

/// Notes that something names the image after all.
pub(crate) async fn set_used(db: &Db, name: &str) -> db::Result<()> {
    db.execute("UPDATE badge_images SET unused_since = NULL WHERE name = ?1", (name,)).await
}
