//! The SQL of imports that are taken back.

use serde::Deserialize;
use shared::auth::Caller;
use shared::courses::LIVING_TERM;
use shared::db::{self, IdRow, Json};
use shared::ids::{AccountId, ProgressId, SisImportId, UserId};
use shared::progress::{COLUMNS, ProgressRow};
use shared::{Db, Timestamp};

use crate::model::restoration::{Change, RecordType, Stage, Step};
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
    stage: usize,
    record_id: i64,
    looked_at: usize,
    lease: String,
    pub(crate) attempts: i64,
}

/// How far the work has come.
#[derive(Clone, Copy)]
pub(crate) struct Standing {
    /// The number of the stage.
    pub(crate) stage: usize,
    /// The last record of the stage that is done.
    pub(crate) record_id: i64,
    /// The number of records that were looked at; each is so twice.
    pub(crate) looked_at: usize,
}

impl Restoration {
    /// How far it had come when it was claimed.
    pub(crate) fn standing(&self) -> Standing {
        Standing { stage: self.stage, record_id: self.record_id, looked_at: self.looked_at }
    }
}

/// The number of records that are restored in one transaction, and that of accounts, which are looked at together.
const RECORDS: usize = 200;
const ACCOUNTS: usize = 10_000;

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
                   stage, record_id, looked_at, lease, attempts",
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

/// What the import has made of the next records of the stage behind that one, in no order: of the changes that are asked for.
pub(crate) async fn changes(db: &Db, of: &Restoration, stage: &Stage, behind: i64) -> db::Result<Vec<Change>> {
    let sql = "SELECT r.record_id, earliest.previous_state, latest.state
         FROM (SELECT record_id, min(id) AS earliest_id, max(id) AS latest_id FROM sis_import_changes
               WHERE sis_import_id = ?1 AND record_type = ?2 AND record_id > ?3 AND (NOT ?4 OR batch_mode)
                 AND (NOT ?5 OR state = 'deleted' AND previous_state IS NOT NULL)
                 AND (NOT ?6 OR record_type = 'Enrollment' AND state = 'completed' AND previous_state IS NOT NULL)
               GROUP BY record_id ORDER BY record_id LIMIT ?7) r
         CROSS JOIN sis_import_changes earliest ON earliest.id = r.earliest_id
         CROSS JOIN sis_import_changes latest ON latest.id = r.latest_id";
    let (name, _) = stage.record_type.names();
    let most = if stage.record_type == RecordType::Account { ACCOUNTS } else { RECORDS };
    let only = (of.batch_mode, of.undelete_only, of.unconclude_only);
    db.fetch_all(sql, (of.sis_import_id, name, behind, only.0, only.1, only.2, count(most))).await
}

/// Keeps it for longer, notes how far it has come, and lets the rest of the transaction change records for it. False, if it is
/// not ours any more.
pub(crate) async fn advance(db: &Db, of: &Restoration, to: &Standing, until: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE sis_restorations
         SET leased_until = ?3, stage = ?4, record_id = ?5, looked_at = ?6, attempts = 0, at_work = 1
         WHERE id = ?1 AND lease = ?2 RETURNING id";
    db.affects(sql, (of.id, &of.lease, until, count(to.stage), to.record_id, count(to.looked_at))).await
}

/// Ends what [`advance`] has begun, in the same transaction.
pub(crate) async fn end_changes(db: &Db, of: &Restoration) -> db::Result<()> {
    db.execute("UPDATE sis_restorations SET at_work = 0 WHERE id = ?1", (of.id,)).await
}

/// Tells how far it has come: of at most as many records as there are changes. False, if its user has cancelled it.
pub(crate) async fn tell(db: &Db, of: &Restoration, standing: &Standing, now: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE progresses
         SET workflow_state = 'running', updated_at = ?2,
             completion = max(completion, min(99.0, 50.0 * ?4 / max(1, ifnull(
                 (SELECT sum(changes) FROM sis_import_statistics WHERE sis_import_id = ?3), 1))))
         WHERE id = ?1 AND workflow_state IN ('queued', 'running') RETURNING id";
    db.affects(sql, (of.progress_id, now, of.sis_import_id, count(standing.looked_at))).await
}

/// Those of the records that are as the import has left them, and can go back: nobody needs what goes, and what comes back has
/// a place.
pub(crate) async fn possible(db: &Db, stage: &Stage, steps: &[Step]) -> db::Result<Vec<i64>> {
    let ((_, table), condition) = (stage.record_type.names(), condition(stage));
    let sql = format!(
        "SELECT t.id FROM json_each(?1) r CROSS JOIN {table} t
         WHERE t.id = r.value ->> 'id' AND t.workflow_state = r.value ->> 'from' AND {condition}"
    );
    let records: Vec<IdRow<i64>> = db.fetch_all(&sql, (Json(steps),)).await?;
    Ok(records.into_iter().map(|record| record.id).collect())
}

/// What must hold of a record `t` that takes a step in the stage.
fn condition(stage: &Stage) -> &'static str {
    match (stage.record_type, stage.deletes) {
        (RecordType::Account, true) => {
            "NOT EXISTS (SELECT 1 FROM courses c WHERE c.account_id = t.id AND c.workflow_state <> 'deleted')
             AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.parent_account_id = t.id AND a.workflow_state = 'active')"
        }
        (RecordType::EnrollmentTerm, true) => {
            "t.is_default = 0 AND NOT EXISTS (
                 SELECT 1 FROM courses c WHERE c.enrollment_term_id = t.id AND c.workflow_state <> 'deleted')"
        }
        (RecordType::User, true) => "NOT t.site_admin",
        (RecordType::CourseSection, true) => {
            "NOT EXISTS (SELECT 1 FROM enrollments e
                         WHERE e.course_id = t.course_id AND e.course_section_id = t.id
                           AND e.workflow_state NOT IN ('rejected', 'deleted'))"
        }
        (RecordType::Account, false) => {
            "EXISTS (SELECT 1 FROM accounts a WHERE a.id = t.parent_account_id AND a.workflow_state = 'active')"
        }
        (RecordType::Pseudonym, false) => {
            "EXISTS (SELECT 1 FROM users u WHERE u.id = t.user_id AND u.workflow_state <> 'deleted')"
        }
        (RecordType::Course, false) => {
            "EXISTS (SELECT 1 FROM accounts a WHERE a.id = t.account_id AND a.workflow_state = 'active')
             AND NOT EXISTS (SELECT 1 FROM courses c
                             WHERE c.root_account_id = t.root_account_id AND c.sis_course_id = t.sis_course_id
                               AND c.workflow_state <> 'deleted' AND c.id <> t.id)"
        }
        (RecordType::CourseSection, false) => {
            "EXISTS (SELECT 1 FROM courses c WHERE c.id = t.course_id AND c.workflow_state <> 'deleted')"
        }
        (RecordType::Enrollment, false) => {
            "EXISTS (SELECT 1 FROM courses c WHERE c.id = t.course_id AND c.workflow_state <> 'deleted')
             AND EXISTS (SELECT 1 FROM course_sections s WHERE s.id = t.course_section_id AND s.workflow_state = 'active')
             AND EXISTS (SELECT 1 FROM users u WHERE u.id = t.user_id AND u.workflow_state <> 'deleted')"
        }
        (RecordType::Group, false) => {
            "NOT EXISTS (SELECT 1 FROM courses c WHERE c.id = t.course_id AND c.workflow_state = 'deleted')
             AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = t.account_id AND a.workflow_state = 'deleted')"
        }
        // Who is in a group of a course takes part in the course.
        (RecordType::GroupMembership, false) => {
            "EXISTS (SELECT 1 FROM users u WHERE u.id = t.user_id AND u.workflow_state <> 'deleted')
             AND EXISTS (
                 SELECT 1 FROM groups g
                 WHERE g.id = t.group_id AND g.workflow_state <> 'deleted' AND (g.course_id IS NULL OR EXISTS (
                     SELECT 1 FROM enrollments e
                     WHERE e.user_id = t.user_id AND e.course_id = g.course_id
                       AND e.workflow_state NOT IN ('rejected', 'deleted'))))"
        }
        _ => "TRUE",
    }
}

impl RecordType {
    /// The name in the changes of imports, and the table.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Account => ("Account", "accounts"),
            Self::EnrollmentTerm => ("EnrollmentTerm", "enrollment_terms"),
            Self::User => ("User", "users"),
            Self::Pseudonym => ("Pseudonym", "pseudonyms"),
            Self::Course => ("Course", "courses"),
            Self::CourseSection => ("CourseSection", "course_sections"),
            Self::Enrollment => ("Enrollment", "enrollments"),
            Self::Group => ("Group", "groups"),
            Self::GroupMembership => ("GroupMembership", "group_memberships"),
        }
    }
}

/// Gives records the states that they had. One whose place another record has taken meanwhile stays as it is.
pub(crate) async fn restore(db: &Db, stage: &Stage, steps: &[Step], now: Timestamp) -> db::Result<()> {
    let (_, table) = stage.record_type.names();
    // A login does not tell when it was changed.
    let updated = if stage.record_type == RecordType::Pseudonym { "" } else { ", updated_at = ?2" };
    let comes_back = stage.record_type == RecordType::Course && !stage.deletes;
    let term = if comes_back { format!(", enrollment_term_id = {LIVING_TERM}") } else { String::new() };
    let sql = format!(
        "UPDATE OR IGNORE {table} SET workflow_state = r.value ->> 'to'{updated}{term}
         FROM json_each(?1) r WHERE {table}.id = r.value ->> 'id' AND ?2 IS NOT NULL"
    );
    db.execute(&sql, (Json(steps), now)).await
}

/// Deletes the clients of accounts that are gone, and their tokens with them.
pub(crate) async fn delete_keys(db: &Db, accounts: &[AccountId]) -> db::Result<()> {
    let sql = "UPDATE developer_keys SET workflow_state = 'deleted'
         WHERE account_id IN (SELECT value FROM json_each(?1))";
    db.execute(sql, (Json(accounts),)).await
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
         WHERE id IN (SELECT id FROM sis_import_changes WHERE sis_import_id = ?1 LIMIT ?2) RETURNING id";
    db.affects(sql, (id, count(FORGOTTEN))).await
}

/// Nothing is known any more but the record of the import.
pub(crate) async fn forgotten(db: &Db, id: SisImportId) -> db::Result<()> {
    db.execute("UPDATE sis_imports SET restorable = 0 WHERE id = ?1", (id,)).await
}
