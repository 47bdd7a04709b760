//! The SQL of the messages of imports, and of the files of them.

use serde::Deserialize;
use shared::ids::SisImportId;
use shared::{Db, db};

use crate::store::sis_imports::count;

/// A message about a row or a file.
#[derive(Deserialize)]
pub(crate) struct Message {
    pub(crate) id: i64,
    pub(crate) file: Option<String>,
    pub(crate) row: Option<i64>,
    pub(crate) message: String,
}

/// The messages of an import behind that of an id.
pub(crate) async fn messages(db: &Db, id: SisImportId, after: i64, most: usize) -> db::Result<Vec<Message>> {
    let sql = "SELECT id, file, row, message FROM sis_import_errors
         WHERE sis_import_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
    db.fetch_all(sql, (id, after, count(most))).await
}

/// True if an import has messages, and no file of them yet.
pub(crate) async fn lacks_file(db: &Db, id: SisImportId) -> db::Result<bool> {
    let sql = "SELECT 1 FROM sis_imports i WHERE i.id = ?1 AND i.errors_blob IS NULL
           AND EXISTS (SELECT 1 FROM sis_import_errors e WHERE e.sis_import_id = i.id)";
    db.affects(sql, (id,)).await
}

/// Names the file of the messages, which from now on goes with what else is known of the import. False, if it has one already.
pub(crate) async fn name_file(db: &Db, id: SisImportId, blob: &str, uuid: &str, size: usize) -> db::Result<bool> {
    let sql = "UPDATE sis_imports SET errors_blob = ?2, errors_uuid = ?3, errors_size = ?4, restorable = 1
         WHERE id = ?1 AND errors_blob IS NULL RETURNING id";
    db.affects(sql, (id, blob, uuid, count(size))).await
}
