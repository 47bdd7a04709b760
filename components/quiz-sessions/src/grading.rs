//! Grading by a person: points and comments of a session, and what follows for the grade of the student.

use shared::auth::CourseAccess;
use shared::error::OrNotFound;
use shared::ids::UserId;
use shared::{Context, Db, Error, Result, Timestamp, background};
use submissions::events::Events;
use submissions::kept_attempts::{self, Kept};
use submissions::store::Row as Submission;
use submissions::{comments, store as submissions_store};

use crate::model::comments::{NewComment, told};
use crate::model::grading::{Grading, GradingForm};
use crate::model::items::Content;
use crate::model::results::VisibleResults;
use crate::model::sessions::SessionRow;
use crate::store::{grading as store, sessions};

/// What became of the points that a grader gave.
pub(crate) enum Graded {
    /// The session as it is now.
    Now(Box<(SessionRow, Content)>),
    /// Somebody else was faster: nothing is kept, and this is what stands.
    Stale(Box<(SessionRow, Content)>),
}

/// Grades a session that is handed in. What is there already changes nothing, whichever version is named.
pub(crate) async fn grade(
    cx: &Context,
    course: &CourseAccess,
    (row, content): (SessionRow, Content),
    form: GradingForm,
) -> Result<Graded> {
    if row.is_preview {
        return Err(Error::conflict("a preview counts nowhere, and has no grade"));
    }
    if row.is_taking() {
        return Err(Error::conflict("the session is not handed in"));
    }
    content.require()?;
    let grader = cx.caller()?.user;
    let Some(grading) = Grading::of(&row, &content, form, (grader, cx.now), background::log_text)? else {
        return Ok(Graded::Now(Box::new((row, content))));
    };
    if grading.version != row.grading_version {
        return Ok(Graded::Stale(Box::new((row, content))));
    }
    let mut events = Events::of(cx, course, Some(row.assignment_id)).await?;
    let graded = cx.db.transaction(async |db| {
        if !store::grade(db, row.id, &grading, grader, cx.now).await? {
            return Ok(false);
        }
        store::set_grades(db, row.id, &grading.changes).await?;
        let submission = pass_on(db, &row, &grading, grader, &mut events, cx.now).await?;
        tell_comments(db, &row, &submission, (grader, &grading.comments), &events, cx.now).await?;
        Ok::<_, Error>(true)
    });
    let is_graded = graded.await?;
    if is_graded {
        events.send();
    }
    let now = sessions::taken(&cx.db, row.id).await?.or_not_found()?.into_parts();
    Ok(if is_graded { Graded::Now(Box::new(now)) } else { Graded::Stale(Box::new(now)) })
}

/// Gives the student's submission the grade that the quiz keeps, and answers the submission as it is then. `db` is in the
/// transaction that has graded the session.
async fn pass_on(
    db: &Db,
    row: &SessionRow,
    grading: &Grading,
    grader: UserId,
    events: &mut Events,
    now: Timestamp,
) -> Result<Submission> {
    let (quiz, user) = (row.assignment_id, row.user_id);
    let before = submissions_store::submission(db, quiz, user).await?.or_not_found()?;
    let scores = kept_attempts::scores(db, quiz, user).await?;
    let own = scores.iter().find(|score| score.attempt == row.attempt);
    let own = own.map(|score| score.of_assignment(before.points_possible));
    let kept = Kept::of(&before, &scores, &row.quiz_settings.0);
    let graded = submissions_store::AttemptGrade {
        attempt: row.attempt,
        own: before.scale().grade(own.unwrap_or_default()),
        latest: scores.last().map(|score| score.attempt),
        kept: before.deduct(kept.grade, kept.submitted_at),
        kept_submitted_at: kept.submitted_at,
        is_complete: scores.iter().all(|score| score.is_scored),
        grader: grading.changes_points.then_some(grader),
    };
    submissions_store::grade_attempt(db, &before, &graded, now).await?;
    let after = submissions_store::submission(db, quiz, user).await?.or_not_found()?;
    events.queue(db, events.of_grade(row.course_id, &before, &after)?).await?;
    Ok(after)
}

/// Tells the student of new comments, as far as the result shows them.
async fn tell_comments(
    db: &Db,
    row: &SessionRow,
    submission: &Submission,
    (grader, comments): (UserId, &[NewComment]),
    events: &Events,
    now: Timestamp,
) -> Result<()> {
    let is_seen = VisibleResults::to_student(row, now, row.results_seen_at.is_some()).shows_responses();
    if comments.is_empty() || !is_seen {
        return Ok(());
    }
    comments::tell_student(db, events.notifier(), row.course_id, submission, (grader, &told(comments)), now).await
}
