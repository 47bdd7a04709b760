//! The SQL of jobs: whose they are, how far they are, and how they end.

use serde::Deserialize;
use shared::db::Json;
use shared::files::Owner;
use shared::ids::{AccountId, ContentExportId, ContentMigrationId, ProgressId, UserId};
use shared::{Db, Timestamp, db};
use uuid::Uuid;

use crate::exports::{ExportType, Settings};
use crate::package::Made;

/// A job, and the lease of whoever works on it.
pub(crate) enum Job {
    /// An export.
    Export(ContentExportId, String),
    /// A package that comes in.
    Import(ContentMigrationId, String),
}

/// An export that is worked on.
#[derive(Deserialize)]
pub(crate) struct Claimed {
    pub(crate) id: ContentExportId,
    pub(crate) root_account_id: AccountId,
    pub(crate) context_type: String,
    pub(crate) context_id: i64,
    pub(crate) user_id: UserId,
    pub(crate) export_type: ExportType,
    pub(crate) settings: Json<Settings>,
    pub(crate) skip_notifications: bool,
    pub(crate) progress_id: ProgressId,
    /// How often it was begun, this time too.
    pub(crate) attempts: i64,
    /// The name of the course; blank of others.
    pub(crate) course_name: String,
}

impl Claimed {
    /// What it is an export of.
    pub(crate) fn owner(&self) -> Option<Owner> {
        Owner::of(&self.context_type, self.context_id)
    }
}

/// Takes a job that nobody works on: the one of that id, or the oldest.
pub(crate) async fn claim(
    db: &Db,
    id: Option<ContentExportId>,
    lease: &str,
    until: Timestamp,
    now: Timestamp,
) -> db::Result<Option<Claimed>> {
    let work = db.transaction(async |db| {
        let claimed: Option<Claimed> = db
            .fetch(
                "UPDATE content_exports
                 SET workflow_state = 'exporting', lease = ?2, leased_until = ?3, attempts = attempts + 1
                 WHERE id = (SELECT id FROM content_exports
                             WHERE workflow_state IN ('created', 'exporting') AND (?1 IS NULL OR id = ?1)
                               AND (leased_until IS NULL OR leased_until <= ?4)
                             ORDER BY id LIMIT 1)
                 RETURNING id, root_account_id, context_type, context_id, user_id, export_type, settings,
                     skip_notifications, progress_id, attempts,
                     iif(context_type = 'Course',
                         (SELECT c.name FROM courses c WHERE c.id = content_exports.context_id), '') AS course_name",
                (id, lease, until, now),
            )
            .await?;
        if let Some(claimed) = &claimed {
            begin(db, claimed.progress_id, now).await?;
        }
        Ok::<_, db::Error>(claimed)
    });
    work.await
}

/// Whether a job waits for somebody to take it.
pub(crate) async fn is_waiting(db: &Db, now: Timestamp) -> db::Result<bool> {
    db.affects(
        "SELECT 1 AS waiting FROM content_exports
         WHERE workflow_state IN ('created', 'exporting') AND (leased_until IS NULL OR leased_until <= ?1) LIMIT 1",
        (now,),
    )
    .await
}

/// Keeps a job for longer; false where somebody else has it.
pub(crate) async fn renew(db: &Db, job: &Job, until: Timestamp) -> db::Result<bool> {
    match job {
        Job::Export(id, lease) => {
            let sql = "UPDATE content_exports SET leased_until = ?3
                WHERE id = ?1 AND lease = ?2 AND workflow_state = 'exporting' RETURNING id";
            db.affects(sql, (*id, lease, until)).await
        }
        Job::Import(id, lease) => {
            let sql = "UPDATE content_migrations SET leased_until = ?3
                WHERE id = ?1 AND lease = ?2 AND workflow_state = 'running' RETURNING id";
            db.affects(sql, (*id, lease, until)).await
        }
    }
}

/// Lets somebody else try at once.
pub(crate) async fn release(db: &Db, job: &Job, now: Timestamp) -> db::Result<()> {
    renew(db, job, now).await.map(drop)
}

/// Work has begun.
pub(super) async fn begin(db: &Db, id: ProgressId, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE progresses SET workflow_state = 'running', updated_at = ?2
        WHERE id = ?1 AND workflow_state = 'queued'";
    db.execute(sql, (id, now)).await
}

/// Writes how far the work is, unless its user has cancelled it.
pub(crate) async fn advance(db: &Db, id: ProgressId, completion: f64, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE progresses SET completion = max(completion, ?2), updated_at = ?3
         WHERE id = ?1 AND workflow_state = 'running'",
        (id, completion, now),
    )
    .await
}

/// The package is whole; false where somebody else has the job. `db` is in a transaction.
pub(crate) async fn complete(db: &Db, export: &Claimed, job: &Job, made: &Made, now: Timestamp) -> db::Result<bool> {
    if !renew(db, job, now).await? {
        return Ok(false);
    }
    let uuid = Uuid::new_v4().simple().to_string();
    let Made { name, content_type, blob, size } = made;
    db.execute(
        "INSERT INTO attachments (root_account_id, context_type, context_id, user_id, filename, display_name,
             content_type, size, blob, uuid, created_at, modified_at, updated_at)
         VALUES (?1, 'ContentExport', ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?9)",
        (export.root_account_id, export.id, export.user_id, name, *content_type, *size, blob, &uuid, now),
    )
    .await?;
    db.execute(
        "UPDATE content_exports
         SET workflow_state = 'exported', attachment_id = (SELECT id FROM attachments WHERE uuid = ?2), lease = NULL,
             leased_until = NULL
         WHERE id = ?1",
        (export.id, &uuid),
    )
    .await?;
    end(db, export.progress_id, "completed", None, now).await?;
    Ok(true)
}

/// There will be no package; false where somebody else has the job. `db` is in a transaction.
pub(crate) async fn fail(db: &Db, export: &Claimed, job: &Job, reason: &str, now: Timestamp) -> db::Result<bool> {
    if !renew(db, job, now).await? {
        return Ok(false);
    }
    let sql = "UPDATE content_exports SET workflow_state = 'failed', lease = NULL, leased_until = NULL WHERE id = ?1";
    db.execute(sql, (export.id,)).await?;
    end(db, export.progress_id, "failed", Some(reason), now).await?;
    Ok(true)
}

/// Ends the progress, unless its user has cancelled it.
pub(crate) async fn end(db: &Db, id: ProgressId, state: &str, message: Option<&str>, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE progresses
         SET workflow_state = ?2, completion = iif(?2 = 'completed', 100, completion), message = ?3, updated_at = ?4
         WHERE id = ?1 AND workflow_state IN ('queued', 'running')",
        (id, state, message, now),
    )
    .await
}

/// Takes back packages whose time is over. Their bytes go with those of deleted files.
pub(crate) async fn expire(db: &Db, now: Timestamp) -> db::Result<()> {
    let work = db.transaction(async |db| {
        const EXPIRED: &str = "SELECT attachment_id FROM content_exports
            WHERE attachment_id IS NOT NULL AND expires_at <= ?1";
        let files = "UPDATE attachments SET workflow_state = 'deleted', updated_at = ?1";
        db.execute(&format!("{files} WHERE id IN ({EXPIRED})"), (now,)).await?;
        let exports = "UPDATE content_exports SET attachment_id = NULL
            WHERE attachment_id IS NOT NULL AND expires_at <= ?1";
        db.execute(exports, (now,)).await
    });
    work.await
}
