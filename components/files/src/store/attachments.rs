//! The SQL of files.

use serde::Deserialize;
use serde_json::Value;
use shared::db::{Changes, Json};
use shared::error::OrNotFound;
use shared::files::{self, Area, Attachment, OnDuplicate};
use shared::ids::{AttachmentId, FolderId, UserId};
use shared::pagination::Page;
use shared::{Db, Error, Paged, Result, Timestamp, db};

use crate::model::uploaders::UserName;

/// The files of an owner that are listed.
pub(crate) struct FileFilter {
    pub(crate) folder: Option<FolderId>,
    pub(crate) search: Option<String>,
    pub(crate) content_types: Vec<String>,
    pub(crate) exclude_content_types: Vec<String>,
    pub(crate) order: Order,
}

/// The column that files are sorted by, and the direction.
pub(crate) struct Order(&'static str, &'static str);

impl Order {
    /// A parameter that is not known is left as it is: by name, upwards.
    pub(crate) fn of(sort: Option<&str>, order: Option<&str>) -> Self {
        let column = match sort {
            Some("size") => "size",
            Some("created_at") => "created_at",
            Some("updated_at") => "updated_at",
            Some("content_type") => "content_type",
            Some("user") => "user_id",
            _ => "display_name COLLATE NOCASE",
        };
        Self(column, if order == Some("desc") { "DESC" } else { "ASC" })
    }
}

/// The changes of a file that a request names; all else stays.
pub(crate) struct FileChanges {
    pub(crate) name: Option<String>,
    pub(crate) folder: Option<FolderId>,
    pub(crate) on_duplicate: Option<OnDuplicate>,
    /// `locked`, `hidden`, `lock_at`, `unlock_at`.
    pub(crate) visibility: Changes,
}

/// The owner's files that the caller sees.
pub(crate) async fn list(
    db: &Db,
    area: &Area,
    which: FileFilter,
    page: &Page,
    now: Timestamp,
) -> Result<Paged<Attachment>> {
    let FileFilter { folder, search, content_types, exclude_content_types, order: Order(column, direction) } = which;
    let columns = Attachment::COLUMNS;
    let sql = format!(
        "SELECT {columns} FROM attachments
         WHERE context_type = ?1 AND context_id = ?2 AND workflow_state = 'available' AND folder_id IS NOT NULL
           AND (?3 IS NULL OR folder_id = ?3)
           AND (?4 IS NULL OR instr(lower(display_name), lower(?4)) > 0)
           AND (?5 = '[]' OR EXISTS (
               SELECT 1 FROM json_each(?5) WHERE content_type = value OR content_type LIKE value || '/%'))
           AND NOT EXISTS (
               SELECT 1 FROM json_each(?6) WHERE content_type = value OR content_type LIKE value || '/%')
           AND (?7 OR (
               NOT hidden AND NOT locked AND ifnull(lock_at > ?8, 1) AND ifnull(unlock_at <= ?8, 1)
               AND folder_id IN (
                   WITH RECURSIVE open (id) AS (
                       SELECT id FROM folders
                       WHERE context_type = ?1 AND context_id = ?2 AND parent_folder_id IS NULL
                         AND workflow_state = 'visible' AND NOT hidden AND NOT locked
                         AND ifnull(lock_at > ?8, 1) AND ifnull(unlock_at <= ?8, 1)
                       UNION ALL
                       SELECT f.id FROM open CROSS JOIN folders f ON f.parent_folder_id = open.id
                       WHERE f.workflow_state = 'visible' AND NOT f.hidden AND NOT f.locked
                         AND ifnull(f.lock_at > ?8, 1) AND ifnull(f.unlock_at <= ?8, 1)
                   )
                   SELECT id FROM open)))
         ORDER BY {column} {direction}, id {direction}"
    );
    let list = |texts: Vec<String>| Json(Value::from(texts));
    let binds = (
        area.owner.kind(),
        area.owner.id(),
        folder,
        search,
        list(content_types),
        list(exclude_content_types),
        area.sees_all,
        now,
    );
    page.fetch(db, &sql, binds).await
}

/// The names of users.
pub(crate) async fn names(db: &Db, ids: Vec<UserId>) -> db::Result<Vec<UserName>> {
    db.fetch_all("SELECT id, short_name FROM users WHERE id IN (SELECT value FROM json_each(?1))", (Json(ids),)).await
}

/// Changes a file. Where there is one of its name in the folder, that gives way, or the file gets another name, or it is
/// refused.
pub(crate) async fn update(db: &Db, id: AttachmentId, changes: FileChanges, now: Timestamp) -> Result<Attachment> {
    let FileChanges { name, folder, on_duplicate, visibility } = changes;
    let work = db.transaction(async |db| {
        // As it is now, and not as it was when the request came.
        let file = files::attachment(db, id).await?.or_not_found()?;
        let folder = folder.or(file.folder_id);
        let name = name.unwrap_or(file.display_name);
        let name = match (folder, on_duplicate) {
            (Some(folder), Some(OnDuplicate::Overwrite)) => {
                give_way(db, folder, &name, Some(id), now).await?;
                name
            }
            (Some(folder), Some(OnDuplicate::Rename)) => free_name(db, folder, &name, Some(id)).await?,
            (Some(folder), None) if is_taken(db, folder, &name, id).await? => {
                return Err(Error::conflict("file already exists; use on_duplicate='overwrite' or 'rename'"));
            }
            _ => name,
        };
        let [locked, hidden] = ["locked", "hidden"].map(|column| Changes::required(column, 4));
        let [lock_at, unlock_at] = ["lock_at", "unlock_at"].map(|column| Changes::nullable(column, 4));
        let columns = Attachment::COLUMNS;
        let sql = format!(
            "UPDATE attachments SET display_name = ?2, folder_id = ?3, {locked}, {hidden}, {lock_at}, {unlock_at},
                 updated_at = ?5
             WHERE id = ?1 RETURNING {columns}"
        );
        Ok(db.fetch_one(&sql, (id, name, folder, visibility, now)).await?)
    });
    work.await
}

/// Deletes a file. Its bytes go later.
pub(crate) async fn delete(db: &Db, id: AttachmentId, now: Timestamp) -> db::Result<()> {
    db.execute("UPDATE attachments SET workflow_state = 'deleted', updated_at = ?2 WHERE id = ?1", (id, now)).await
}

/// Deletes whatever has that name in the folder.
pub(super) async fn give_way(
    db: &Db,
    folder: FolderId,
    name: &str,
    but: Option<AttachmentId>,
    now: Timestamp,
) -> db::Result<()> {
    db.execute(
        "UPDATE attachments SET workflow_state = 'deleted', updated_at = ?4
         WHERE folder_id = ?1 AND display_name = ?2 COLLATE NOCASE AND workflow_state = 'available' AND id IS NOT ?3",
        (folder, name, but, now),
    )
    .await
}

/// The name, or the first of `name-1`, `name-2`, … that no other file in the folder has.
pub(super) async fn free_name(db: &Db, folder: FolderId, name: &str, but: Option<AttachmentId>) -> db::Result<String> {
    #[derive(Deserialize)]
    struct Free {
        name: String,
    }
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
    let free: Free = db
        .fetch_one(
            "WITH RECURSIVE tried (number, name) AS (
                 SELECT 0, ?2
                 UNION ALL
                 SELECT number + 1, ?3 || '-' || (number + 1) || ?4 FROM tried
                 WHERE EXISTS (
                     SELECT 1 FROM attachments
                     WHERE folder_id = ?1 AND display_name = tried.name COLLATE NOCASE
                       AND workflow_state = 'available' AND id IS NOT ?5)
             )
             SELECT name FROM tried ORDER BY number DESC LIMIT 1",
            (folder, name, stem, extension, but),
        )
        .await?;
    Ok(free.name)
}

async fn is_taken(db: &Db, folder: FolderId, name: &str, but: AttachmentId) -> db::Result<bool> {
    db.affects(
        "SELECT id FROM attachments
         WHERE folder_id = ?1 AND display_name = ?2 COLLATE NOCASE AND workflow_state = 'available' AND id <> ?3",
        (folder, name, but),
    )
    .await
}
