//! What the database names of the bytes in the key-value store.
//!
//! A blob is cut into chunks with the keys `blob/NAME/0`, `blob/NAME/1` and so on. Its bytes are written before the row that
//! names it, and never changed.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rusqlite::types::Value;

use crate::rows::{Reader, integer, text};

/// A column that names blobs: its table and name, and a statement with the blob's name, its size as far as the table tells, and
/// whether all of its bytes must be there. These are the columns of `shared/domain/src/blob/registry.rs`, which a test compares.
struct NamedBy {
    table: &'static str,
    column: &'static str,
    select: &'static str,
}

const NAMED_BY: [NamedBy; 7] = [
    NamedBy {
        table: "attachments",
        column: "blob",
        select: "SELECT blob AS name, size, 1 AS is_whole FROM attachments WHERE blob <> ''",
    },
    NamedBy {
        table: "uploads",
        column: "blob",
        select: "SELECT blob AS name, 0 AS size, 0 AS is_whole FROM uploads WHERE blob IS NOT NULL",
    },
    NamedBy {
        table: "media_objects",
        column: "blob",
        select: "SELECT blob AS name, size, 1 AS is_whole FROM media_objects",
    },
    NamedBy {
        table: "sis_imports",
        column: "upload",
        select: "SELECT upload AS name, 0 AS size, workflow_state IN ('created', 'importing') AS is_whole
            FROM sis_imports WHERE upload IS NOT NULL",
    },
    NamedBy {
        table: "sis_import_files",
        column: "blob",
        select: "SELECT blob AS name, size, 1 AS is_whole FROM sis_import_files WHERE blob <> ''",
    },
    NamedBy {
        table: "sis_imports",
        column: "errors_blob",
        select: "SELECT errors_blob AS name, 0 AS size, 1 AS is_whole FROM sis_imports WHERE errors_blob IS NOT NULL",
    },
    NamedBy {
        table: "badge_images",
        column: "name",
        select: "SELECT 'badge-images/' || name AS name, size, 1 AS is_whole FROM badge_images",
    },
];

/// A blob that a row names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The number of its bytes.
    pub(crate) size: u64,
    /// True if all of them must be there: it may otherwise be one that is still being written.
    pub(crate) is_whole: bool,
}

/// The blobs that the database names.
pub(crate) async fn named(reader: &Reader) -> Result<BTreeMap<String, Named>> {
    let mut parts = Vec::new();
    for by in NAMED_BY {
        // A schema of an earlier release has fewer of them.
        if has_column(reader, by.table, by.column).await? {
            parts.push(by.select);
        }
    }
    if parts.is_empty() {
        return Ok(BTreeMap::new());
    }
    let parts = parts.join(" UNION ALL ");
    let named = format!("SELECT name, max(size) AS size, max(is_whole) AS is_whole FROM ({parts}) GROUP BY name");
    let sql = match has_column(reader, "blobs", "name").await? {
        true => format!(
            "SELECT n.name, ifnull(b.size, n.size), n.is_whole FROM ({named}) n LEFT JOIN blobs b ON b.name = n.name"
        ),
        false => named,
    };
    let rows = reader.rows(&sql).await?;
    let entry = |row: &Vec<Value>| {
        let size = u64::try_from(integer(row.get(1))?)?;
        Ok((text(row.first())?.to_owned(), Named { size, is_whole: integer(row.get(2))? != 0 }))
    };
    rows.iter().map(entry).collect()
}

/// The blobs that have a row of their own: the tick removes those that nothing names.
pub(crate) async fn known(reader: &Reader) -> Result<BTreeSet<String>> {
    if !has_column(reader, "blobs", "name").await? {
        return Ok(BTreeSet::new());
    }
    let rows = reader.rows("SELECT name FROM blobs").await?;
    rows.iter().map(|row| Ok(text(row.first())?.to_owned())).collect()
}

async fn has_column(reader: &Reader, table: &str, column: &str) -> Result<bool> {
    let columns = reader.rows(&format!("PRAGMA table_info({table})")).await?;
    Ok(columns.iter().any(|row| text(row.get(1)).is_ok_and(|name| name == column)))
}

/// The chunks of a blob that are stored.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    indexes: BTreeSet<u64>,
    bytes: u64,
}

impl Chunks {
    /// True if nothing of the blob is missing.
    pub(crate) fn are(&self, blob: &Named) -> bool {
        let gapless = self.indexes.iter().copied().eq(0..u64::try_from(self.indexes.len()).unwrap_or(u64::MAX));
        gapless && self.bytes == blob.size
    }

    /// The keys of the chunks.
    pub(crate) fn keys(&self, name: &str) -> impl Iterator<Item = String> {
        self.indexes.iter().map(move |index| format!("blob/{name}/{index}"))
    }

    /// The number of bytes that are stored.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// The blobs that a store has, from its keys, and the keys that are none of a blob.
pub(crate) fn stored(lengths: &BTreeMap<String, u64>) -> (BTreeMap<String, Chunks>, Vec<String>) {
    let (mut blobs, mut others) = (BTreeMap::<String, Chunks>::new(), Vec::new());
    for (key, length) in lengths {
        let parts = key.strip_prefix("blob/").and_then(|rest| rest.rsplit_once('/'));
        match parts.and_then(|(name, index)| Some((name, index.parse().ok()?))) {
            Some((name, index)) => {
                let chunks = blobs.entry(name.to_owned()).or_default();
                chunks.indexes.insert(index);
                chunks.bytes += length;
            }
            None => others.push(key.clone()),
        }
    }
    (blobs, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_those_by_which_the_application_removes_blobs() {
        let registry = include_str!("../../shared/domain/src/blob/registry.rs");
        let (_, list) = registry.split_once("const NAMED_BY").unwrap();
        let (list, _) = list.split_once("];").unwrap();
        let lines: Vec<_> = list.lines().filter(|line| line.contains("SELECT 1 FROM ")).collect();
        assert_eq!(lines.len(), NAMED_BY.len());
        for (line, by) in lines.iter().zip(NAMED_BY) {
            assert!(line.contains(&format!("FROM {} WHERE", by.table)), "{line}");
            assert!(line.contains(&format!("{} = ", by.column)), "{line}");
            assert_eq!(line.ends_with("true),"), by.select.contains(" 1 AS is_whole"), "{line}");
        }
    }

    #[test]
    fn a_blob_with_a_gap_is_not_whole() {
        let keys = |indexes: &[u64]| {
            let lengths = indexes.iter().map(|index| (format!("blob/files/a/{index}"), 10));
            stored(&lengths.collect())
        };
        let whole = Named { size: 20, is_whole: true };
        let is_whole = |indexes: &[u64]| keys(indexes).0.get("files/a").is_some_and(|chunks| chunks.are(&whole));
        assert!(is_whole(&[0, 1]));
        assert!(!is_whole(&[0, 2]) && !is_whole(&[1, 2]) && !is_whole(&[0]) && !is_whole(&[0, 1, 2]));
        assert_eq!(stored(&[("other".to_owned(), 1)].into()).1, ["other"]);
        assert!(Chunks::default().are(&Named { size: 0, is_whole: true }));
    }
}
