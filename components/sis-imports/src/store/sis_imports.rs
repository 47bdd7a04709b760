//! The SQL of imports: what is known of them, and who works on them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::auth::Caller;
use shared::db::{self, IdRow, Json};
use shared::ids::{AccountId, SisImportId, UserId};
use shared::leases::{Jobs, Lease};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::pagination::Key;
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp};

use crate::model::comparison::{Comparison, DataSetId};
use crate::model::kind::Kind;
use crate::model::note::Note;
use crate::model::options::Options;
use crate::model::sis_imports::{ImportFilter, SisImport, SisImportError};

/// The most messages of an import that are kept.
const MAX_NOTES: usize = 100_000;

/// The most imports that are listed as being worked on: of an account there is one.
const MAX_IMPORTING: usize = 10;

/// It shows its first messages itself; there is a list of all of them.
const IMPORT: &str = "id, root_account_id AS account_id, created_at, started_at, ended_at, updated_at, progress,
    ifnull(stage, workflow_state) AS workflow_state,
    json_object(
        'import_type', 'instructure_csv',
        'supplied_batches', json((SELECT json_group_array(kind) FROM (
            SELECT kind FROM sis_import_files f WHERE f.sis_import_id = sis_imports.id
            GROUP BY kind ORDER BY min(ordinal)))),
        'counts', json(counts), 'completed_at', ended_at) AS data,
    (SELECT json_patch(
         json_object('total_state_changes', ifnull(sum(s.changes), 0)),
         json_group_object(s.record_type, json_object(
             'created', s.created, 'concluded', s.concluded, 'deactivated', s.deactivated, 'restored', s.restored,
             'deleted', s.deleted)))
     FROM sis_import_statistics s WHERE s.sis_import_id = sis_imports.id) AS statistics,
    options ->> 'batch_mode' AS batch_mode, options ->> 'batch_mode_term_id' AS batch_mode_term_id,
    ifnull(options ->> 'multi_term_batch_mode', 0) AS multi_term_batch_mode,
    options ->> 'batch_mode_enrollment_drop_status' AS batch_mode_enrollment_drop_status,
    options ->> 'change_threshold' AS change_threshold,
    options ->> 'diffing_data_set_identifier' AS diffing_data_set_identifier,
    ifnull(options ->> 'diffing_remaster', 0) AS diffing_remaster,
    options ->> 'diffing_drop_status' AS diffing_drop_status,
    options ->> 'diff_row_count_threshold' AS diff_row_count_threshold,
    ifnull(comparison = 'none', 0) AS diffing_threshold_exceeded, diffed_against_import_id,
    ifnull(options ->> 'skip_deletes', 0) AS skip_deletes,
    ifnull(options ->> 'override_sis_stickiness', 0) AS override_sis_stickiness,
    ifnull(options ->> 'add_sis_stickiness', 0) AS add_sis_stickiness,
    ifnull(options ->> 'clear_sis_stickiness', 0) AS clear_sis_stickiness,
    (SELECT json_group_array(json_object(
         'id', file_id, 'uuid', uuid, 'folder_id', NULL, 'display_name', name, 'filename', name,
         'upload_status', 'success', 'content-type', 'text/csv', 'size', size,
         'url', iif(blob = '' OR has_passwords, '', '/api/v1/accounts/' || sis_imports.root_account_id
                    || '/sis_imports/' || sis_imports.id || '/csv_attachments/' || file_id),
         'created_at', sis_imports.created_at, 'updated_at', sis_imports.created_at))
     FROM (SELECT f.id AS file_id, f.uuid, f.name, f.size, f.blob, f.has_passwords FROM sis_import_files f
           WHERE f.sis_import_id = sis_imports.id ORDER BY f.ordinal, f.id)) AS csv_attachments,
    iif(errors_blob IS NULL, NULL, json_object(
         'id', id, 'uuid', errors_uuid, 'folder_id', NULL, 'display_name', 'sis_errors_attachment_' || id || '.csv',
         'filename', 'sis_errors_attachment_' || id || '.csv', 'upload_status', 'success', 'content-type', 'text/csv',
         'size', errors_size,
         'url', iif(errors_blob = '', '', '/api/v1/accounts/' || root_account_id || '/sis_imports/' || id
                    || '/errors_attachment'),
         'created_at', ifnull(ended_at, updated_at), 'updated_at', ifnull(ended_at, updated_at))) AS errors_attachment,
    (SELECT json_object('id', u.id, 'name', u.name) FROM users u WHERE u.id = sis_imports.user_id) AS user,
    (SELECT json_group_array(json_array(file, message)) FROM (
        SELECT ifnull(e.file, '') AS file, e.message FROM sis_import_errors e
        WHERE e.sis_import_id = sis_imports.id AND e.failure ORDER BY e.id LIMIT 50)) AS processing_errors,
    (SELECT json_group_array(json_array(file, message)) FROM (
        SELECT ifnull(e.file, '') AS file, e.message FROM sis_import_errors e
        WHERE e.sis_import_id = sis_imports.id AND NOT e.failure ORDER BY e.id LIMIT 50)) AS processing_warnings";

/// An import that somebody works on.
#[derive(Deserialize)]
pub(crate) struct Claimed {
    pub(crate) id: SisImportId,
    pub(crate) root_account_id: AccountId,
    pub(crate) user_id: UserId,
    pub(crate) real_user_id: Option<UserId>,
    pub(crate) lease: String,
    pub(crate) upload: String,
    pub(crate) upload_size: usize,
    pub(crate) upload_name: Option<String>,
    pub(crate) options: Json<Options>,
    pub(crate) prepared: bool,
    pub(crate) attempts: i64,
}

/// The imports, as jobs.
const IMPORTS: Jobs = Jobs { table: "sis_imports", at_work: "importing", since: "created_at" };

impl Claimed {
    pub(crate) fn lease(&self) -> Lease {
        Lease::new(IMPORTS, self.id.0, self.lease.clone())
    }
}

/// A file of an import.
#[derive(Deserialize, Serialize)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) ordinal: usize,
    pub(crate) blob: String,
    pub(crate) size: usize,
    pub(crate) uuid: String,
    /// True if it has a column of passwords: then it does not stay.
    pub(crate) has_passwords: bool,
}

/// A file that is not read to its end.
#[derive(Deserialize)]
pub(crate) struct OpenFile {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) blob: String,
    pub(crate) size: usize,
    pub(crate) bytes_read: usize,
    pub(crate) lines_read: usize,
}

/// An import whose upload has not come yet.
pub(crate) async fn begin(
    db: &Db,
    root: AccountId,
    caller: &Caller,
    upload: &str,
    now: Timestamp,
) -> db::Result<SisImportId> {
    let sql = "INSERT INTO sis_imports (root_account_id, user_id, upload, created_at, updated_at, real_user_id)
         VALUES (?1, ?2, ?3, ?4, ?4, ?5) RETURNING id";
    let made: IdRow<SisImportId> = db.fetch_one(sql, (root, caller.user, upload, now, caller.real_user)).await?;
    Ok(made.id)
}

/// The upload has not come, or cannot be taken.
pub(crate) async fn give_up(db: &Db, id: SisImportId) -> db::Result<()> {
    db.execute("DELETE FROM sis_imports WHERE id = ?1 AND workflow_state = 'initializing'", (id,)).await
}

/// The upload is there: the import can be worked on.
pub(crate) async fn uploaded(
    db: &Db,
    id: SisImportId,
    size: usize,
    name: Option<String>,
    options: Options,
    now: Timestamp,
) -> db::Result<SisImport> {
    let sql = format!(
        "UPDATE sis_imports
         SET workflow_state = 'created', upload_size = ?2, upload_name = ?3, options = ?4, updated_at = ?5
         WHERE id = ?1 AND workflow_state = 'initializing'
         RETURNING {IMPORT}"
    );
    db.fetch_one(&sql, (id, count(size), name, Json(options), now)).await
}

/// An import of the account that is needed.
impl Record for SisImport {
    const IDS: &'static [&'static str] = &["sis_imports"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: SisImportId = path.id("sis_imports")?;
        let sql =
            format!("SELECT {IMPORT} FROM sis_imports WHERE id = ?1 AND root_account_id = caller.needed ->> 'id'");
        Ok(Lookup::new(sql, (id,)))
    }
}

/// The imports of the account that is needed.
pub(crate) struct ImportsOfAccount;

impl List for ImportsOfAccount {
    type Row = SisImport;
    const PAGES: Pages = Pages::Keyset(Key::descending(&["id"]));

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let sql = format!(
            "SELECT {IMPORT} FROM sis_imports
             WHERE root_account_id = caller.needed ->> 'id'
               AND (?1 IS NULL OR created_at >= ?1) AND (?2 IS NULL OR created_at <= ?2)
               AND (?3 IS NULL OR ifnull(stage, workflow_state) IN (SELECT value FROM json_each(?3)))"
        );
        let filter = path.query::<ImportFilter>()?;
        filter.require_few_states()?;
        let ImportFilter { created_since, created_before, workflow_state } = filter;
        let states = (!workflow_state.is_empty()).then_some(Json(workflow_state));
        Ok(Lookup::new(sql, (created_since, created_before, states)))
    }
}

/// The import that is worked on, of the account that is needed: those of an account come one after another.
pub(crate) struct RunningImports;

impl List for RunningImports {
    type Row = SisImport;
    const PAGES: Pages = Pages::Whole;

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let sql = format!(
            "SELECT {IMPORT} FROM sis_imports
             WHERE root_account_id = caller.needed ->> 'id' AND workflow_state IN ('created', 'importing')
               AND workflow_state = 'importing'
             ORDER BY id LIMIT {MAX_IMPORTING}"
        );
        Ok(Lookup::new(sql, ()))
    }
}

/// What the import that is needed has to say.
pub(crate) struct ErrorsOfImport;

impl List for ErrorsOfImport {
    type Row = SisImportError;
    const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let sql = "SELECT id, sis_import_id, file, row, message, row_info, failure FROM sis_import_errors
             WHERE sis_import_id = caller.needed ->> 'import_id'";
        Ok(Lookup::new(sql, ()))
    }
}

/// Nothing, if it has ended. Who works on it finds out at the next batch.
pub(crate) async fn abort(db: &Db, root: AccountId, id: SisImportId, now: Timestamp) -> db::Result<Option<SisImport>> {
    let sql = format!(
        "UPDATE sis_imports SET workflow_state = 'aborted', stage = NULL, ended_at = ?3, updated_at = ?3, lease = NULL
         WHERE id = ?1 AND root_account_id = ?2 AND workflow_state IN ('created', 'importing')
         RETURNING {IMPORT}"
    );
    db.fetch(&sql, (id, root, now)).await
}

pub(crate) async fn abort_all(db: &Db, root: AccountId, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE sis_imports SET workflow_state = 'aborted', stage = NULL, ended_at = ?2, updated_at = ?2, lease = NULL
         WHERE root_account_id = ?1 AND workflow_state IN ('created', 'importing')",
        (root, now),
    )
    .await
}

/// Takes on the next import that nobody works on. Those of an account come one after another. The unary `+` keeps SQLite
/// from going through all imports in the order of their ids: the index has only those that are not done.
pub(crate) async fn claim(db: &Db, lease: &str, now: Timestamp, until: Timestamp) -> db::Result<Option<Claimed>> {
    db.fetch(
        "UPDATE sis_imports
         SET workflow_state = 'importing', started_at = ifnull(started_at, ?2), updated_at = ?2,
             lease = ?1, leased_until = ?3, attempts = attempts + 1
         WHERE id = (
             SELECT i.id FROM sis_imports i
             WHERE i.workflow_state IN ('created', 'importing') AND (i.lease IS NULL OR i.leased_until <= ?2)
               AND NOT EXISTS (
                   SELECT 1 FROM sis_imports e
                   WHERE e.root_account_id = i.root_account_id AND e.id < i.id
                     AND e.workflow_state IN ('created', 'importing'))
             ORDER BY +i.id LIMIT 1)
         RETURNING id, root_account_id, user_id, real_user_id, lease, upload, upload_size, upload_name, options, prepared,
                   attempts",
        (lease, now, until),
    )
    .await
}

/// True if there is an import that could be taken on now.
pub(crate) async fn any_to_do(db: &Db, now: Timestamp) -> db::Result<bool> {
    db.affects(
        "SELECT 1 FROM sis_imports
         WHERE workflow_state IN ('created', 'importing') AND (lease IS NULL OR leased_until <= ?1) LIMIT 1",
        (now,),
    )
    .await
}

/// Keeps the import for longer. False, if it is not ours any more.
pub(crate) async fn keep(db: &Db, import: &Claimed, until: Timestamp) -> db::Result<bool> {
    import.lease().renew(db, until).await
}

/// Keeps the import for longer, and lets the rest of the transaction change records for it. False, if it is not ours any more.
pub(crate) async fn begin_changes(db: &Db, import: &Claimed, until: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE sis_imports SET leased_until = ?3, at_work = 1
         WHERE id = ?1 AND lease = ?2 AND workflow_state = 'importing' RETURNING id";
    db.affects(sql, (import.id, &import.lease, until)).await
}

/// Ends what [`begin_changes`] has begun, in the same transaction.
pub(crate) async fn end_changes(db: &Db, import: &Claimed, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE sis_imports SET at_work = 0, attempts = 0, updated_at = ?2 WHERE id = ?1";
    db.execute(sql, (import.id, now)).await
}

/// Leaves the rest of the import to whoever comes next.
pub(crate) async fn release(db: &Db, import: &Claimed) -> db::Result<()> {
    let sql = "UPDATE sis_imports SET lease = NULL, leased_until = NULL, attempts = 0 WHERE id = ?1 AND lease = ?2";
    db.execute(sql, (import.id, &import.lease)).await
}

/// Notes which files an import has. False, if it is not ours any more. `db` is in a transaction.
pub(crate) async fn prepared(
    db: &Db,
    import: &Claimed,
    files: &[File],
    notes: Vec<(String, Note)>,
    until: Timestamp,
) -> db::Result<bool> {
    if !keep(db, import, until).await? {
        return Ok(false);
    }
    db.execute(
        "INSERT INTO sis_import_files (sis_import_id, name, kind, ordinal, blob, size, uuid, has_passwords)
         SELECT ?1, value ->> 'name', value ->> 'kind', value ->> 'ordinal', value ->> 'blob', value ->> 'size',
                value ->> 'uuid', value ->> 'has_passwords'
         FROM json_each(?2)",
        (import.id, Json(files)),
    )
    .await?;
    add_notes(db, import.id, notes).await?;
    db.execute("UPDATE sis_imports SET prepared = 1, restorable = 1, attempts = 0 WHERE id = ?1", (import.id,)).await?;
    Ok(true)
}

/// The file whose turn it is.
pub(crate) async fn next_file(db: &Db, id: SisImportId) -> db::Result<Option<OpenFile>> {
    db.fetch(
        "SELECT id, name, kind, blob, size, bytes_read, lines_read FROM sis_import_files
         WHERE sis_import_id = ?1 AND bytes_read < size ORDER BY ordinal, id LIMIT 1",
        (id,),
    )
    .await
}

/// The file whose turn it is to be compared.
pub(crate) async fn next_file_to_compare(db: &Db, id: SisImportId) -> db::Result<Option<OpenFile>> {
    db.fetch(
        "SELECT id, name, kind, blob, size, bytes_compared AS bytes_read, lines_compared AS lines_read
         FROM sis_import_files
         WHERE sis_import_id = ?1 AND bytes_compared < size ORDER BY ordinal, id LIMIT 1",
        (id,),
    )
    .await
}

/// How an import stands that is prepared.
#[derive(Deserialize)]
pub(crate) struct Standing {
    pub(crate) comparison: Option<Comparison>,
    pub(crate) data_set_id: Option<DataSetId>,
    /// The number of rows that differ, as far as they are counted.
    pub(crate) differences: i64,
    /// True if what it does not name is being removed.
    pub(crate) removing: bool,
    pub(crate) removal_term_id: i64,
    pub(crate) removal_course_id: i64,
    /// The kinds of its files.
    pub(crate) kinds: Json<BTreeSet<Kind>>,
}

impl Standing {
    /// The data set in which the rows are noted.
    pub(crate) fn data_set(&self) -> Option<DataSetId> {
        let is_noted = matches!(self.comparison, Some(Comparison::Difference | Comparison::Whole));
        self.data_set_id.filter(|_| is_noted)
    }
}

pub(crate) async fn standing(db: &Db, id: SisImportId) -> db::Result<Standing> {
    db.fetch_one(
        "SELECT comparison, data_set_id, differences, ifnull(stage = 'cleanup_batch', 0) AS removing, removal_term_id,
                removal_course_id,
                (SELECT json_group_array(DISTINCT kind) FROM sis_import_files
                 WHERE sis_import_id = sis_imports.id) AS kinds
         FROM sis_imports WHERE id = ?1",
        (id,),
    )
    .await
}

/// True if all rows of all files were read: otherwise nobody knows what the import does not name.
pub(crate) async fn is_read_whole(db: &Db, id: SisImportId) -> db::Result<bool> {
    let sql = "SELECT 1 FROM sis_import_errors WHERE sis_import_id = ?1 AND failure AND row_info IS NULL LIMIT 1";
    Ok(!db.affects(sql, (id,)).await?)
}

/// Notes how far a file is read, and how many of its rows were taken.
pub(crate) async fn advance(
    db: &Db,
    import: &Claimed,
    file: &OpenFile,
    read: (usize, usize),
    taken: usize,
    now: Timestamp,
) -> db::Result<()> {
    let files = "UPDATE sis_import_files SET bytes_read = ?2, lines_read = ?3 WHERE id = ?1";
    db.execute(files, (file.id, count(read.0), count(read.1))).await?;
    let path = format!("$.{}", file.kind.name());
    db.execute(
        "UPDATE sis_imports
         SET counts = json_set(counts, ?2, ifnull(counts ->> ?2, 0) + ?3), at_work = 0, attempts = 0, updated_at = ?4,
             progress = (SELECT min(99, 100 * sum(bytes_read) / max(sum(size), 1))
                         FROM sis_import_files WHERE sis_import_id = ?1)
         WHERE id = ?1",
        (import.id, path, count(taken), now),
    )
    .await
}

/// Adds to what there is to say about an import, up to a number that somebody could still read.
pub(crate) async fn add_notes(db: &Db, id: SisImportId, mut notes: Vec<(String, Note)>) -> db::Result<()> {
    #[derive(Deserialize)]
    struct NoteCount {
        notes: usize,
    }
    if notes.is_empty() {
        return Ok(());
    }
    let sql = "SELECT count(*) AS notes FROM sis_import_errors WHERE sis_import_id = ?1";
    let said: NoteCount = db.fetch_one(sql, (id,)).await?;
    let room = MAX_NOTES.saturating_sub(said.notes);
    if notes.len() > room {
        notes.truncate(room);
        if said.notes <= MAX_NOTES {
            let why = format!("There is more to say; the first {MAX_NOTES} messages are kept");
            notes.push((String::new(), Note::of_file(why)));
        }
    }
    insert_notes(db, id, notes).await
}

/// The same for one that is about no file.
pub(crate) async fn add_note(db: &Db, id: SisImportId, note: Note) -> db::Result<()> {
    add_notes(db, id, vec![(String::new(), note)]).await
}

async fn insert_notes(db: &Db, id: SisImportId, notes: Vec<(String, Note)>) -> db::Result<()> {
    db.execute(
        "INSERT INTO sis_import_errors (sis_import_id, file, row, message, row_info, failure)
         SELECT ?1, value ->> 0, value ->> '$[1].line', value ->> '$[1].message', value ->> '$[1].row_info',
                value ->> '$[1].failure'
         FROM json_each(?2) ORDER BY key",
        (id, Json(notes)),
    )
    .await
}

/// All is done, and the next import of its data set is compared with it. The state tells whether there is something to say
/// about its rows. `db` is in a transaction.
pub(crate) async fn finish(db: &Db, import: &Claimed, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE sis_imports
         SET progress = 100, stage = NULL, ended_at = ?3, updated_at = ?3, lease = NULL, leased_until = NULL,
             workflow_state = CASE
                 WHEN NOT EXISTS (SELECT 1 FROM sis_import_errors WHERE sis_import_id = ?1) THEN 'imported'
                 WHEN EXISTS (SELECT 1 FROM sis_import_files WHERE sis_import_id = ?1) THEN 'imported_with_messages'
                 ELSE 'failed_with_messages'
             END
         WHERE id = ?1 AND lease = ?2 AND workflow_state = 'importing'",
        (import.id, &import.lease, now),
    )
    .await?;
    db.execute(
        "UPDATE sis_data_sets
         SET sis_import_id = ?1, bytes = (SELECT ifnull(sum(size), 0) FROM sis_import_files WHERE sis_import_id = ?1)
         WHERE id = (SELECT data_set_id FROM sis_imports
                     WHERE id = ?1 AND comparison IN ('difference', 'whole')
                       AND workflow_state IN ('imported', 'imported_with_messages'))",
        (import.id,),
    )
    .await
}

/// Ends an import that gets nowhere, and says why. `db` is in a transaction.
pub(crate) async fn fail(db: &Db, import: &Claimed, why: Note, now: Timestamp) -> db::Result<()> {
    insert_notes(db, import.id, vec![(String::new(), why)]).await?;
    db.execute(
        "UPDATE sis_imports
         SET workflow_state = 'failed_with_messages', stage = NULL, ended_at = ?3, updated_at = ?3, lease = NULL,
             leased_until = NULL
         WHERE id = ?1 AND lease = ?2 AND workflow_state = 'importing'",
        (import.id, &import.lease, now),
    )
    .await
}

pub(super) fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
