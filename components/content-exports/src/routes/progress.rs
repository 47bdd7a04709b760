//! The progress of work that runs after the answer. See "Progress" in `docs/contract/content-exports.md`.

use quiz_reports::report;
use serde::Deserialize;
use shared::auth::{CourseAccess, Right};
use shared::db::Json;
use shared::error::OrNotFound;
use shared::files::{self, area};
use shared::needs::Needed;
use shared::prefetch::Prefetched;
use shared::progress::{Progress, ProgressResults, ProgressRow};
use shared::{Context, Error, Form, JsonSchema, Reply, Result, endpoint, endpoints, params};

use crate::routes::content_exports;
use crate::store::progress::{self as store, KnownReport, Work};

const MAX_MESSAGE_CHARS: usize = 1000;

endpoints![get_progress, cancel_progress];

#[derive(Deserialize, JsonSchema)]
struct CancelForm {
    /// The reason.
    #[serde(default)]
    message: Option<String>,
}

/// Tells how far work has come.
///
/// Of a report of a quiz that is made, `results` has the address of its file.
#[endpoint(GET "/api/v1/progress/:id")]
async fn get_progress(cx: Context, progress: Needed<ProgressRow>, work: Prefetched<Work>) -> Result<Reply<Progress>> {
    let results = require_read(&cx, &progress, work.record()?).await?;
    Ok(Reply::ok(Progress::of(&cx, progress.into_record()).await?.with_results(results)))
}

/// Marks work as failed, which its user alone may do.
#[endpoint(POST "/api/v1/progress/:id/cancel")]
async fn cancel_progress(
    cx: Context,
    progress: Needed<ProgressRow>,
    body: Form<CancelForm>,
) -> Result<Reply<Progress>> {
    if progress.user_id != cx.caller()?.user {
        return Err(Error::forbidden());
    }
    let message = body.decode()?.message;
    params::not_too_long("message", message.as_deref().unwrap_or_default(), MAX_MESSAGE_CHARS)?;
    let ended = match store::cancel(&cx.db, progress.id, message, cx.now).await? {
        Some(cancelled) => cancelled,
        // It had ended, maybe just now.
        None => store::progress(&cx.db, cx.caller()?, progress.id).await?,
    };
    Ok(Reply::ok(Progress::of(&cx, ended).await?))
}

/// 403 unless the caller may see what is worked on. Of a report that is written it answers where.
async fn require_read(cx: &Context, progress: &ProgressRow, work: Work) -> Result<Option<ProgressResults>> {
    let user = cx.caller()?.user;
    match progress.context_type.as_str() {
        "ContentExport" => {
            let Json(export) = work.export.or_not_found()?;
            content_exports::require_read(&area(cx, export.owner()).await?, &export, user)?;
        }
        "ContentMigration" => work.course.or_not_found()?.0.require(Right::Manage)?,
        report::CONTEXT => match work.report {
            Some(Json(report)) => return report_results(cx, &work.course.or_not_found()?.0, report).await,
            None if progress.user_id == user => {}
            None => return Err(Error::forbidden()),
        },
        _ if progress.user_id == user => {}
        _ => return Err(Error::forbidden()),
    }
    Ok(None)
}

/// Where a report is written, for those who see it: graders of its course, of the sections that are in it.
async fn report_results(cx: &Context, course: &CourseAccess, report: KnownReport) -> Result<Option<ProgressResults>> {
    course.require(Right::ManageGrades)?;
    if !report::are_the_same(course.section_limit(), report.section_limit) {
        return Err(Error::forbidden());
    }
    let Some(file) = report.attachment_id else { return Ok(None) };
    Ok(Some(ProgressResults { url: files::address(&cx.base_url().await?, file, cx.now).await? }))
}
