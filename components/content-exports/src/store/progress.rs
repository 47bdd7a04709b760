//! The SQL of progress.

use serde::Deserialize;
use shared::auth::{Caller, SectionLimit};
use shared::ids::{AttachmentId, CourseId, ProgressId, QuizReportId};
use shared::progress::{COLUMNS, ProgressRow, lookup};
use shared::{Db, Result, Timestamp, db, needs};

/// The progress as it is now.
pub(crate) async fn progress(db: &Db, caller: &Caller, id: ProgressId) -> Result<ProgressRow> {
    needs::find(db, caller, lookup(id)).await
}

/// Ends work that has not ended; `None` where it has.
pub(crate) async fn cancel(
    db: &Db,
    id: ProgressId,
    message: Option<String>,
    now: Timestamp,
) -> db::Result<Option<ProgressRow>> {
    let sql = format!(
        "UPDATE progresses SET workflow_state = 'failed', message = ?2, updated_at = ?3
         WHERE id = ?1 AND workflow_state IN ('queued', 'running') RETURNING {COLUMNS}"
    );
    db.fetch(&sql, (id, message, now)).await
}

/// The course into which a migration goes.
pub(crate) async fn course_of_migration(db: &Db, id: i64) -> db::Result<Option<CourseId>> {
    #[derive(Deserialize)]
    struct CourseRow {
        course_id: CourseId,
    }
    let of: Option<CourseRow> = db.fetch("SELECT course_id FROM content_migrations WHERE id = ?1", (id,)).await?;
    Ok(of.map(|of| of.course_id))
}

/// A report of a quiz: who sees it, and where it is written.
#[derive(Deserialize)]
pub(crate) struct KnownReport {
    pub(crate) course_id: CourseId,
    pub(crate) section_limit: SectionLimit,
    pub(crate) attachment_id: Option<AttachmentId>,
}

/// The report of that id, if it is not removed.
pub(crate) async fn report(db: &Db, id: QuizReportId) -> db::Result<Option<KnownReport>> {
    db.fetch("SELECT course_id, section_limit, attachment_id FROM quiz_reports WHERE id = ?1", (id,)).await
}
