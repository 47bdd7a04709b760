//! Attempts at classic quizzes whose time is over, and that nobody has handed in: they are handed in as they are.

use std::time::Instant;

use ::submissions::events::Events;
use shared::background::{self, JobOutcome};
use shared::error::OrNotFound;
use shared::ids::QuizSubmissionId;
use shared::live_events::Place;
use shared::{Context, Db, Error, Result};

use crate::model::quiz_submissions::Row;
use crate::quiz_grading::{Outcome, finish};
use crate::store::quiz_submissions::{self as store, Overdue};
use crate::store::quizzes;

/// For so many seconds after the time is over answers that were on their way are taken.
pub(crate) const GRACE: i64 = 60;
/// The number of attempts that are handed in before the clock is looked at.
const BATCH: i64 = 20;

/// The job of the tick. One attempt that fails does not keep the others from being handed in, and one that it is cut off at is tried
/// a few times.
pub(crate) async fn run(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let mut done = 0;
    while Instant::now() < until {
        let overdue = store::overdue(&cx.db, cx.now.plus_seconds(-GRACE), BATCH).await?;
        if overdue.is_empty() {
            return Ok(JobOutcome { done, more: false });
        }
        let before = done;
        for attempt in overdue {
            match take(cx, attempt).await {
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

async fn take(cx: &Context, attempt: Overdue) -> Result<()> {
    let id = attempt.id;
    store::begin_hand_in(&cx.db, id).await?;
    let taken = hand_in(cx, attempt).await;
    if taken.as_ref().is_err_and(Error::is_outage) {
        store::postpone_hand_in(&cx.db, id).await?;
    }
    taken
}

/// Hands in the attempt if its time is over.
pub(crate) async fn hand_in_if_overdue(cx: &Context, row: &Row) -> Result<()> {
    match store::is_overdue(&cx.db, row.id, cx.now.plus_seconds(-GRACE)).await? {
        Some(overdue) => hand_in(cx, overdue).await,
        None => Ok(()),
    }
}

async fn hand_in(cx: &Context, attempt: Overdue) -> Result<()> {
    let place = Place {
        root_account: attempt.root_account_id,
        account: attempt.account_id,
        course: Some(attempt.course_id),
        assignment: attempt.assignment_id,
    };
    let mut events = Events::of_student(cx, place, attempt.user_id).await?;
    let outcome = cx.db.transaction(async |db| as_it_is(cx, db, attempt.id, &mut events).await);
    outcome.await?;
    events.send();
    Ok(())
}

async fn as_it_is(cx: &Context, db: &Db, id: QuizSubmissionId, events: &mut Events) -> Result<()> {
    let mut row = store::attempt(db, id).await?.or_not_found()?;
    if !row.is_running() || row.end_at.is_none_or(|end| cx.now <= end.plus_seconds(GRACE)) {
        // Somebody was faster.
        return Ok(());
    }
    let quiz = quizzes::quiz(db, row.course_id, row.quiz_id).await?.or_not_found()?;
    row.record.0.finished_at = row.end_at;
    finish(db, &row, &Outcome::of(&row), quiz.settings.0.scoring_policy, None, events, cx.now).await
}
