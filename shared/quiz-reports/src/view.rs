//! Reports as clients see them.

use serde::Serialize;
use shared::files::File;
use shared::ids::QuizReportId;
use shared::progress::Progress;
use shared::{Context, JsonSchema, Result, Timestamp};

use crate::report::ReportType;
use crate::store::ReportRow;

/// A report of a quiz.
#[derive(Serialize, JsonSchema)]
pub struct QuizReport {
    id: QuizReportId,
    /// The id of the quiz.
    quiz_id: i64,
    report_type: ReportType,
    /// The type for people.
    readable_type: &'static str,
    /// True if all attempts of each student are in it, and not the last one alone.
    includes_all_versions: bool,
    /// True if it tells nobody's name, as of a survey that is anonymous.
    anonymous: bool,
    /// True: it can be made again.
    generatable: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    url: String,
    /// Null before it is made.
    file: Option<File>,
    /// Null when it is made.
    progress: Option<Progress>,
    /// Where the progress is asked for; null when it is made.
    progress_url: Option<String>,
}

impl QuizReport {
    /// A report of the quiz of that id; `path` is that of the quiz.
    pub async fn of(cx: &Context, quiz_id: i64, path: &str, row: ReportRow) -> Result<Self> {
        let base_url = cx.base_url().await?;
        let is_generated = row.is_generated();
        let file = match &row.attachment {
            Some(attachment) => Some(File::of(&base_url, &attachment.0, cx.now).await?),
            None => None,
        };
        let progress = match is_generated {
            true => None,
            false => Some(Progress::of(cx, row.progress.0).await?),
        };
        Ok(Self {
            id: row.id,
            quiz_id,
            report_type: row.report_type,
            readable_type: row.report_type.readable(),
            includes_all_versions: row.includes_all_versions,
            anonymous: row.is_anonymous,
            generatable: true,
            created_at: row.created_at,
            updated_at: row.updated_at,
            url: format!("{base_url}{path}/reports/{}", row.id),
            file,
            progress_url: progress.as_ref().map(|progress| progress.url().to_owned()),
            progress,
        })
    }
}
