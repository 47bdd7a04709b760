//! Reports as clients see them, and who may ask for how many.

use serde::Serialize;
use shared::clock::{DAY, HOUR};
use shared::files::File;
use shared::ids::{QuizReportId, UserId};
use shared::progress::Progress;
use shared::throttle::{self, Limit};
use shared::{Context, JsonSchema, LimitKind, Result, Timestamp, config};

use crate::report::ReportType;
use crate::store::ReportRow;

/// The number of exports that a user may begin within an hour, of which a report is one.
const HOURLY_LIMIT: &str = "content_export_hourly_limit";
/// For how many days a file is kept.
const RETENTION: &str = "content_export_retention_days";

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

/// Counts a report; 429 where the user has begun too many.
pub async fn take_turn(cx: &Context, user: UserId) -> Result<()> {
    let limit = Limit { most: config::number(HOURLY_LIMIT).await?, seconds: HOUR };
    throttle::require_turn(cx, LimitKind::ContentExports, &format!("content-export/{user}"), limit).await
}

/// When a report that is asked for now is removed.
pub async fn expiry(cx: &Context) -> Result<Timestamp> {
    Ok(cx.now.plus_seconds(config::number::<i64>(RETENTION).await?.saturating_mul(DAY)))
}
