//! The work of the tick here: sessions whose time is over, and that nobody has handed in, are handed in as they are; attempts are
//! regraded; and reports are made.

use std::time::Instant;

use quiz_reports::work;
use serde_json::json;
use shared::background::{self, JobOutcome};
use shared::ids::QuizSessionId;
use shared::{Context, Result};
use submissions::quizzes::Quizzes;

use crate::ending::{end_overdue, end_unjudged};
use crate::model::sessions::GRACE;
use crate::store::ending as store;
use crate::{regrading, report_writing};

/// The sessions that are looked for at a time.
const BATCH: i64 = 20;
/// The most sessions that are tried once more in a tick.
const MAX_RETRIES: i64 = 1_000;
/// The number of times that the tick begins to hand a session in: one that ends without a word, as when its process is killed, is
/// seldom the fault of the session.
const MAX_BEGINNINGS: i64 = 5;

/// The job of the tick. What went wrong before comes last: it may end the process, and with it all that is behind.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    let ended = end_sessions(&cx, until).await?;
    if ended.more {
        return Ok(ended);
    }
    let regraded = regrading::run(&cx, until).await?;
    let reports = work::run(&cx, Quizzes::New, until, report_writing::write).await?;
    let retried = retry_sessions(&cx, until).await?;
    Ok(JobOutcome {
        done: ended.done + regraded.done + reports.done + retried.done,
        more: regraded.more || reports.more || retried.more,
    })
}

/// Hands in sessions whose time is over. One that fails does not keep the others from being ended: it is left for [`retry_sessions`].
async fn end_sessions(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let mut done = 0;
    loop {
        let sessions = store::overdue(&cx.db, cx.now.plus_seconds(-GRACE), BATCH).await?;
        if sessions.is_empty() {
            return Ok(JobOutcome { done, more: false });
        }
        let ended = hand_in_all(cx, sessions, until).await?;
        done += ended.done;
        if ended.more {
            return Ok(JobOutcome { done, more: true });
        }
    }
}

/// Tries once more to hand in what the tick has begun to hand in before.
async fn retry_sessions(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let sessions = store::begun(&cx.db, cx.now.plus_seconds(-GRACE), cx.now, MAX_RETRIES).await?;
    hand_in_all(cx, sessions, until).await
}

/// Hands sessions in, as far as the time allows.
async fn hand_in_all(cx: &Context, sessions: Vec<QuizSessionId>, until: Instant) -> Result<JobOutcome> {
    let mut done = 0;
    for session in sessions {
        if Instant::now() >= until {
            return Ok(JobOutcome { done, more: true });
        }
        let Some(beginnings) = store::begin(&cx.db, session, cx.now).await? else { continue };
        match hand_in(cx, session, beginnings).await {
            Ok(()) => done += 1,
            Err(error) => {
                background::log_failure(&error);
                if error.is_outage() {
                    store::postpone(&cx.db, session).await?;
                }
            }
        }
    }
    Ok(JobOutcome { done, more: false })
}

/// Hands a session in. What was begun too often is not scored again.
async fn hand_in(cx: &Context, session: QuizSessionId, beginnings: i64) -> Result<()> {
    if beginnings <= MAX_BEGINNINGS {
        return end_overdue(cx, session).await;
    }
    background::log(
        &json!({ "background": format!("session {session} was interrupted too often and waits for a person") }),
    );
    end_unjudged(cx, session).await
}
