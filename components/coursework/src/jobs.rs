//! The work of the tick here.

use std::time::Instant;

use quiz_reports::work;
use shared::background::{self, JobOutcome};
use shared::ids::QuizSubmissionId;
use shared::notify::Notifier;
use shared::{Context, Result};
use submissions::overdue::Overdue;
use submissions::quizzes::Quizzes;

use crate::quiz_overdue::{GRACE, hand_in_if_overdue};
use crate::{assignment_notices, late_grading, other_points, quiz_regrading, report_writing};

/// Grades what is late or missing by late policies, shows grades anew whose quizzes are worth something else, hands in attempts whose
/// time is over, tells of work that will soon be due, regrades attempts, and makes reports of quizzes. Attempts that went wrong before
/// come last: they may end the process, and with it all that is behind.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    let graded = late_grading::run(&cx, until).await?;
    let shown = other_points::run(&cx, until).await?;
    let overdue = Overdue::new(&cx, Quizzes::Classic, cx.now.plus_seconds(-GRACE), until);
    let hand_in = async |id, scored_by| hand_in_if_overdue(&cx, QuizSubmissionId(id), scored_by).await;
    let handed_in = overdue.hand_in(hand_in).await?;
    let alerted = alert(&cx, until).await.unwrap_or_else(|failure| {
        background::log_failure(&failure);
        JobOutcome::default()
    });
    let regraded = quiz_regrading::run(&cx, until).await?;
    let reports = work::run(&cx, Quizzes::Classic, until, report_writing::write).await?;
    let retried = overdue.retry(hand_in).await?;
    Ok([graded, shown, handed_in, alerted, regraded, reports, retried].into_iter().sum())
}

async fn alert(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let outcome = assignment_notices::alert(&cx.db, &Notifier::of_job(cx).await?, cx.now, until).await?;
    if outcome.done > 0 {
        background::run_soon();
    }
    Ok(outcome)
}
