//! The work of the tick here.

use std::time::Instant;

use shared::background::{self, JobOutcome};
use shared::notify::Notifier;
use shared::{Context, Result};

use crate::{assignment_notices, quiz_overdue};

/// Hands in attempts whose time is over, and tells of work that will soon be due.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    let alerted = assignment_notices::alert(&cx.db, &Notifier::of_job(&cx).await?, cx.now).await?;
    if alerted > 0 {
        background::run_soon();
    }
    let handed_in = quiz_overdue::run(cx, until).await?;
    Ok(JobOutcome { done: handed_in.done + alerted, ..handed_in })
}
