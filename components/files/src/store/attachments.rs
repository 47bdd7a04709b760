//! The SQL of files.

use serde::Deserialize;
use serde_json::Value;
use shared::db::{Changes, Json, OnUnique};
use shared::error::OrNotFound;
use shared::files::{Area, Attachment, MAX_NAME_CHARS, OnDuplicate};
use shared::ids::{AttachmentId, FolderId, UserId};
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::pagination::Page;
use shared::params::SearchTerm;
use shared::{Db, Error, Paged, Result, Timestamp, clock, db};

use crate::model::uploaders::UserName;
use crate::store::NEXT_NUMBER;
use crate::store::folders::{is_open_sql, open_folders_sql, with_those_above};
use crate::store::needs::Owned;

/// A file as it is stored, and the folder it lies in.
#[derive(Deserialize)]
pub(crate) struct StoredFile {
    file: Json<Attachment>,
    folder: Option<Json<FolderOfFile>>,
}

#[derive(Deserialize)]
struct FolderOfFile {
    for_submissions: bool,
    locked_above: bool,
}

/// What stands behind the last dot of a name is no ending where it is as long as this.
const LONGEST_ENDING: usize = 100;

/// The condition that a file was not handed in, for the moment at which it is changed: when it was looked up, another request may
/// have been about to hand it in.
const IS_CHANGEABLE: &str = "NOT EXISTS (
        SELECT 1 FROM folders handed_in WHERE handed_in.id = attachments.folder_id AND handed_in.for_submissions)";

impl StoredFile {
    /// The file itself.
    pub(crate) fn file(&self) -> &Attachment {
        &self.file.0
    }

    /// True if the file, or a folder above it, is closed to students.
    pub(crate) fn is_closed(&self, now: Timestamp) -> bool {
        let is_in_closed =
            self.file().folder_id.is_some() && self.folder.as_ref().is_none_or(|Json(folder)| folder.locked_above);
        is_in_closed || self.file().is_locked(now)
    }

    /// 403 where the file was handed in.
    pub(crate) fn require_changeable(&self) -> Result<()> {
        let was_handed_in = self.folder.as_ref().is_some_and(|Json(folder)| folder.for_submissions);
        if was_handed_in { Err(Error::forbidden()) } else { Ok(()) }
    }
}

impl Record for StoredFile {
    const IDS: &'static [&'static str] = &["files"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let file = db::json_object::<Attachment>()?;
        let folder = nested::<FolderOfFile>(&format!(
            "{} SELECT f.for_submissions, w.locked_above FROM whole w JOIN folders f ON f.id = w.id",
            with_those_above("f.id = attachments.folder_id")
        ))?;
        let sql = format!(
            "SELECT {file} AS file, {folder} AS folder FROM attachments WHERE id = ?2 AND workflow_state = 'available'"
        );
        Ok(Lookup::new(sql, (clock::now(), path.id::<AttachmentId>("files")?)))
    }
}

impl Owned for StoredFile {
    const OWNER: [&'static str; 2] = ["file ->> 'context_type'", "file ->> 'context_id'"];
}

/// The files of an owner that are listed.
pub(crate) struct FileFilter {
    pub(crate) folder: Option<FolderId>,
    pub(crate) search: Option<SearchTerm>,
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
    let is_named = SearchTerm::contained_sql(search.as_ref(), &["display_name"], "?4");
    // `LIKE` would take `%` and `_` of a value for any characters.
    let is_of_type = "content_type = value
               OR substr(content_type, 1, length(value) + 1) = value || '/' COLLATE NOCASE";
    let (is_open, open_folders) = (is_open_sql("attachments", "?8"), open_folders_sql("?1", "?2", "?8"));
    let sql = format!(
        "SELECT {columns} FROM attachments
         WHERE context_type = ?1 AND context_id = ?2 AND workflow_state = 'available' AND folder_id IS NOT NULL
           AND (?3 IS NULL OR folder_id = ?3)
           AND (?4 IS NULL OR {is_named})
           AND (?5 = '[]' OR EXISTS (
               SELECT 1 FROM json_each(?5) WHERE {is_of_type}))
           AND NOT EXISTS (
               SELECT 1 FROM json_each(?6) WHERE {is_of_type})
           AND (?7 OR (
               {is_open} AND folder_id IN ({open_folders})))
         ORDER BY {column} {direction}, id {direction}"
    );
    let list = |texts: Vec<String>| Json(Value::from(texts));
    let binds = (
        area.owner.kind(),
        area.owner.id(),
        folder,
        search.as_ref(),
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
/// refused. What is not named is as it is now, and not as it was when the request came.
pub(crate) async fn update(db: &Db, id: AttachmentId, changes: FileChanges, now: Timestamp) -> Result<Attachment> {
    let FileChanges { name, folder, on_duplicate, visibility } = changes;
    let (new_name, new_folder) = ("ifnull(?2, attachments.display_name)", "ifnull(?3, attachments.folder_id)");
    let free_name = match on_duplicate {
        Some(OnDuplicate::Rename) => free_name_sql(new_name, new_folder, "attachments.id"),
        Some(OnDuplicate::Overwrite) | None => new_name.to_owned(),
    };
    let assignments = Changes::assignments(4, &["locked", "hidden"], &["lock_at", "unlock_at"]);
    let columns = Attachment::COLUMNS;
    let sql = format!(
        "UPDATE attachments SET display_name = {free_name}, folder_id = {new_folder}, {assignments},
             updated_at = ?5
         WHERE id = ?1 AND workflow_state = 'available' AND {IS_CHANGEABLE}
           AND (?3 IS NULL OR EXISTS (SELECT 1 FROM folders f WHERE f.id = ?3 AND f.workflow_state = 'visible'))
         RETURNING {columns}"
    );
    let overwrites = on_duplicate == Some(OnDuplicate::Overwrite);
    let work = db.transaction_if(overwrites, async |db| {
        if overwrites {
            others_give_way(db, id, name.as_deref(), folder, now).await?;
        }
        let changed = db.fetch(&sql, (id, name, folder, visibility, now)).await;
        changed.on_unique(BY_NAME, name_taken)?.or_not_found()
    });
    work.await
}

const BY_NAME: &str = "attachments.folder_id, attachments.display_name";

fn name_taken() -> Error {
    Error::conflict("file already exists; use on_duplicate='overwrite' or 'rename'")
}

/// Deletes a file, whose bytes go later; 403 where it was handed in.
pub(crate) async fn delete(db: &Db, id: AttachmentId, now: Timestamp) -> Result<()> {
    let sql = format!(
        "UPDATE attachments SET workflow_state = 'deleted', updated_at = ?2 WHERE id = ?1 AND {IS_CHANGEABLE} RETURNING id"
    );
    if db.affects(&sql, (id, now)).await? { Ok(()) } else { Err(Error::forbidden()) }
}

/// Deletes whatever has that name in the folder.
pub(super) async fn give_way(db: &Db, folder: FolderId, name: &str, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE attachments SET workflow_state = 'deleted', updated_at = ?3
         WHERE folder_id = ?1 AND display_name = ?2 COLLATE NOCASE AND workflow_state = 'available'",
        (folder, name, now),
    )
    .await
}

/// Deletes whatever has the name of the file in its folder: those that it is about to have, or else has.
async fn others_give_way(
    db: &Db,
    id: AttachmentId,
    name: Option<&str>,
    folder: Option<FolderId>,
    now: Timestamp,
) -> db::Result<()> {
    let sql = format!(
        "UPDATE attachments SET workflow_state = 'deleted', updated_at = ?4
         WHERE id <> ?1 AND workflow_state = 'available'
           AND folder_id = ifnull(?3, (SELECT folder_id FROM attachments WHERE id = ?1))
           AND display_name = ifnull(?2, (SELECT display_name FROM attachments WHERE id = ?1)) COLLATE NOCASE
           AND {IS_CHANGEABLE}"
    );
    db.execute(&sql, (id, name, folder, now)).await
}

/// The name, or the first of `name-1`, `name-2`, … that no other file in the folder has.
pub(super) async fn free_name(db: &Db, folder: FolderId, name: &str) -> db::Result<String> {
    #[derive(Deserialize)]
    struct Free {
        name: String,
    }
    let sql = format!("SELECT {} AS name", free_name_sql("?1", "?2", "NULL"));
    let free: Free = db.fetch_one(&sql, (name, folder)).await?;
    Ok(free.name)
}

/// The same as an expression, of expressions of the name, of the folder and of the id of the file that is not counted. What
/// is counted stands before the name's ending, and takes the place of the last letters of a name that would be too long with it.
fn free_name_sql(name: &str, folder: &str, but: &str) -> String {
    // Beside the stem there is room for a hyphen, the longest of what is counted, and the dot of the ending.
    let kept = MAX_NAME_CHARS - 18;
    format!(
        "(WITH RECURSIVE wanted (name, folder, stem, ending) AS (
              SELECT name, folder, substr(name, 1, iif(dot > 1, min(dot - 1, {kept} - (length(name) - dot)), {kept})),
                     iif(dot > 1, substr(name, dot), '')
              FROM (SELECT name, folder, iif(length(name) - dot < {LONGEST_ENDING}, dot, 0) AS dot
                    FROM (SELECT name, folder, length(rtrim(name, replace(name, '.', ''))) AS dot
                          FROM (SELECT {name} AS name, {folder} AS folder)))
          ), tried (number, name) AS (
              SELECT 0, name FROM wanted
              UNION ALL
              SELECT number + 1, w.stem || '-' || {NEXT_NUMBER} || w.ending
              FROM tried CROSS JOIN wanted w
              WHERE EXISTS (
                  SELECT 1 FROM attachments other
                  WHERE other.folder_id = w.folder AND other.display_name = tried.name COLLATE NOCASE
                    AND other.workflow_state = 'available' AND other.id IS NOT {but})
          )
          SELECT name FROM tried ORDER BY number DESC LIMIT 1)"
    )
}
