//! The work of the tick here: sessions whose time is over, and that nobody has handed in, are handed in as they are; attempts are
//! regraded; and reports are made.

use std::time::Instant;

use quiz_reports::store::Quizzes;
use quiz_reports::work;
use shared::background::{self, JobOutcome};
use shared::{Context, Result};

use crate::ending::end_overdue;
use crate::model::sessions::GRACE;
use crate::store::ending::overdue;
use crate::{regrading, report_writing};

/// The number of sessions that are ended before the clock is looked at.
const BATCH: i64 = 20;

/// The job of the tick.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    let ended = end_sessions(&cx, until).await?;
    if ended.more {
        return Ok(ended);
    }
    let regraded = regrading::run(&cx, until).await?;
    let reports = work::run(&cx, Quizzes::New, until, report_writing::write).await?;
    Ok(JobOutcome { done: ended.done + regraded.done + reports.done, more: regraded.more || reports.more })
}

/// Hands in sessions whose time is over. One that fails does not keep the others from being ended.
async fn end_sessions(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let mut done = 0;
    while Instant::now() < until {
        let sessions = overdue(&cx.db, cx.now.plus_seconds(-GRACE), BATCH).await?;
        if sessions.is_empty() {
            return Ok(JobOutcome { done, more: false });
        }
        let before = done;
        for session in sessions {
            match end_overdue(cx, session).await {
                Ok(()) => done += 1,
                Err(error) => background::log_failure(&error),
            }
        }
        if done == before {
            return Ok(JobOutcome { done, more: false });
        }
    }
    Ok(JobOutcome { done, more: true })
}
