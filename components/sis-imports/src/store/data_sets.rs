//! The SQL of data sets: the rows that imports of an identifier have applied.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};
use shared::Db;
use shared::db::{self, Json};
use shared::ids::{AccountId, SisImportId};

use crate::model::comparison::{Comparison, DataSetId, Entry};
use crate::model::kind::Kind;

/// A data set, and the last import that was applied to its end.
#[derive(Deserialize)]
pub(crate) struct DataSet {
    pub(crate) id: DataSetId,
    pub(crate) sis_import_id: Option<SisImportId>,
    pub(crate) bytes: i64,
}

/// A row that the import does not name any more.
#[derive(Deserialize)]
pub(crate) struct GoneRow {
    pub(crate) identity: String,
    pub(crate) content: Json<Map<String, Value>>,
}

/// The data set of that name; a new one where there is none.
pub(crate) async fn data_set(db: &Db, root: AccountId, identifier: &str) -> db::Result<DataSet> {
    let sql = "INSERT INTO sis_data_sets (root_account_id, identifier) VALUES (?1, ?2)
         ON CONFLICT (root_account_id, identifier) DO UPDATE SET identifier = excluded.identifier
         RETURNING id, sis_import_id, bytes";
    db.fetch_one(sql, (root, identifier)).await
}

/// Notes with what an import is compared, and how.
pub(crate) async fn begin(
    db: &Db,
    import: SisImportId,
    set: DataSetId,
    comparison: Comparison,
    against: Option<SisImportId>,
) -> db::Result<()> {
    let sql = "UPDATE sis_imports SET data_set_id = ?2, comparison = ?3, diffed_against_import_id = ?4 WHERE id = ?1";
    db.execute(sql, (import, set, comparison.word(), against)).await
}

/// The difference is counted, and is to be applied.
pub(crate) async fn apply_difference(db: &Db, import: SisImportId) -> db::Result<()> {
    db.execute("UPDATE sis_imports SET comparison = 'difference' WHERE id = ?1", (import,)).await
}

/// Whether each of the rows is in the data set as it is.
pub(crate) async fn are_known(db: &Db, set: DataSetId, kind: Kind, entries: &[Entry]) -> db::Result<Vec<bool>> {
    #[derive(Deserialize)]
    struct KnownRow {
        is_known: bool,
    }
    let sql = "SELECT ifnull(k.content = r.value ->> 'content', 0) AS is_known
         FROM json_each(?3) r
         LEFT JOIN sis_data_set_rows k
             ON k.data_set_id = ?1 AND k.kind = ?2 AND k.identity = r.value ->> 'identity'
         ORDER BY r.key";
    let known: Vec<KnownRow> = db.fetch_all(sql, (set, kind.name(), Json(entries))).await?;
    Ok(known.into_iter().map(|row| row.is_known).collect())
}

/// Notes rows that were applied.
pub(crate) async fn note(
    db: &Db,
    set: DataSetId,
    import: SisImportId,
    kind: Kind,
    entries: &[&Entry],
) -> db::Result<()> {
    let sql = "INSERT INTO sis_data_set_rows (data_set_id, kind, identity, content, sis_import_id)
         SELECT ?1, ?2, value ->> 'identity', value ->> 'content', ?3 FROM json_each(?4) WHERE true
         ON CONFLICT (data_set_id, kind, identity)
         DO UPDATE SET content = excluded.content, sis_import_id = excluded.sis_import_id";
    db.execute(sql, (set, kind.name(), import, Json(entries))).await
}

/// Notes that the import names these rows, whatever it says of them.
pub(crate) async fn mark(
    db: &Db,
    set: DataSetId,
    import: SisImportId,
    kind: Kind,
    identities: &[&str],
) -> db::Result<()> {
    let sql = "UPDATE sis_data_set_rows SET sis_import_id = ?3
         WHERE data_set_id = ?1 AND kind = ?2 AND identity IN (SELECT value FROM json_each(?4)) AND sis_import_id <> ?3";
    db.execute(sql, (set, kind.name(), import, Json(identities))).await
}

/// The number of rows of these kinds that the import does not name.
pub(crate) async fn count_gone(
    db: &Db,
    set: DataSetId,
    import: SisImportId,
    kinds: &BTreeSet<Kind>,
) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct GoneRows {
        gone: i64,
    }
    let sql = "SELECT count(*) AS gone FROM sis_data_set_rows
         WHERE data_set_id = ?1 AND kind IN (SELECT value FROM json_each(?2)) AND sis_import_id < ?3";
    let kinds: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
    let GoneRows { gone } = db.fetch_one(sql, (set, Json(kinds), import)).await?;
    Ok(gone)
}

/// Some of the rows of a kind that the import does not name.
pub(crate) async fn gone(
    db: &Db,
    set: DataSetId,
    import: SisImportId,
    kind: Kind,
    most: usize,
) -> db::Result<Vec<GoneRow>> {
    let sql = "SELECT identity, content FROM sis_data_set_rows
         WHERE data_set_id = ?1 AND kind = ?2 AND sis_import_id < ?3 ORDER BY sis_import_id, identity LIMIT ?4";
    db.fetch_all(sql, (set, kind.name(), import, super::sis_imports::count(most))).await
}

/// Forgets rows.
pub(crate) async fn forget(db: &Db, set: DataSetId, kind: Kind, identities: &[&str]) -> db::Result<()> {
    let sql = "DELETE FROM sis_data_set_rows
         WHERE data_set_id = ?1 AND kind = ?2 AND identity IN (SELECT value FROM json_each(?3))";
    db.execute(sql, (set, kind.name(), Json(identities))).await
}

/// Notes how far a file is compared, and how many of its rows differ.
pub(crate) async fn advance(
    db: &Db,
    import: SisImportId,
    file: i64,
    read: (usize, usize),
    differences: usize,
) -> db::Result<()> {
    let count = super::sis_imports::count;
    let files = "UPDATE sis_import_files SET bytes_compared = ?2, lines_compared = ?3 WHERE id = ?1";
    db.execute(files, (file, count(read.0), count(read.1))).await?;
    let imports = "UPDATE sis_imports SET differences = differences + ?2, attempts = 0 WHERE id = ?1";
    db.execute(imports, (import, count(differences))).await
}
