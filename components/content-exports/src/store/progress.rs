//! The SQL of progress.

use quiz_reports::report;
use serde::Deserialize;
use shared::auth::{Caller, CourseAccess, SectionLimit};
use shared::db::Json;
use shared::ids::{AttachmentId, ProgressId};
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::progress::{COLUMNS, ProgressRow, lookup};
use shared::{Db, Result, Timestamp, db, needs};

use crate::store::exports::Export;

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

/// The work that the needed progress is of, as far as those who see it follow from that.
#[derive(Deserialize)]
pub(crate) struct Work {
    /// The export that is made.
    pub(crate) export: Option<Json<Export>>,
    /// The course into which a package comes, or of whose quiz a report is made: with what the caller may do there.
    pub(crate) course: Option<Json<CourseAccess>>,
    /// The report that is made, if it is not removed.
    pub(crate) report: Option<Json<KnownReport>>,
}

/// A report of a quiz: who sees it, and where it is written.
#[derive(Deserialize)]
pub(crate) struct KnownReport {
    pub(crate) section_limit: SectionLimit,
    pub(crate) attachment_id: Option<AttachmentId>,
}

impl Record for Work {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let id = |kind: &str| {
            format!("iif(caller.needed ->> 'context_type' = '{kind}', caller.needed ->> 'context_id', NULL)")
        };
        let (export, migration, report) = (id("ContentExport"), id("ContentMigration"), id(report::CONTEXT));
        let course = format!(
            "ifnull((SELECT course_id FROM content_migrations WHERE id = {migration}),
                    (SELECT course_id FROM quiz_reports WHERE id = {report}))"
        );
        let sql = format!(
            "SELECT {} AS export, {} AS course, {} AS report",
            nested::<Export>(&format!("SELECT {} FROM content_exports WHERE id = {export}", Export::columns()?))?,
            nested::<CourseAccess>(&CourseAccess::by_id(&course))?,
            nested::<KnownReport>(&format!(
                "SELECT section_limit, attachment_id FROM quiz_reports WHERE id = {report}"
            ))?,
        );
        Ok(Lookup::new(sql, ()))
    }
}
