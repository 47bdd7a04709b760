//! The work of the tick here: sessions whose time is over, and that nobody has handed in, are handed in as they are; attempts are
//! regraded; and reports are made.

use std::time::Instant;

use quiz_reports::work;
use shared::background::JobOutcome;
use shared::ids::QuizSessionId;
use shared::{Context, Result};
use submissions::overdue::Overdue;
use submissions::quizzes::Quizzes;

use crate::ending::end_overdue;
use crate::model::sessions::GRACE;
use crate::{regrading, report_writing};

/// The job of the tick. What went wrong before comes last: it may end the process, and with it all that is behind.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    let overdue = Overdue::new(&cx, Quizzes::New, cx.now.plus_seconds(-GRACE), until);
    let end = async |id, scored_by| end_overdue(&cx, QuizSessionId(id), scored_by).await;
    let ended = overdue.hand_in(end).await?;
    if ended.more {
        return Ok(ended);
    }
    let regraded = regrading::run(&cx, until).await?;
    let reports = work::run(&cx, Quizzes::New, until, report_writing::write).await?;
    let retried = overdue.retry(end).await?;
    Ok([ended, regraded, reports, retried].into_iter().sum())
}
