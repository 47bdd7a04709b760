//! The SQL of imports that are taken back.

use serde::Deserialize;
use shared::auth::Caller;
use shared::db::{self, IdRow, Json};
use shared::ids::{AccountId, CourseId, ProgressId, SisImportId, UserId};
use shared::progress::{COLUMNS, ProgressRow};
use shared::{Db, Timestamp};

use crate::model::restoration::{Change, RecordType, Step};
use crate::model::sis_imports::RestoreForm;
use crate::store::sis_imports::count;

/// An import that is taken back, and by whom.
#[derive(Deserialize)]
pub(crate) struct Restoration {
    pub(crate) id: i64,
    pub(crate) sis_import_id: SisImportId,
    pub(crate) user_id: UserId,
    pub(crate) real_user_id: Option<UserId>,
    progress_id: ProgressId,
    batch_mode: bool,
    undelete_only: bool,
    unconclude_only: bool,
    changes_from: i64,
    changes_to: i64,
    pub(crate) restored_from: i64,
    lease: String,
    pub(crate) attempts: i64,
}

/// The number of changes that are forgotten in one statement.
const FORGOTTEN: usize = 1000;

/// Begins to take an import back. Nothing, if it has not ended, is being taken back, or if it is not known any more how
/// records were. `db` is in a transaction.
pub(crate) async fn begin(
    db: &Db,
    root: AccountId,
    import: SisImportId,
    caller: &Caller,
    form: &RestoreForm,
    now: Timestamp,
) -> db::Result<Option<ProgressRow>> {
    let stage = "UPDATE sis_imports SET stage = 'restoring', updated_at = ?3
         WHERE id = ?1 AND root_account_id = ?2 AND restorable = 1 AND ended_at IS NOT NULL AND stage IS NOT 'restoring'
         RETURNING id";
    if !db.affects(stage, (import, root, now)).await? {
        return Ok(None);
    }
    let sql = format!(
        "INSERT INTO progresses (root_account_id, context_type, context_id, user_id, tag, created_at, updated_at)
         VALUES (?1, 'SisBatch', ?2, ?3, 'sis_batch_state_restore', ?4, ?4) RETURNING {COLUMNS}"
    );
    let progress: ProgressRow = db.fetch_one(&sql, (root, import, caller.user, now)).await?;
    db.execute(
        "INSERT INTO sis_restorations
             (sis_import_id, root_account_id, user_id, real_user_id, progress_id, batch_mode, undelete_only,
              unconclude_only, changes_from, changes_to, restored_from)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ifnull(min(id), 0), ifnull(max(id), 0), ifnull(max(id), 0) + 1
         FROM sis_import_changes WHERE sis_import_id = ?1",
        (
            import,
            root,
            caller.user,
            caller.real_user,
            progress.id,
            form.batch_mode,
            form.undelete_only,
            form.unconclude_only,
        ),
    )
    .await?;
    Ok(Some(progress))
}

/// Takes on the next one that nobody works on.
pub(crate) async fn claim(db: &Db, lease: &str, now: Timestamp, until: Timestamp) -> db::Result<Option<Restoration>> {
    db.fetch(
        "UPDATE sis_restorations SET lease = ?1, leased_until = ?3, attempts = attempts + 1
         WHERE id = (SELECT id FROM sis_restorations WHERE lease IS NULL OR leased_until <= ?2 ORDER BY id LIMIT 1)
         RETURNING id, sis_import_id, user_id, real_user_id, progress_id, batch_mode, undelete_only, unconclude_only,
                   changes_from, changes_to, restored_from, lease, attempts",
        (lease, now, until),
    )
    .await
}

/// True if there is one that could be taken on now.
pub(crate) async fn any_to_do(db: &Db, now: Timestamp) -> db::Result<bool> {
    let sql = "SELECT 1 FROM sis_restorations WHERE lease IS NULL OR leased_until <= ?1 LIMIT 1";
    db.affects(sql, (now,)).await
}

/// Leaves the rest to whoever comes next.
pub(crate) async fn release(db: &Db, of: &Restoration) -> db::Result<()> {
    let sql =
        "UPDATE sis_restorations SET lease = NULL, leased_until = NULL, attempts = 0 WHERE id = ?1 AND lease = ?2";
    db.execute(sql, (of.id, &of.lease)).await
}

/// The next changes before that one, the last of them first: those that are asked for.
pub(crate) async fn changes(db: &Db, of: &Restoration, before: i64, most: usize) -> db::Result<Vec<Change>> {
    let sql = "SELECT id, record_type, record_id, previous_state, state FROM sis_import_changes
         WHERE sis_import_id = ?1 AND id < ?2 AND (NOT ?3 OR batch_mode)
           AND (NOT ?4 OR state = 'deleted' AND previous_state IS NOT NULL)
           AND (NOT ?5 OR record_type = 'Enrollment' AND state = 'completed' AND previous_state IS NOT NULL)
         ORDER BY id DESC LIMIT ?6";
    let binds = (of.sis_import_id, before, of.batch_mode, of.undelete_only, of.unconclude_only, count(most));
    db.fetch_all(sql, binds).await
}

/// Keeps it for longer, notes how far it has come, and lets the rest of the transaction change records for it. False, if it is
/// not ours any more.
pub(crate) async fn advance(db: &Db, of: &Restoration, restored_from: i64, until: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE sis_restorations SET leased_until = ?3, restored_from = ?4, attempts = 0, at_work = 1
         WHERE id = ?1 AND lease = ?2 RETURNING id";
    db.affects(sql, (of.id, &of.lease, until, restored_from)).await
}

/// Ends what [`advance`] has begun, in the same transaction.
pub(crate) async fn end_changes(db: &Db, of: &Restoration) -> db::Result<()> {
    db.execute("UPDATE sis_restorations SET at_work = 0 WHERE id = ?1", (of.id,)).await
}

/// Tells how far it has come. False, if its user has cancelled it.
pub(crate) async fn tell(db: &Db, of: &Restoration, restored_from: i64, now: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE progresses
         SET workflow_state = 'running', updated_at = ?2,
             completion = max(completion, min(99.0, 100.0 * (?4 - ?3) / max(?4 - ?5 + 1, 1)))
         WHERE id = ?1 AND workflow_state IN ('queued', 'running') RETURNING id";
    db.affects(sql, (of.progress_id, now, restored_from, of.changes_to, of.changes_from)).await
}

/// Those of the courses that are still as the import has left them.
pub(crate) async fn unchanged_courses(db: &Db, steps: &[Step]) -> db::Result<Vec<CourseId>> {
    let sql = "SELECT c.id FROM json_each(?1) r CROSS JOIN courses c
         WHERE c.id = r.value ->> 'id' AND c.workflow_state = r.value ->> 'from'";
    let courses: Vec<IdRow<CourseId>> = db.fetch_all(sql, (Json(steps),)).await?;
    Ok(courses.into_iter().map(|course| course.id).collect())
}

/// Gives records the states that they had, as far as they are as the import has left them. One whose place another record
/// has taken meanwhile stays as it is.
pub(crate) async fn restore(db: &Db, record_type: RecordType, steps: &[Step], now: Timestamp) -> db::Result<()> {
    let table = match record_type {
        RecordType::Account => "accounts",
        RecordType::EnrollmentTerm => "enrollment_terms",
        RecordType::User => "users",
        RecordType::Pseudonym => "pseudonyms",
        RecordType::Course => "courses",
        RecordType::CourseSection => "course_sections",
        RecordType::Enrollment => "enrollments",
        RecordType::Group => "groups",
        RecordType::GroupMembership => "group_memberships",
    };
    // A login does not tell when it was changed.
    let updated = if record_type == RecordType::Pseudonym { "" } else { ", updated_at = ?2" };
    let sql = format!(
        "UPDATE OR IGNORE {table} SET workflow_state = r.value ->> 'to'{updated}
         FROM json_each(?1) r
         WHERE {table}.id = r.value ->> 'id' AND {table}.workflow_state = r.value ->> 'from' AND ?2 IS NOT NULL"
    );
    db.execute(&sql, (Json(steps), now)).await
}

/// Ends it, at its end or before.
pub(crate) async fn end(db: &Db, of: &Restoration, why: Option<&str>, now: Timestamp) -> db::Result<()> {
    let is_whole = why.is_none() && !of.batch_mode && !of.undelete_only && !of.unconclude_only;
    let stage = if is_whole { "restored" } else { "partially_restored" };
    db.execute("DELETE FROM sis_restorations WHERE id = ?1", (of.id,)).await?;
    let import = "UPDATE sis_imports SET stage = ?2, updated_at = ?3 WHERE id = ?1";
    db.execute(import, (of.sis_import_id, stage, now)).await?;
    let progress = "UPDATE progresses
         SET workflow_state = iif(?2 IS NULL, 'completed', 'failed'), message = ?2, updated_at = ?3,
             completion = iif(?2 IS NULL, 100, completion)
         WHERE id = ?1 AND workflow_state IN ('queued', 'running')";
    db.execute(progress, (of.progress_id, why, now)).await
}

/// An import that has ended before `oldest`, of which more is known than its record.
pub(crate) async fn outdated(db: &Db, oldest: Timestamp) -> db::Result<Option<SisImportId>> {
    let sql = "SELECT id FROM sis_imports
         WHERE restorable = 1 AND ended_at < ?1 AND stage IS NOT 'restoring' ORDER BY ended_at LIMIT 1";
    let found: Option<IdRow<SisImportId>> = db.fetch(sql, (oldest,)).await?;
    Ok(found.map(|found| found.id))
}

/// Forgets some of what is known of the states before an import. False, if nothing is.
pub(crate) async fn forget_some(db: &Db, id: SisImportId) -> db::Result<bool> {
    let sql = "DELETE FROM sis_import_changes
         WHERE id IN (SELECT id FROM sis_import_changes WHERE sis_import_id = ?1 ORDER BY id LIMIT ?2) RETURNING id";
    db.affects(sql, (id, count(FORGOTTEN))).await
}

/// Nothing is known any more but the record of the import.
pub(crate) async fn forgotten(db: &Db, id: SisImportId) -> db::Result<()> {
    db.execute("UPDATE sis_imports SET restorable = 0 WHERE id = ?1", (id,)).await
}
