//! The SQL of folders.

use serde::Deserialize;
use shared::clock::HOUR;
use shared::db::{Changes, Json, OnUnique};
use shared::files::{self, Area, MAX_FOLDER_DEPTH, Owner, root_folder_sql};
use shared::ids::FolderId;
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::pagination::Page;
use shared::prefetch::{List, Pages};
use shared::{Db, Error, LimitKind, Paged, Result, Timestamp, clock, db};

use crate::store::needs::Owned;

/// The most folders of a course, a group or a user.
const MAX_FOLDERS: i64 = 5_000;
/// The most folders that are made for a course, a group or a user within an hour, those included that are gone since.
const MAX_MADE: i64 = 5_000;
/// After so many seconds somebody may look again.
const WAIT: i64 = 60;

/// A folder, and what follows from those above it.
#[derive(Deserialize)]
pub(crate) struct Folder {
    pub(crate) id: FolderId,
    pub(crate) context_type: String,
    pub(crate) context_id: i64,
    pub(crate) parent_folder_id: Option<FolderId>,
    pub(crate) name: String,
    pub(crate) full_name: String,
    pub(crate) position: Option<i64>,
    pub(crate) locked: bool,
    pub(crate) hidden: bool,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) for_submissions: bool,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) files_count: i64,
    pub(crate) folders_count: i64,
    /// True if it, or one above it, is locked now.
    pub(crate) locked_above: bool,
    /// True if students do not see it: locked or hidden, or below one that is.
    pub(crate) closed: bool,
}

/// The fields of a new folder.
pub(crate) struct NewFolder {
    pub(crate) name: String,
    pub(crate) locked: bool,
    pub(crate) hidden: bool,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) position: Option<i64>,
}

/// Folders as rows `whole` with what follows from those above them: `?1` is the moment, and `{which}` says which.
pub(super) fn with_those_above(which: &str) -> String {
    let locked = "f.locked OR ifnull(f.lock_at <= ?1, 0) OR ifnull(f.unlock_at > ?1, 0)";
    format!(
        "WITH RECURSIVE up (id, above, depth, full_name, locked_above, closed) AS (
             SELECT f.id, f.parent_folder_id, 0, f.name, {locked}, {locked} OR f.hidden
             FROM folders f WHERE f.workflow_state = 'visible' AND {which}
             UNION ALL
             SELECT up.id, f.parent_folder_id, up.depth + 1, f.name || '/' || up.full_name,
                    up.locked_above OR {locked}, up.closed OR {locked} OR f.hidden
             FROM up JOIN folders f ON f.id = up.above
         ), whole AS (
             SELECT id, depth, full_name, locked_above, closed FROM up WHERE above IS NULL
         )"
    )
}

/// The same with all columns of a [`Folder`].
fn select(which: &str) -> String {
    let folders = with_those_above(which);
    format!(
        "{folders}
         SELECT f.id, f.context_type, f.context_id, f.parent_folder_id, f.name, w.full_name, f.position, f.locked,
                f.hidden, f.lock_at, f.unlock_at, f.for_submissions, f.created_at, f.updated_at,
                (SELECT count(*) FROM attachments a
                 WHERE a.folder_id = f.id AND a.workflow_state = 'available') AS files_count,
                (SELECT count(*) FROM folders c
                 WHERE c.parent_folder_id = f.id AND c.workflow_state = 'visible') AS folders_count,
                w.locked_above, w.closed
         FROM whole w JOIN folders f ON f.id = w.id"
    )
}

impl Folder {
    /// Its owner.
    pub(crate) fn owner(&self) -> Option<Owner> {
        Owner::of(&self.context_type, self.context_id)
    }

    /// 403 unless the caller, who has these rights to the files of its owner, may see what is in it.
    pub(crate) fn require_read(&self, area: &Area) -> Result<()> {
        area.require_read()?;
        if area.sees_all || !self.closed { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// 403 where its files are handed in.
    pub(crate) fn require_changeable(&self) -> Result<()> {
        if self.for_submissions { Err(Error::forbidden()) } else { Ok(()) }
    }
}

impl Record for Folder {
    const IDS: &'static [&'static str] = &["folders"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Lookup::new(select("f.id = ?2"), (clock::now(), path.id::<FolderId>("folders")?)))
    }
}

impl Owned for Folder {
    const OWNER: [&'static str; 2] = ["context_type", "context_id"];
}

/// The folders from the root down to the one of the path.
pub(crate) struct FoldersDownTo;

impl List for FoldersDownTo {
    type Row = Folder;
    const PAGES: Pages = Pages::Whole;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let which = "f.id IN (
            WITH RECURSIVE passed (id) AS (
                SELECT ?2
                UNION ALL
                SELECT f.parent_folder_id FROM passed JOIN folders f ON f.id = passed.id
                WHERE f.parent_folder_id IS NOT NULL
            )
            SELECT id FROM passed)";
        let sql = format!("{} ORDER BY w.depth", select(which));
        Ok(Lookup::new(sql, (clock::now(), path.id::<FolderId>("folders")?)))
    }
}

pub(crate) async fn folder(db: &Db, id: FolderId, now: Timestamp) -> db::Result<Option<Folder>> {
    db.fetch(&select("f.id = ?2"), (now, id)).await
}

/// The root of the owner's folders, if it was made.
pub(crate) async fn root(db: &Db, owner: Owner, now: Timestamp) -> db::Result<Option<Folder>> {
    let root = format!("f.id = ({})", root_folder_sql("?2", "?3"));
    db.fetch(&select(&root), (now, owner.kind(), owner.id())).await
}

/// The owner's folders that the caller sees: all of them, or those in one.
pub(crate) async fn list(
    db: &Db,
    area: &Area,
    parent: Option<FolderId>,
    page: &Page,
    now: Timestamp,
) -> Result<Paged<Folder>> {
    #[derive(Deserialize)]
    struct Listed {
        folder: Json<Folder>,
    }
    // With its limit the list is put in order by itself, so that only the folders of the page are looked at.
    let folder = nested::<Folder>(&select("f.id = listed.id"))?;
    let sql = format!(
        "SELECT {folder} AS folder FROM (
             SELECT f.id FROM folders f
             WHERE f.context_type = ?2 AND f.context_id = ?3 AND f.workflow_state = 'visible'
               AND (?4 IS NULL OR f.parent_folder_id = ?4) AND (?5 OR f.id IN ({}))
             ORDER BY f.position, f.name COLLATE NOCASE, f.id LIMIT -1
         ) listed",
        open_folders_sql("?2", "?3", "?1")
    );
    let listed: Paged<Listed> =
        page.fetch(db, &sql, (now, area.owner.kind(), area.owner.id(), parent, area.sees_all)).await?;
    Ok(listed.map(|Listed { folder: Json(folder) }| folder))
}

/// The ids of an owner's folders that students see at a moment: from the root down to where one is locked or hidden.
pub(super) fn open_folders_sql(kind: &str, id: &str, now: &str) -> String {
    let is_open = format!("f.workflow_state = 'visible' AND {}", is_open_sql("f", now));
    format!(
        "WITH RECURSIVE open (id) AS (
             SELECT f.id FROM folders f
             WHERE f.context_type = {kind} AND f.context_id = {id} AND f.parent_folder_id IS NULL AND {is_open}
             UNION ALL
             SELECT f.id FROM open CROSS JOIN folders f ON f.parent_folder_id = open.id WHERE {is_open}
         )
         SELECT id FROM open"
    )
}

/// The condition that a file or a folder is open to students at a moment, but for the folders above it.
pub(super) fn is_open_sql(record: &str, now: &str) -> String {
    format!(
        "NOT {record}.hidden AND NOT {record}.locked
           AND ifnull({record}.lock_at > {now}, 1) AND ifnull({record}.unlock_at <= {now}, 1)"
    )
}

/// The folder at a path below the owner's root. Missing ones are made: all of them, or none where they are too many.
pub(crate) async fn at_path(db: &Db, area: &Area, path: &str, now: Timestamp) -> Result<FolderId> {
    let work = db.transaction(async |db| {
        let before = room(db, area.owner, now).await?;
        let folder = files::folder_at(db, area.root_account, area.owner, path, now).await?;
        let after = room(db, area.owner, now).await?;
        if after.folders == before.folders {
            return Ok(folder);
        }
        Room { folders: after.folders - 1, ..before }.require()?;
        Ok(folder)
    });
    work.await
}

/// The room that an owner has for folders.
#[derive(Clone, Copy, Deserialize)]
struct Room {
    folders: i64,
    made_too_many: bool,
}

impl Room {
    /// Refuses one more where there is no room for it.
    fn require(self) -> Result<()> {
        if self.folders >= MAX_FOLDERS {
            let message = format!("There would be more than {MAX_FOLDERS} folders");
            return Err(Error::invalid("base", "too_many", message));
        }
        if self.made_too_many { Err(Error::throttled(LimitKind::Uploads, WAIT)) } else { Ok(()) }
    }
}

async fn room(db: &Db, owner: Owner, now: Timestamp) -> db::Result<Room> {
    let (folders, made_too_many) = (count_sql("?1", "?2"), made_too_many_sql("?1", "?2", "?3"));
    let sql = format!("SELECT {folders} AS folders, {made_too_many} AS made_too_many");
    db.fetch_one(&sql, (owner.kind(), owner.id(), now.plus_seconds(-HOUR))).await
}

/// True if as many folders as may be made within an hour were made since that moment, as an expression: ids are in the order of
/// their making.
fn made_too_many_sql(kind: &str, id: &str, hour_ago: &str) -> String {
    format!(
        "ifnull((SELECT recent.created_at FROM folders recent
                 WHERE recent.context_type = {kind} AND recent.context_id = {id}
                 ORDER BY recent.id DESC LIMIT 1 OFFSET {MAX_MADE} - 1) > {hour_ago}, 0)"
    )
}

/// The number of the folders of an owner, as an expression.
fn count_sql(kind: &str, id: &str) -> String {
    format!(
        "(SELECT count(*) FROM folders counted
          WHERE counted.context_type = {kind} AND counted.context_id = {id} AND counted.workflow_state = 'visible')"
    )
}

/// Makes a folder in `parent`, or else in the root; nothing where that is not there. Refused where the owner has no room for one
/// more.
pub(crate) async fn insert(
    db: &Db,
    area: &Area,
    parent: Option<FolderId>,
    new: &NewFolder,
    now: Timestamp,
) -> Result<Option<Folder>> {
    let sql = format!(
        "INSERT INTO folders (root_account_id, context_type, context_id, parent_folder_id, name, position, locked,
             hidden, lock_at, unlock_at, created_at, updated_at)
         SELECT ?2, ?3, ?4, p.id, ?6, ?7, ?8, ?9, ?10, ?11, ?1, ?1 FROM folders p
         WHERE p.id = ifnull(?5, ({})) AND p.workflow_state = 'visible' AND {} < ?12 AND NOT {}",
        root_folder_sql("?3", "?4"),
        count_sql("?3", "?4"),
        made_too_many_sql("?3", "?4", "?13")
    );
    let binds = (
        now,
        area.root_account,
        area.owner.kind(),
        area.owner.id(),
        parent,
        &new.name,
        new.position,
        new.locked,
        new.hidden,
        new.lock_at,
        new.unlock_at,
        MAX_FOLDERS,
        now.plus_seconds(-HOUR),
    );
    let made = db.write_and_read(&sql, &select(THE_WRITTEN), binds).await.on_unique(BY_NAME, name_taken)?;
    if made.is_none() {
        room(db, area.owner, now).await?.require()?;
    }
    Ok(made)
}

/// Changes a folder, and moves it where `parent` is given. It does not go into itself, or below itself, and not so deep that
/// what is in it would lie too deep.
pub(crate) async fn update(
    db: &Db,
    id: FolderId,
    parent: Option<FolderId>,
    changes: Changes,
    now: Timestamp,
) -> Result<Folder> {
    let deepest = i64::try_from(MAX_FOLDER_DEPTH).map_err(Error::internal)?;
    let assignments = Changes::assignments(3, &["name", "locked", "hidden"], &["lock_at", "unlock_at", "position"]);
    let sql = format!(
        "WITH RECURSIVE below (id, depth) AS (
             SELECT ?2, 1
             UNION ALL
             SELECT f.id, below.depth + 1 FROM folders f JOIN below ON f.parent_folder_id = below.id
             WHERE f.workflow_state = 'visible'
         ), above (id) AS (
             SELECT ?4 WHERE ?4 IS NOT NULL
             UNION ALL
             SELECT f.parent_folder_id FROM folders f JOIN above ON f.id = above.id
             WHERE f.parent_folder_id IS NOT NULL
         )
         UPDATE folders SET {assignments}, parent_folder_id = ifnull(?4, parent_folder_id), updated_at = ?1
         WHERE id = ?2 AND workflow_state = 'visible' AND NOT for_submissions
           AND (?4 IS NULL OR ?4 IS parent_folder_id
                OR (EXISTS (SELECT 1 FROM folders f WHERE f.id = ?4 AND f.workflow_state = 'visible')
                    AND ?4 NOT IN (SELECT id FROM below)
                    AND (SELECT max(depth) FROM below) + (SELECT count(*) FROM above) <= ?5))"
    );
    let changed = db.write_and_read(&sql, &select(THE_WRITTEN), (now, id, changes, parent, deepest)).await;
    changed.on_unique(BY_NAME, name_taken)?.ok_or_else(|| {
        let message = format!("must not lie below the folder itself, and nothing more than {MAX_FOLDER_DEPTH} deep");
        Error::invalid("parent_folder_id", "invalid", message)
    })
}

/// Deletes a folder; with what is in it if that is forced. False where there is something in it and it is not. What was handed in
/// meanwhile stays.
pub(crate) async fn delete(db: &Db, id: FolderId, force: bool, now: Timestamp) -> db::Result<bool> {
    const BELOW: &str = "WITH RECURSIVE below (id) AS (
            SELECT id FROM folders WHERE id = ?1 AND NOT for_submissions
            UNION ALL
            SELECT f.id FROM folders f JOIN below ON f.parent_folder_id = below.id WHERE NOT f.for_submissions
        )";
    let work = db.transaction(async |db| {
        let full = "SELECT 1 AS full FROM attachments WHERE folder_id = ?1 AND workflow_state = 'available'
            UNION ALL
            SELECT 1 FROM folders WHERE parent_folder_id = ?1 AND workflow_state = 'visible'";
        if !force && db.affects(full, (id,)).await? {
            return Ok(false);
        }
        let files = "UPDATE attachments SET workflow_state = 'deleted', updated_at = ?2
            WHERE folder_id IN below AND workflow_state = 'available'";
        db.execute(&format!("{BELOW} {files}"), (id, now)).await?;
        let folders = "UPDATE folders SET workflow_state = 'deleted', updated_at = ?2 WHERE id IN below";
        db.execute(&format!("{BELOW} {folders}"), (id, now)).await?;
        Ok::<_, db::Error>(true)
    });
    work.await
}

/// The folder that a statement has written, see [`Db::write_and_read`].
const THE_WRITTEN: &str = "f.id = folders.id";
const BY_NAME: &str = "folders.parent_folder_id, folders.name";

fn name_taken() -> Error {
    Error::invalid("name", "taken", "has already been taken")
}
