//! The records of blobs: a row for each, written before the first byte and deleted after the last. So no byte is stored
//! that nobody knows of, and the total of all of them is exact, whatever a crash cuts off.

use database::Db;
use serde::Deserialize;
use types::clock::{self, Timestamp};
use web::config;
use web::error::{Error, Result};

/// The most megabytes of blobs that the installation keeps; empty: no limit.
const LIMIT: &str = "storage_limit_megabytes";
const MEGABYTE: i64 = 1024 * 1024;

/// The columns that name a blob `b`: a part of SQL for each column that does. Whoever adds such a column adds it here,
/// or the bytes are taken for left behind, and removed.
const NAMED_BY: [&str; 6] = [
    "SELECT 1 FROM attachments WHERE blob = b.name",
    "SELECT 1 FROM uploads WHERE blob = b.name",
    "SELECT 1 FROM media_objects WHERE blob = b.name",
    "SELECT 1 FROM sis_imports WHERE upload = b.name",
    "SELECT 1 FROM sis_import_files WHERE blob = b.name",
    "SELECT 1 FROM badge_images WHERE b.name GLOB 'badge-images/*' AND name = substr(b.name, 14)",
];

/// Refuses the request where there is no room for a single byte more.
pub(super) async fn require_room() -> Result<()> {
    let Some(limit) = limit().await? else { return Ok(()) };
    let sql = "SELECT 1 FROM blob_totals WHERE bytes < ?1";
    if Db::default().affects(sql, (limit,)).await? { Ok(()) } else { Err(full()) }
}

/// Sets so many bytes aside for the blob, instead of those that were set aside before. False where there is no room.
pub(super) async fn set_aside(name: &str, bytes: usize) -> Result<bool> {
    let sql = "INSERT INTO blobs (name, size, touched_at)
         SELECT ?1, ?2, ?4
         WHERE ?3 IS NULL OR ?3 >= ?2 + (SELECT bytes FROM blob_totals)
                                   - ifnull((SELECT size FROM blobs WHERE name = ?1), 0)
         ON CONFLICT (name) DO UPDATE SET size = excluded.size, touched_at = excluded.touched_at
         RETURNING id";
    Ok(Db::default().affects(sql, (name, count(bytes)?, limit().await?, clock::now())).await?)
}

/// Notes that somebody still writes to the blob.
pub(super) async fn touch(name: &str) -> Result<()> {
    let sql = "UPDATE blobs SET touched_at = ?2 WHERE name = ?1";
    Ok(Db::default().execute(sql, (name, clock::now())).await?)
}

/// The blob has that size, and no more will be written to it.
pub(super) async fn settle(name: &str, size: usize) -> Result<()> {
    let sql = "UPDATE blobs SET size = ?2, touched_at = ?3 WHERE name = ?1";
    Ok(Db::default().execute(sql, (name, count(size)?, clock::now())).await?)
}

/// No less than the bytes that are stored under the name, if it is known.
pub(super) async fn size(name: &str) -> Result<Option<usize>> {
    #[derive(Deserialize)]
    struct SizeRow {
        size: usize,
    }
    let known: Option<SizeRow> = Db::default().fetch("SELECT size FROM blobs WHERE name = ?1", (name,)).await?;
    Ok(known.map(|known| known.size))
}

/// The bytes are gone.
pub(super) async fn forget(name: &str) -> Result<()> {
    Ok(Db::default().execute("DELETE FROM blobs WHERE name = ?1", (name,)).await?)
}

/// Sees to it that the bytes stay, in the transaction that names them. An error where they were taken for left behind.
pub async fn keep(db: &Db, name: &str) -> database::Result<()> {
    let sql = "UPDATE blobs SET touched_at = ?2 WHERE name = ?1 AND NOT removing RETURNING id";
    if db.affects(sql, (name, clock::now())).await? { Ok(()) } else { Err(database::Error::NoRow) }
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

/// Names under a folder of names, with their sizes.
pub(super) async fn below(folder: &str) -> Result<Vec<String>> {
    let sql = "SELECT name FROM blobs WHERE name >= ?1 || '/' AND name < ?1 || '0'";
    let names: Vec<Name> = Db::default().fetch_all(sql, (folder,)).await?;
    Ok(names.into_iter().map(|found| found.name).collect())
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

/// The findings in a part of the blobs.
pub(super) struct Search {
    /// Names of blobs that are to be removed.
    pub(super) unnamed: Vec<String>,
    /// True if this was the last part: the next search begins at the first blob.
    pub(super) ended: bool,
}

/// Looks at the next `most` blobs, and marks those that nothing names and nobody has touched since `before`: nothing can
/// name them from now on, and the caller removes them.
pub(super) async fn mark_unnamed(before: Timestamp, most: i64) -> Result<Search> {
    #[derive(Deserialize)]
    struct Part {
        blobs: i64,
        last_id: Option<i64>,
    }
    let named = NAMED_BY.map(|by| format!("AND NOT EXISTS ({by})")).join(" ");
    let db = Db::default();
    let work = db.transaction(async |db| {
        let part: Part = db
            .fetch_one(
                "SELECT count(*) AS blobs, max(id) AS last_id FROM (
                     SELECT id FROM blobs WHERE id > (SELECT searched_to FROM blob_totals) ORDER BY id LIMIT ?1)",
                (most,),
            )
            .await?;
        // A blob that was marked before is one whose removal broke off.
        let unnamed = format!(
            "SELECT b.name FROM blobs b
             WHERE b.id > (SELECT searched_to FROM blob_totals) AND b.id <= ?1
               AND (b.removing OR b.touched_at < ?2 {named})"
        );
        let unnamed: Vec<Name> = db.fetch_all(&unnamed, (part.last_id, before)).await?;
        let unnamed: Vec<String> = unnamed.into_iter().map(|found| found.name).collect();
        if !unnamed.is_empty() {
            let mark = "UPDATE blobs SET removing = 1 WHERE name IN (SELECT value FROM json_each(?1))";
            db.execute(mark, (database::Json(&unnamed),)).await?;
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

async fn limit() -> Result<Option<i64>> {
    let Some(text) = config::get(LIMIT).await? else { return Ok(None) };
    match text.trim().parse() {
        Ok(megabytes @ 1..=1_000_000_000) => Ok(Some(MEGABYTE.saturating_mul(megabytes))),
        _ => Err(Error::internal(anyhow::anyhow!("{LIMIT} is no number of megabytes: {text}"))),
    }
}

fn count(bytes: usize) -> Result<i64> {
    i64::try_from(bytes).map_err(Error::internal)
}
