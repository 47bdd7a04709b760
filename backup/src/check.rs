//! Checks of an installation: the database, and the bytes that it names.

use anyhow::Result;
use rusqlite::ErrorCode;
use serde::Serialize;

use crate::blobs::{self, Chunks};
use crate::rows::text;
use crate::store::Store;
use crate::{Installation, SCHEMA};

/// Names of blobs and words of SQLite that a report has at most, of each kind.
const MAX_NAMES: usize = 20;

/// How closely the database is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Its pages.
    Quick,
    /// Its pages, and whether its indexes and constraints agree with its rows.
    Full,
}

/// The findings of a check.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// True if nothing is wrong.
    pub ok: bool,
    /// The version of the database's schema.
    pub schema: i64,
    /// The version that this release has.
    pub release_schema: i64,
    /// What SQLite finds wrong in the database, in its words; nothing where it is sound. Of a database that is not, nothing else
    /// is looked at.
    pub damage: Vec<String>,
    /// The number of rows that name others that are not there.
    pub broken_references: usize,
    /// The number of blobs that rows name.
    pub blobs: usize,
    /// The number of those that are missing or not whole.
    pub missing_blobs: usize,
    /// The names of some of these.
    pub missing: Vec<String>,
    /// The number of blobs that nothing names, and that the tick will remove.
    pub unnamed_blobs: usize,
    /// The number of keys in the store that the database does not know of. Nobody removes them.
    pub unknown_keys: usize,
}

impl Report {
    /// The findings in words, a line for each.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![match self.schema {
            schema if schema > SCHEMA => format!(
                "Schema {schema} is newer than that of this release ({SCHEMA}): use the release that made it, or a later one."
            ),
            schema if schema < SCHEMA => {
                format!("Schema {schema}: this release brings it to {SCHEMA} at its first request.")
            }
            schema => format!("Schema {schema}."),
        }];
        lines.push(match self.damage.first() {
            Some(damage) => {
                lines.push(format!("The database is damaged: {damage}"));
                return lines;
            }
            None => "The database is sound.".to_owned(),
        });
        if self.broken_references > 0 {
            lines.push(format!("{} rows name others that are not there.", self.broken_references));
        }
        lines.push(format!("{} files are named, {} of them are missing.", self.blobs, self.missing_blobs));
        lines.extend(self.missing.iter().map(|name| format!("  missing: {name}")));
        if self.unnamed_blobs > 0 {
            lines.push(format!("{} files are named by nothing; the tick removes them.", self.unnamed_blobs));
        }
        if self.unknown_keys > 0 {
            lines.push(format!("{} keys of the key-value store are unknown to the database.", self.unknown_keys));
        }
        lines
    }
}

fn is_damage(error: &anyhow::Error) -> bool {
    let code = error.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
        || format!("{error:#}").contains("malformed")
}

/// Checks an installation, which may run meanwhile.
///
/// # Errors
/// Tells what cannot be read at all. What is wrong with the data is told by the report.
pub async fn check(installation: &Installation, depth: Depth) -> Result<Report> {
    let reader = installation.database.reader()?;
    let schema = reader.schema().await?;
    let pragma = if depth == Depth::Quick { "quick_check" } else { "integrity_check" };
    let damage = match reader.rows(&format!("PRAGMA {pragma}({MAX_NAMES})")).await {
        Ok(rows) => rows.iter().filter_map(|row| text(row.first()).ok()).map(str::to_owned).collect(),
        // Where not even its schema can be read, SQLite has no list.
        Err(error) if is_damage(&error) => vec![format!("{:#}", error.root_cause())],
        Err(error) => return Err(error),
    };
    let damage: Vec<_> = damage.into_iter().filter(|words| words != "ok").collect();
    if !damage.is_empty() {
        return Ok(Report { schema, release_schema: SCHEMA, damage, ..Report::default() });
    }
    let broken_references = reader.rows("PRAGMA foreign_key_check").await?.len();

    // The rows before and after the keys: what has come or gone meanwhile is not missing, and not left behind either.
    let before = blobs::named(&reader).await?;
    let lengths = Store::open(&installation.store).await?.lengths().await?;
    let (stored, others) = blobs::stored(&lengths);
    let (after, known) = (blobs::named(&reader).await?, blobs::known(&reader).await?);
    let is_whole = |name: &String| {
        after.get(name).is_none_or(|blob| {
            !blob.is_whole || stored.get(name).map_or_else(|| Chunks::default().are(blob), |chunks| chunks.are(blob))
        })
    };
    let missing: Vec<_> = before.keys().filter(|name| !is_whole(name)).cloned().collect();
    let is_named = |name: &str| before.contains_key(name) || after.contains_key(name);
    let unnamed = stored.iter().filter(|(name, _)| !is_named(name));
    let (left, unknown): (Vec<_>, Vec<_>) = unnamed.partition(|(name, _)| known.contains(*name));
    let unknown = unknown.into_iter().map(|(name, chunks)| chunks.keys(name).count()).sum::<usize>();
    Ok(Report {
        ok: broken_references == 0 && missing.is_empty() && schema <= SCHEMA,
        schema,
        release_schema: SCHEMA,
        damage,
        broken_references,
        blobs: after.len(),
        missing_blobs: missing.len(),
        missing: missing.into_iter().take(MAX_NAMES).collect(),
        unnamed_blobs: left.len(),
        unknown_keys: unknown.saturating_add(others.len()),
    })
}
