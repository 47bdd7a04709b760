//! The SQL of exports.

use serde::Deserialize;
use serde_json::Value;
use shared::auth::Right;
use shared::db::{IdRow, Json};
use shared::error::OrNotFound;
use shared::files::{Area, Attachment, Owner};
use shared::ids::{ContentExportId, ProgressId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::pagination::Key;
use shared::prefetch::{List, Pages};
use shared::{Db, Error, Result, Timestamp, db};

use crate::limits::MAX_PENDING_EXPORTS;
use crate::model::exports::{ExportIssue, ExportType, OWNERS, Settings};

/// An export as it is stored.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Export {
    pub(crate) id: ContentExportId,
    pub(crate) context_type: String,
    pub(crate) context_id: i64,
    pub(crate) user_id: UserId,
    pub(crate) export_type: ExportType,
    pub(crate) progress_id: ProgressId,
    /// The package, until it is removed.
    pub(crate) package: Option<Json<Attachment>>,
    pub(crate) workflow_state: String,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Timestamp,
    pub(crate) issues_count: i64,
    /// True if the package has questions of banks that not everybody may read who sees the export.
    pub(crate) is_private: bool,
}

impl Export {
    /// The columns of a row, for `SELECT` and `RETURNING`.
    pub(crate) fn columns() -> db::Result<String> {
        let package = db::json_object::<Attachment>()?;
        Ok(format!(
            "id, context_type, context_id, user_id, export_type, progress_id, workflow_state, created_at, expires_at,
             json_array_length(issues) AS issues_count, {IS_PRIVATE} AS is_private,
             (SELECT {package} FROM attachments a WHERE a.id = attachment_id AND a.workflow_state = 'available') AS package"
        ))
    }

    /// True if that user may have the package, and read what it could not say.
    pub(crate) fn may_have(&self, user: UserId) -> bool {
        !self.is_private || self.user_id == user
    }

    /// The owner of the exported content.
    pub(crate) fn owner(&self) -> Option<Owner> {
        Owner::of(&self.context_type, self.context_id)
    }
}

/// True if a package has questions of banks that its course does not own. Of one of which nobody has noted it, that it may have some.
const IS_PRIVATE: &str = "ifnull(is_private, context_type = 'Course' AND export_type <> 'zip' AND EXISTS (
    SELECT 1 FROM quizzes z
    JOIN quiz_groups g ON g.quiz_id = z.id
    JOIN question_banks b ON b.id = g.assessment_question_bank_id
    WHERE z.course_id = content_exports.context_id AND b.course_id IS NOT content_exports.context_id))";

/// The content of an export.
pub(crate) struct New {
    pub(crate) user: UserId,
    pub(crate) export_type: ExportType,
    pub(crate) skip_notifications: bool,
    pub(crate) settings: Settings,
    pub(crate) expires: Timestamp,
}

/// The kind of the owner that a path names.
fn kind(path: MatchedPath<'_>) -> Result<&'static str> {
    for (word, kind) in OWNERS {
        if path.behind::<Value>(word)?.is_some() {
            return Ok(kind);
        }
    }
    None.or_not_found()
}

/// The exports that the caller sees of the owner that is needed, the newest first.
pub(crate) struct Exports;

impl List for Exports {
    type Row = Export;
    const PAGES: Pages = Pages::Keyset(Key::descending(&["id"]));

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (kind, columns) = (kind(path)?, Export::columns()?);
        // Groups and users have files alone.
        let as_staff = match kind {
            "Course" => format!(
                "(SELECT caller.needed ->> 'admin' OR EXISTS (
                      SELECT 1 FROM json_each(caller.needed ->> 'roles') WHERE value IN {}) FROM caller)",
                Right::ReadAsStaff.roles_sql()
            ),
            _ => "FALSE".to_owned(),
        };
        let sql = format!(
            "SELECT {columns} FROM content_exports
             WHERE context_type = ?1 AND context_id = (caller.needed ->> 'id')
               AND iif({as_staff} AND export_type <> 'zip', 1,
                       user_id = caller.user_id AND (export_type = 'zip' OR {as_staff}))"
        );
        Ok(Lookup::new(sql, (kind,)))
    }
}

/// The export of the path, of the owner that is needed.
impl Record for Export {
    const IDS: &'static [&'static str] = &["content_exports"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (id, columns): (ContentExportId, _) = (path.id("content_exports")?, Export::columns()?);
        let sql = format!(
            "SELECT {columns} FROM content_exports
             WHERE id = ?1 AND context_type = ?2 AND context_id = (caller.needed ->> 'id')"
        );
        Ok(Lookup::new(sql, (id, kind(path)?)))
    }
}

pub(crate) async fn export(db: &Db, owner: Owner, id: ContentExportId) -> db::Result<Option<Export>> {
    let columns = Export::columns()?;
    let sql = format!("SELECT {columns} FROM content_exports WHERE context_type = ?1 AND context_id = ?2 AND id = ?3");
    db.fetch(&sql, (owner.kind(), owner.id(), id)).await
}

/// What the package of the export of the path could not say, or not as it was.
pub(crate) struct Issues;

impl List for Issues {
    type Row = ExportIssue;
    const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: ContentExportId = path.id("content_exports")?;
        let sql = "SELECT i.key + 1 AS id, i.value ->> 'about' AS about, i.value ->> 'description' AS description
            FROM content_exports e JOIN json_each(e.issues) i WHERE e.id = ?1";
        Ok(Lookup::new(sql, (id,)))
    }
}

/// Makes the progress of an export; 409 where the user has as many exports of the owner that have not ended as there may be. `db` is
/// in a transaction.
pub(crate) async fn begin(db: &Db, area: &Area, user: UserId, now: Timestamp) -> Result<ProgressId> {
    // The ids of the two name each other: the progress gets the export's as soon as there is one.
    let progress: Option<IdRow<ProgressId>> = db
        .fetch(
            "INSERT INTO progresses (root_account_id, context_type, context_id, user_id, tag, created_at, updated_at)
             SELECT ?1, 'ContentExport', 0, ?2, 'content_export', ?3, ?3
             WHERE (SELECT count(*) FROM content_exports
                    WHERE workflow_state IN ('created', 'exporting') AND user_id = ?2 AND context_type = ?4
                      AND context_id = ?5) < ?6
             RETURNING id",
            (area.root_account, user, now, area.owner.kind(), area.owner.id(), MAX_PENDING_EXPORTS),
        )
        .await?;
    progress.map(|progress| progress.id).ok_or_else(|| {
        Error::conflict(format!("{MAX_PENDING_EXPORTS} exports have not ended yet: wait until one of them has"))
    })
}

/// Makes an export with that progress. The row is the job: whoever works takes it from there. `db` is in a transaction.
pub(crate) async fn insert(db: &Db, area: &Area, progress: ProgressId, new: New, now: Timestamp) -> db::Result<Export> {
    let columns = Export::columns()?;
    let sql = format!(
        "INSERT INTO content_exports (root_account_id, context_type, context_id, user_id, export_type, settings,
             skip_notifications, progress_id, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING {columns}"
    );
    let (kind, id) = (area.owner.kind(), area.owner.id());
    let (name, settings) = (new.export_type.name(), Json(new.settings));
    let skip = new.skip_notifications;
    let binds = (area.root_account, kind, id, new.user, name, settings, skip, progress, now, new.expires);
    let export: Export = db.fetch_one(&sql, binds).await?;
    db.execute("UPDATE progresses SET context_id = ?2 WHERE id = ?1", (progress, export.id)).await?;
    Ok(export)
}
