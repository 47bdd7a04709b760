//! The SQL of the bytes of imports: uploads, and the files in them.

use serde::Deserialize;
use shared::db::{self, IdRow, Json};
use shared::ids::SisImportId;
use shared::needs::{Lookup, MatchedPath, Record};
use shared::{Db, Result, Timestamp};

/// An import that has ended, or whose upload has not come by `oldest`, and whose upload is still there.
pub(crate) async fn ended(db: &Db, oldest: Timestamp) -> db::Result<Option<SisImportId>> {
    let found: Option<IdRow<SisImportId>> = db
        .fetch(
            "SELECT id FROM sis_imports
             WHERE upload IS NOT NULL AND workflow_state NOT IN ('created', 'importing')
               AND (workflow_state <> 'initializing' OR created_at < ?1)
             ORDER BY id LIMIT 1",
            (oldest,),
        )
        .await?;
    Ok(found.map(|found| found.id))
}

/// The names of the bytes of an import that are there.
#[derive(Deserialize)]
pub(crate) struct ImportBytes {
    /// The upload, below which lie the files that were unpacked.
    pub(crate) upload: Option<String>,
    /// The files that stay for a while after the end.
    pub(crate) kept: Json<Vec<String>>,
    /// Those that have passwords.
    pub(crate) secret: Json<Vec<String>>,
    /// The file of the messages.
    pub(crate) errors: Option<String>,
}

pub(crate) async fn bytes(db: &Db, id: SisImportId) -> db::Result<Option<ImportBytes>> {
    let sql = "SELECT upload,
                (SELECT json_group_array(blob) FROM sis_import_files
                 WHERE sis_import_id = ?1 AND blob <> '' AND NOT has_passwords) AS kept,
                (SELECT json_group_array(blob) FROM sis_import_files
                 WHERE sis_import_id = ?1 AND blob <> '' AND has_passwords) AS secret,
                nullif(errors_blob, '') AS errors
         FROM sis_imports WHERE id = ?1";
    db.fetch(sql, (id,)).await
}

/// A CSV file of an import, or that of its messages, whose bytes are there and for those who may see the import.
#[derive(Deserialize)]
pub(crate) struct KeptFile {
    pub(crate) blob: String,
    pub(crate) size: usize,
}

/// The file that the path names, or else that of the messages, of an import of the account that is needed.
impl Record for KeptFile {
    const IDS: &'static [&'static str] = &["sis_imports", "csv_attachments"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let import: SisImportId = path.id("sis_imports")?;
        Ok(match path.behind::<i64>("csv_attachments")? {
            Some(file) => Lookup::new(
                "SELECT f.blob, f.size FROM sis_import_files f JOIN sis_imports i ON i.id = f.sis_import_id
                 WHERE f.id = ?2 AND i.id = ?1 AND i.root_account_id = caller.needed ->> 'id' AND f.blob <> ''
                   AND NOT f.has_passwords",
                (import, file),
            ),
            None => Lookup::new(
                "SELECT errors_blob AS blob, errors_size AS size FROM sis_imports
                 WHERE id = ?1 AND root_account_id = caller.needed ->> 'id' AND errors_blob <> ''",
                (import,),
            ),
        })
    }
}

/// The bytes of all files of the import are gone.
pub(crate) async fn files_removed(db: &Db, id: SisImportId) -> db::Result<()> {
    db.execute("UPDATE sis_import_files SET blob = '' WHERE sis_import_id = ?1", (id,)).await?;
    db.execute("UPDATE sis_imports SET errors_blob = '' WHERE id = ?1 AND errors_blob IS NOT NULL", (id,)).await
}

/// The bytes of the upload are gone, and those of files with passwords.
pub(crate) async fn cleaned_up(db: &Db, id: SisImportId, now: Timestamp) -> db::Result<()> {
    let files = "UPDATE sis_import_files SET blob = '' WHERE sis_import_id = ?1 AND has_passwords";
    db.execute(files, (id,)).await?;
    db.execute(
        "UPDATE sis_imports
         SET upload = NULL, updated_at = ?2,
             workflow_state = iif(workflow_state = 'initializing', 'failed', workflow_state),
             ended_at = ifnull(ended_at, ?2)
         WHERE id = ?1",
        (id, now),
    )
    .await
}
