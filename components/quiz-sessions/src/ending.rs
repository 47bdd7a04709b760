//! The end of a session: it is scored and becomes an attempt, which is what the student has handed in.

use std::time::{Duration, Instant};

use shared::error::OrNotFound;
use shared::ids::{AttachmentId, QuizSessionId, QuizSubmissionId};
use shared::live_events::{Place, QuizSubmitted};
use shared::{Context, Db, Result, Timestamp, background};
use submissions::events::{Events, Work};
use submissions::kept_attempts::{self, Kept};
use submissions::overdue::{ScoredBy, hand_in_all};
use submissions::quizzes::Quizzes;
use submissions::{files, store as submissions_store};

use crate::answer_files::named_files;
use crate::model::items::Content;
use crate::model::scores::Marks;
use crate::model::sessions::{OverdueSession, SessionRow};
use crate::store::ending as store;
use crate::store::sessions;

/// The longest that one who reads a list waits for sessions to be ended before it.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Ends the session if its time is over: true if it was.
pub(crate) async fn end_if_overdue(cx: &Context, row: &SessionRow) -> Result<bool> {
    if !row.is_overdue(cx.now) {
        return Ok(false);
    }
    end_overdue(cx, row.id, ScoredBy::Service).await?;
    Ok(true)
}

/// Ends the sessions that a list is about to tell of, as who reads one of them does, as far as there is time. What the tick has
/// just begun, or cannot end, the reader is not kept waiting for.
pub(crate) async fn end_overdue_of(cx: &Context, sessions: &[OverdueSession]) {
    let now = Instant::now();
    let until = now.checked_add(MAX_WAIT).unwrap_or(now);
    for preview in sessions.iter().filter(|session| session.is_preview) {
        if Instant::now() >= until {
            return;
        }
        background::log_if_failed(end_overdue(cx, preview.id, ScoredBy::Service).await);
    }
    let sessions: Vec<_> = sessions.iter().filter(|session| !session.is_preview).map(|session| session.id.0).collect();
    let end = async |id, scored_by| end_overdue(cx, QuizSessionId(id), scored_by).await;
    background::log_if_failed(hand_in_all(cx, Quizzes::New, &sessions, until, &end).await.map(drop));
}

/// Ends a session whose time is over, with what was saved.
pub(crate) async fn end_overdue(cx: &Context, id: QuizSessionId, scored_by: ScoredBy) -> Result<()> {
    let events = events_of(cx, id).await?;
    match scored_by {
        ScoredBy::Service => end(cx, id, events).await,
        ScoredBy::Person => end_with(cx, id, events, Marks::unjudged).await,
    }
}

/// The events of a session that its student does not end.
async fn events_of(cx: &Context, id: QuizSessionId) -> Result<Events> {
    let row = sessions::session(&cx.db, id).await?.or_not_found()?;
    let place = Place::in_course(row.root_account_id, row.account_id, row.course_id, Some(row.assignment_id));
    Events::of_student(cx, place, row.user_id).await
}

/// Ends a session. One that has ended stays as it is, so that several may do it at once.
pub(crate) async fn end(cx: &Context, id: QuizSessionId, events: Events) -> Result<()> {
    end_with(cx, id, events, judged).await
}

/// What is made of the answers of a session.
type Judge = fn(&SessionRow, &Content) -> Marks;

fn judged(row: &SessionRow, content: &Content) -> Marks {
    Marks::of(row, content, background::log_text)
}

/// What is saved is judged before the transaction, which would keep others waiting; where an answer comes between, it is
/// judged again in the transaction.
async fn end_with(cx: &Context, id: QuizSessionId, mut events: Events, judge: Judge) -> Result<()> {
    let scored = Scored::of(&cx.db, id, judge).await?;
    let ended = cx.db.transaction(async |db| {
        if scored.submit(db, cx.now).await? {
            return complete(db, &scored, &mut events, cx.now).await;
        }
        let scored = Scored::of(db, id, judge).await?;
        match scored.submit(db, cx.now).await? {
            true => complete(db, &scored, &mut events, cx.now).await,
            // Somebody was faster.
            false => Ok(()),
        }
    });
    ended.await?;
    events.send();
    Ok(())
}

/// A session, and what its answers are worth.
struct Scored {
    row: SessionRow,
    marks: Marks,
    /// The files that are an answer.
    files: Vec<AttachmentId>,
}

impl Scored {
    async fn of(db: &Db, id: QuizSessionId, judge: Judge) -> Result<Self> {
        let (row, content) = sessions::taken_whole(db, id).await?.or_not_found()?.into_parts();
        let marks = judge(&row, &content);
        let files = named_files(&row, &content).flat_map(|(_, ids)| ids).collect();
        Ok(Self { row, marks, files })
    }

    /// True if this is what has ended the session.
    async fn submit(&self, db: &Db, now: Timestamp) -> Result<bool> {
        Ok(self.row.is_taking() && store::submit(db, self.row.id, &self.marks, submitted_at(&self.row, now)).await?)
    }
}

/// Nobody hands in later than the time was over.
fn submitted_at(row: &SessionRow, now: Timestamp) -> Timestamp {
    row.end_at.map_or(now, |end| end.min(now))
}

/// Keeps what the answers are worth, and makes an attempt of them. `db` is in the transaction that has ended the session.
async fn complete(db: &Db, scored: &Scored, events: &mut Events, now: Timestamp) -> Result<()> {
    let Scored { row, marks, files } = scored;
    store::set_marks(db, row.id, marks).await?;
    if row.is_preview {
        return Ok(());
    }
    let (quiz, user) = (row.assignment_id, row.user_id);
    let submitted_at = submitted_at(row, now);
    files::take_own(db, files, user, now).await?;
    let attempt = store::insert_attempt(db, quiz, user, &marks.responses, submitted_at).await?;
    store::set_attempt(db, row.id, &attempt).await?;
    submissions_store::ensure(db, quiz, user, now).await?;
    let before = submissions_store::submission(db, quiz, user).await?.or_not_found()?;
    let scores = kept_attempts::scores(db, quiz, user).await?;
    let own = scores.last().map(|score| score.of_assignment(before.points_possible));
    let kept = Kept::of(&before, &scores, &row.quiz_settings.0);
    let kept_submitted_at = kept.submitted_at.unwrap_or(submitted_at);
    let graded = submissions_store::GradedAttempt {
        attempt: attempt.attempt,
        submitted_at,
        kept: before.deduct(kept.grade, Some(kept_submitted_at)),
        kept_submitted_at,
        own: before.scale().grade(own.unwrap_or_default()),
        is_complete: scores.iter().all(|score| score.is_scored),
    };
    submissions_store::hand_in_graded(db, &before, &graded, now).await?;
    let after = submissions_store::submission(db, quiz, user).await?.or_not_found()?;
    let work = Work {
        course: row.course_id,
        before: Some(&before),
        row: &after,
        quiz: Some(QuizSubmitted { quiz_submission_id: QuizSubmissionId(attempt.id), quiz_id: quiz.0, user_id: user }),
        to_read: !marks.is_scored,
    };
    events.queue(db, events.of_work(&work)?).await
}
