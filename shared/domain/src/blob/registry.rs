//! The records of blobs: a row for each, written before the first byte and deleted after the last. So no byte is stored
//! that nobody knows of, and the total of all of them is exact, whatever a crash cuts off.
//!
//! A row is in one of three states: it is written to, or kept because something names it (`touched_at` is the time of the last
//! word about it); or it is marked (`removing`), which is never taken back, and `touched_at` is the time from which on the
//! tick deletes its keys and then the row. A mark may put that time off, and never brings it forward.

use database::Db;
use serde::Deserialize;
use types::clock::{self, Timestamp};
use web::config;
use web::error::{Error, Result};

/// The most megabytes of blobs that the installation keeps; empty: no limit.
const LIMIT: &str = "storage_limit_megabytes";
const MEGABYTE: i64 = 1024 * 1024;

/// The columns that name a blob `b`: a part of SQL for each column that does, and true where the name is written after the
/// blob's last byte. Whoever adds such a column adds it here, or the bytes are taken for left behind, and removed.
const NAMED_BY: [(&str, bool); 7] = [
    ("SELECT 1 FROM attachments WHERE blob = b.name", true),
    ("SELECT 1 FROM uploads WHERE blob = b.name", false),
    ("SELECT 1 FROM media_objects WHERE blob = b.name", true),
    ("SELECT 1 FROM sis_imports WHERE upload = b.name", false),
    ("SELECT 1 FROM sis_import_files WHERE blob = b.name", true),
    ("SELECT 1 FROM sis_imports WHERE errors_blob = b.name", true),
    ("SELECT 1 FROM badge_images WHERE b.name GLOB 'badge-images/*' AND name = substr(b.name, 14)", true),
];

/// The condition that something names the blob `b`.
fn is_named() -> String {
    is_named_by(|_| true)
}

/// The condition that something names the blob `b` which was written after its last byte.
fn is_whole() -> String {
    is_named_by(|is_whole| is_whole)
}

fn is_named_by(is_meant: impl Fn(bool) -> bool) -> String {
    let by = NAMED_BY.into_iter().filter(|(_, is_whole)| is_meant(*is_whole));
    by.map(|(by, _)| format!("EXISTS ({by})")).collect::<Vec<_>>().join(" OR ")
}

/// The rows of blobs, as writers and those who remove see them.
pub(super) trait Rows {
    /// Sets so many bytes aside for a new blob. False where there is no room.
    async fn insert(&self, name: &str, bytes: usize, now: Timestamp) -> Result<bool>;
    /// Sets so many bytes aside instead of those before. False where there is no room, or the blob is being removed.
    async fn resize(&self, name: &str, bytes: usize, now: Timestamp) -> Result<bool>;
    /// Notes that somebody still writes to the blob. False where it is being removed, or gone.
    async fn touch(&self, name: &str, now: Timestamp) -> Result<bool>;
    /// The blob has that size, and no more will be written to it. False where it is being removed, or gone.
    async fn settle(&self, name: &str, bytes: usize, now: Timestamp) -> Result<bool>;
    /// Marks the blob: from now on nothing can name it, and from `due` on the tick removes it. Answers the size that is known.
    async fn mark(&self, name: &str, due: Timestamp) -> Result<Option<usize>>;
    /// The same for a blob that no record names which is written after the last byte.
    async fn mark_unless_named(&self, name: &str, due: Timestamp) -> Result<Option<usize>>;
    /// The same, and there is a row from now on if there was none.
    async fn doubt(&self, name: &str, bytes: usize, due: Timestamp) -> Result<()>;
    /// The keys are gone: so is the row, unless the tick is to look once more.
    async fn forget(&self, name: &str, now: Timestamp) -> Result<()>;
    /// The keys are gone, and nothing comes after that.
    async fn erase(&self, name: &str) -> Result<()>;
}

/// The statements, with their values in the order of the parameters: the name, the size, the time, the limit.
pub(super) mod sql {
    pub(crate) const INSERT: &str = "INSERT INTO blobs (name, size, touched_at)
         SELECT ?1, ?2, ?3 WHERE ?4 IS NULL OR ?4 >= ?2 + (SELECT bytes FROM blob_totals) RETURNING id";
    pub(crate) const RESIZE: &str = "UPDATE blobs SET size = ?2, touched_at = ?3
         WHERE name = ?1 AND NOT removing
           AND (?4 IS NULL OR ?4 >= ?2 - size + (SELECT bytes FROM blob_totals)) RETURNING id";
    pub(crate) const TOUCH: &str = "UPDATE blobs SET touched_at = ?2 WHERE name = ?1 AND NOT removing RETURNING id";
    pub(crate) const SETTLE: &str = "UPDATE blobs SET size = ?2, touched_at = ?3
         WHERE name = ?1 AND NOT removing RETURNING id";
    const MARK: &str = "UPDATE blobs AS b
         SET touched_at = iif(b.removing, max(b.touched_at, ?2), ?2), removing = 1 WHERE b.name = ?1";
    pub(crate) const DOUBT: &str = "INSERT INTO blobs (name, size, touched_at, removing) VALUES (?1, ?2, ?3, 1)
         ON CONFLICT (name) DO UPDATE SET size = max(blobs.size, excluded.size), removing = 1,
             touched_at = iif(blobs.removing, max(blobs.touched_at, excluded.touched_at), excluded.touched_at)";
    pub(crate) const FORGET: &str = "DELETE FROM blobs WHERE name = ?1 AND removing AND touched_at <= ?2";
    pub(crate) const ERASE: &str = "DELETE FROM blobs WHERE name = ?1";
    /// A blob `b` is marked, and its time has come.
    pub(crate) const IS_DUE: &str = "b.removing AND b.touched_at <= ?2";

    /// Marks a blob, and answers its size.
    pub(crate) fn mark() -> String {
        format!("{MARK} RETURNING size")
    }

    /// The same of a blob that no record names which is written after the last byte.
    pub(crate) fn mark_unless_named() -> String {
        format!("{MARK} AND NOT ({}) RETURNING size", super::is_whole())
    }
}

/// The rows in the database.
#[derive(Clone, Copy)]
pub(super) struct Registry;

#[derive(Deserialize)]
struct SizeRow {
    size: usize,
}

impl Rows for Registry {
    async fn insert(&self, name: &str, bytes: usize, now: Timestamp) -> Result<bool> {
        Ok(Db::default().affects(sql::INSERT, (name, count(bytes)?, now, limit_bytes().await?)).await?)
    }

    async fn resize(&self, name: &str, bytes: usize, now: Timestamp) -> Result<bool> {
        Ok(Db::default().affects(sql::RESIZE, (name, count(bytes)?, now, limit_bytes().await?)).await?)
    }

    async fn touch(&self, name: &str, now: Timestamp) -> Result<bool> {
        Ok(Db::default().affects(sql::TOUCH, (name, now)).await?)
    }

    async fn settle(&self, name: &str, bytes: usize, now: Timestamp) -> Result<bool> {
        Ok(Db::default().affects(sql::SETTLE, (name, count(bytes)?, now)).await?)
    }

    async fn mark(&self, name: &str, due: Timestamp) -> Result<Option<usize>> {
        marked(&sql::mark(), name, due).await
    }

    async fn mark_unless_named(&self, name: &str, due: Timestamp) -> Result<Option<usize>> {
        marked(&sql::mark_unless_named(), name, due).await
    }

    async fn doubt(&self, name: &str, bytes: usize, due: Timestamp) -> Result<()> {
        Ok(Db::default().execute(sql::DOUBT, (name, count(bytes)?, due)).await?)
    }

    async fn forget(&self, name: &str, now: Timestamp) -> Result<()> {
        Ok(Db::default().execute(sql::FORGET, (name, now)).await?)
    }

    async fn erase(&self, name: &str) -> Result<()> {
        Ok(Db::default().execute(sql::ERASE, (name,)).await?)
    }
}

/// Marks a blob by that statement, and answers its size if it did.
async fn marked(sql: &str, name: &str, due: Timestamp) -> Result<Option<usize>> {
    let blob: Option<SizeRow> = Db::default().fetch(sql, (name, due)).await?;
    Ok(blob.map(|blob| blob.size))
}

/// Refuses the request where there is no room for a single byte more.
pub(super) async fn require_room() -> Result<()> {
    let Some(limit) = limit_bytes().await? else { return Ok(()) };
    let sql = "SELECT 1 FROM blob_totals WHERE bytes < ?1";
    if Db::default().affects(sql, (limit,)).await? { Ok(()) } else { Err(full()) }
}

/// Sees to it that the bytes stay, in the transaction that names them. An error where they were taken for left behind.
pub async fn keep(db: &Db, name: &str) -> database::Result<()> {
    if db.affects(sql::TOUCH, (name, clock::now())).await? { Ok(()) } else { Err(database::Error::NoRow) }
}

/// The same for many blobs, in one statement.
pub async fn keep_all(db: &Db, names: &[String]) -> database::Result<()> {
    #[derive(Deserialize)]
    struct CountRow {
        count: usize,
    }
    const KEPT: &str = "name IN (SELECT value FROM json_each(?1)) AND NOT removing";
    let touch = format!("UPDATE blobs SET touched_at = ?2 WHERE {KEPT}");
    db.execute(&touch, (database::Json(names), clock::now())).await?;
    let count = format!("SELECT count(*) AS count FROM blobs WHERE {KEPT}");
    let kept: CountRow = db.fetch_one(&count, (database::Json(names),)).await?;
    if kept.count == names.len() { Ok(()) } else { Err(database::Error::NoRow) }
}

/// A blob under a folder of names.
#[derive(Deserialize)]
pub(super) struct Below {
    pub(super) name: String,
    /// True if a record names it that is written after its last byte.
    pub(super) is_whole: bool,
}

/// The blobs under a folder of names.
pub(super) async fn below(folder: &str) -> Result<Vec<Below>> {
    let is_whole = is_whole();
    let sql =
        format!("SELECT b.name, {is_whole} AS is_whole FROM blobs b WHERE b.name >= ?1 || '/' AND b.name < ?1 || '0'");
    Ok(Db::default().fetch_all(&sql, (folder,)).await?)
}

/// A blob that is to be removed, with no less than the bytes that are stored of it.
#[derive(Deserialize)]
pub(super) struct Unnamed {
    pub(super) name: String,
    pub(super) size: usize,
}

/// The findings in a part of the blobs.
pub(super) struct Search {
    /// The blobs that are to be removed.
    pub(super) unnamed: Vec<Unnamed>,
    /// True if this was the last part: the next search begins at the first blob.
    pub(super) ended: bool,
}

/// Looks at the next `most` blobs: at those that are marked and due, and at those that nothing names and nobody has touched
/// since `before`, which are marked. Nothing can name any of them from now on, and the caller removes them.
pub(super) async fn mark_unnamed(before: Timestamp, most: i64) -> Result<Search> {
    #[derive(Deserialize)]
    struct Part {
        blobs: i64,
        last_id: Option<i64>,
    }
    let (now, due, named) = (clock::now(), sql::IS_DUE, is_named());
    let db = Db::default();
    let work = db.transaction(async |db| {
        let part: Part = db
            .fetch_one(
                "SELECT count(*) AS blobs, max(id) AS last_id FROM (
                     SELECT id FROM blobs WHERE id > (SELECT searched_to FROM blob_totals) ORDER BY id LIMIT ?1)",
                (most,),
            )
            .await?;
        let unnamed = format!(
            "SELECT b.name, b.size FROM blobs b
             WHERE b.id > (SELECT searched_to FROM blob_totals) AND b.id <= ?1
               AND ({due} OR (NOT b.removing AND b.touched_at < ?3 AND NOT ({named})))"
        );
        let unnamed: Vec<Unnamed> = db.fetch_all(&unnamed, (part.last_id, now, before)).await?;
        if !unnamed.is_empty() {
            let names: Vec<_> = unnamed.iter().map(|blob| &blob.name).collect();
            let mark = "UPDATE blobs SET removing = 1, touched_at = ?2
                WHERE name IN (SELECT value FROM json_each(?1)) AND NOT removing";
            db.execute(mark, (database::Json(&names), now)).await?;
        }
        let ended = part.blobs < most;
        let next = part.last_id.filter(|_| !ended).unwrap_or_default();
        db.execute("UPDATE blob_totals SET searched_to = ?1 WHERE searched_to <> ?1", (next,)).await?;
        Ok::<_, database::Error>(Search { unnamed, ended })
    });
    Ok(work.await?)
}

fn full() -> Error {
    Error::insufficient_storage()
}

/// The most bytes that all blobs may have together; `None`: there is no limit.
pub async fn limit_bytes() -> Result<Option<i64>> {
    let megabytes = config::optional_number(LIMIT).await?;
    Ok(megabytes.map(|megabytes| MEGABYTE.saturating_mul(megabytes)))
}

fn count(bytes: usize) -> Result<i64> {
    i64::try_from(bytes).map_err(Error::internal)
}
