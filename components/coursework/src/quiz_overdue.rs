//! Attempts at classic quizzes whose time is over, and that nobody has handed in: they are handed in as they are.

use ::submissions::events::Events;
use ::submissions::overdue::ScoredBy;
use shared::error::OrNotFound;
use shared::ids::QuizSubmissionId;
use shared::live_events::Place;
use shared::{Context, Db, Result, Timestamp};

use crate::model::quiz_submissions::Row;
use crate::quiz_grading::{Outcome, finish};
use crate::store::{quiz_submissions as store, quizzes};

/// For so many seconds after the time is over answers that were on their way are taken.
pub(crate) const GRACE: i64 = 60;
/// Hands in the attempt if its time is over.
pub(crate) async fn hand_in_if_overdue(cx: &Context, id: QuizSubmissionId, scored_by: ScoredBy) -> Result<()> {
    let Some(attempt) = store::overdue(&cx.db, id, cx.now.plus_seconds(-GRACE)).await? else { return Ok(()) };
    let place = Place::in_course(attempt.root_account_id, attempt.account_id, attempt.course_id, attempt.assignment_id);
    let mut events = Events::of_student(cx, place, attempt.user_id).await?;
    let outcome = cx.db.transaction(async |db| as_it_is(cx, db, id, scored_by, &mut events).await);
    outcome.await?;
    events.send();
    Ok(())
}

/// True if the time of the attempt is over, and answers that were on their way have come.
pub(crate) fn is_overdue(row: &Row, now: Timestamp) -> bool {
    row.end_at.is_some_and(|end| end.plus_seconds(GRACE) <= now)
}

async fn as_it_is(cx: &Context, db: &Db, id: QuizSubmissionId, scored_by: ScoredBy, events: &mut Events) -> Result<()> {
    let mut row = store::attempt(db, id).await?.or_not_found()?;
    if !row.is_running() || !is_overdue(&row, cx.now) {
        // Somebody was faster.
        return Ok(());
    }
    let quiz = quizzes::quiz(db, row.course_id, row.quiz_id).await?.or_not_found()?;
    row.record.0.finished_at = row.end_at;
    let outcome = match scored_by {
        ScoredBy::Service => Outcome::of(&row, quiz.quiz_type),
        ScoredBy::Person => Outcome::unscored(&row),
    };
    finish(db, &row, &outcome, quiz.settings.0.scoring_policy, None, events, cx.now).await
}
