//! The SQL of exports: whose they are, and how they end.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::files::Owner;
use shared::ids::{AccountId, ContentExportId, ProgressId, UserId};
use shared::leases::{Jobs, Lease};
use shared::{Db, Timestamp, db, progress};
use uuid::Uuid;

use crate::model::exports::WrittenPackage;
use crate::model::exports::{ExportType, Settings};

/// The exports.
pub(crate) const EXPORTS: Jobs = Jobs { table: "content_exports", at_work: "exporting", since: "created_at" };

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
    /// The number of times that it was begun, this time too.
    pub(crate) attempts: i64,
    /// The name of the course; blank of others.
    pub(crate) course_name: String,
}

impl Claimed {
    /// The owner of the exported content.
    pub(crate) fn owner(&self) -> Option<Owner> {
        Owner::of(&self.context_type, self.context_id)
    }
}

/// The export that is taken.
#[derive(Clone, Copy)]
pub(crate) enum JobChoice {
    /// The one of that id.
    One(ContentExportId),
    /// The oldest of that user that nobody has begun.
    NextOf(UserId),
    /// The oldest.
    Any,
}

/// An export `e` that nobody works on, and whose user has no other that somebody works on: `?1` is the moment.
pub(super) const IS_FREE: &str = "e.workflow_state IN ('created', 'exporting')
    AND (e.leased_until IS NULL OR e.leased_until <= ?1)
    AND NOT EXISTS (SELECT 1 FROM content_exports o
                    WHERE o.workflow_state IN ('created', 'exporting') AND o.user_id = e.user_id AND o.id <> e.id
                      AND o.leased_until > ?1)";

/// Takes a job that nobody works on.
pub(crate) async fn claim(
    db: &Db,
    which: JobChoice,
    lease: &str,
    until: Timestamp,
    now: Timestamp,
) -> db::Result<Option<Claimed>> {
    let (id, user) = match which {
        JobChoice::One(id) => (Some(id), None),
        JobChoice::NextOf(user) => (None, Some(user)),
        JobChoice::Any => (None, None),
    };
    let sql = format!(
        "UPDATE content_exports
         SET workflow_state = 'exporting', lease = ?4, leased_until = ?5, attempts = attempts + 1
         WHERE id = (SELECT e.id FROM content_exports e
                     WHERE {IS_FREE} AND (?2 IS NULL OR e.id = ?2) AND (?3 IS NULL OR (e.user_id = ?3 AND e.attempts = 0))
                     ORDER BY e.id LIMIT 1)
         RETURNING id, root_account_id, context_type, context_id, user_id, export_type, settings,
             skip_notifications, progress_id, attempts,
             iif(context_type = 'Course',
                 (SELECT c.name FROM courses c WHERE c.id = content_exports.context_id), '') AS course_name"
    );
    let work = db.transaction(async |db| {
        let claimed: Option<Claimed> = db.fetch(&sql, (now, id, user, lease, until)).await?;
        if let Some(claimed) = &claimed {
            progress::begin(db, claimed.progress_id, now).await?;
        }
        Ok::<_, db::Error>(claimed)
    });
    work.await
}

/// The package is whole; false where somebody else has the job. `db` is in a transaction.
pub(crate) async fn complete(
    db: &Db,
    export: &Claimed,
    lease: &Lease,
    made: &WrittenPackage,
    now: Timestamp,
) -> db::Result<bool> {
    if !lease.renew(db, now).await? {
        return Ok(false);
    }
    let uuid = Uuid::new_v4().simple().to_string();
    let WrittenPackage { name, content_type, blob, size, issues, is_private } = made;
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
             leased_until = NULL, issues = ?3, is_private = ?4
         WHERE id = ?1",
        (export.id, &uuid, Json(issues), *is_private),
    )
    .await?;
    progress::end(db, export.progress_id, "completed", None, now).await?;
    Ok(true)
}

/// There will be no package; false where somebody else has the job. `db` is in a transaction.
pub(crate) async fn fail(db: &Db, export: &Claimed, lease: &Lease, reason: &str, now: Timestamp) -> db::Result<bool> {
    if !lease.renew(db, now).await? {
        return Ok(false);
    }
    let sql = "UPDATE content_exports SET workflow_state = 'failed', lease = NULL, leased_until = NULL WHERE id = ?1";
    db.execute(sql, (export.id,)).await?;
    progress::end(db, export.progress_id, "failed", Some(reason), now).await?;
    Ok(true)
}

/// Takes back the older packages of a user, of which there are too many or which have too many bytes together, and tells
/// the blobs that nothing names any more. `db` is in a transaction.
pub(crate) async fn take_back(db: &Db, user: UserId, most: i64, quota: i64, now: Timestamp) -> db::Result<Vec<String>> {
    #[derive(Deserialize, Serialize)]
    struct Old {
        attachment_id: i64,
        blob: String,
    }
    let old: Vec<Old> = db
        .fetch_all(
            "SELECT attachment_id, blob FROM (
                 SELECT e.attachment_id, a.blob,
                        row_number() OVER (PARTITION BY e.context_type, e.context_id ORDER BY e.id DESC) AS place,
                        sum(a.size) OVER (ORDER BY e.id DESC) AS bytes
                 FROM content_exports e JOIN attachments a ON a.id = e.attachment_id
                 WHERE e.user_id = ?1 AND e.attachment_id IS NOT NULL AND a.workflow_state = 'available')
             WHERE place > ?2 OR bytes > ?3",
            (user, most, quota),
        )
        .await?;
    if old.is_empty() {
        return Ok(Vec::new());
    }
    let ids = "SELECT value ->> 'attachment_id' FROM json_each(?1)";
    let exports = format!("UPDATE content_exports SET attachment_id = NULL WHERE attachment_id IN ({ids})");
    let files =
        format!("UPDATE attachments SET workflow_state = 'deleted', blob = '', updated_at = ?2 WHERE id IN ({ids})");
    db.execute(&exports, (Json(&old),)).await?;
    db.execute(&files, (Json(&old), now)).await?;
    Ok(old.into_iter().map(|own| own.blob).collect())
}

/// The packages whose time is over at `?1`.
pub(super) const EXPIRED: &str =
    "SELECT attachment_id FROM content_exports WHERE attachment_id IS NOT NULL AND expires_at <= ?1";

/// Takes back packages whose time is over. Their bytes go with those of deleted files.
pub(crate) async fn expire(db: &Db, now: Timestamp) -> db::Result<()> {
    let work = db.transaction(async |db| {
        let files = "UPDATE attachments SET workflow_state = 'deleted', updated_at = ?1";
        db.execute(&format!("{files} WHERE id IN ({EXPIRED})"), (now,)).await?;
        let exports = "UPDATE content_exports SET attachment_id = NULL
            WHERE attachment_id IS NOT NULL AND expires_at <= ?1";
        db.execute(exports, (now,)).await
    });
    work.await
}
