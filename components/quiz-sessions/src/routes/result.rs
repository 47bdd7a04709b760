//! The result of a session, and what a grader makes of it.

use shared::auth::Right;
use shared::error::OrNotFound;
use shared::needs::{InCourse, NeededInCourse, may};
use shared::{Context, Error, Form, Reply, Result, endpoint, endpoints};

use crate::answer_files::answer_files;
use crate::ending::end_if_overdue;
use crate::grading::{Graded, grade};
use crate::model::grading::{GradingForm, stale};
use crate::model::items::Content;
use crate::model::results::{SessionResult, VisibleResults};
use crate::model::sessions::SessionRow;
use crate::routes::sessions::require_visible;
use crate::store::sessions::{self as store, TakenSession};

endpoints![get_quiz_session_result, grade_quiz_session];

/// Reads the result of a session that is handed in.
///
/// Students see as much of it as the quiz shows at this moment, and nothing before grades are posted. What it shows once is shown to the first who asks.
#[endpoint(
    GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions/:session_id/result",
    token_or_page,
    answers(409, "The session runs."),
)]
async fn get_quiz_session_result(cx: Context, session: NeededInCourse<TakenSession>) -> Result<Reply<SessionResult>> {
    let InCourse { course, record } = session.into_record();
    require_visible(&cx, &course, record.row(), record.is_in_sections)?;
    let (row, content) = ended(&cx, record).await?;
    if row.is_taking() {
        return Err(Error::conflict("the session is not handed in"));
    }
    if course.can(Right::ReadAsStaff) {
        return Ok(Reply::ok(result(&cx, &row, &content, VisibleResults::ALL).await?));
    }
    let seen = |was_seen| VisibleResults::to_student(&row, cx.now, was_seen);
    let mut visible = seen(row.results_seen_at.is_some());
    if visible.is_shown_once && !store::see_results(&cx.db, row.id, cx.now).await? {
        visible = seen(true);
    }
    Ok(Reply::ok(result(&cx, &row, &content, visible).await?))
}

/// Grades a session that is handed in: points and comments of its answers, and points beside them.
///
/// What is not named stays. The score, the score that the quiz keeps and the grade of the submission follow at once. Where
/// somebody else has graded the session since the `version` that is named, nothing is kept, and the error has the `result`
/// that stands.
#[endpoint(
    PUT "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions/:session_id/result",
    answers(409, "Somebody else has graded the session, or it runs, or it is a preview."),
)]
async fn grade_quiz_session(
    cx: Context,
    session: NeededInCourse<TakenSession, may::ManageGrades>,
    body: Form<GradingForm>,
) -> Result<Reply<SessionResult>> {
    let InCourse { course, record } = session.into_record();
    require_visible(&cx, &course, record.row(), record.is_in_sections)?;
    let form = body.decode()?;
    let taken = ended(&cx, record).await?;
    match grade(&cx, &course, taken, form).await? {
        Graded::Now(taken) => Ok(Reply::ok(result(&cx, &taken.0, &taken.1, VisibleResults::ALL).await?)),
        Graded::Stale(taken) => Err(stale(&result(&cx, &taken.0, &taken.1, VisibleResults::ALL).await?)),
    }
}

/// The session, which ends now if its time is over.
pub(crate) async fn ended(cx: &Context, session: TakenSession) -> Result<(SessionRow, Content)> {
    let (row, content) = session.into_parts();
    if end_if_overdue(cx, &row).await? {
        return Ok(store::taken(&cx.db, row.id).await?.or_not_found()?.into_parts());
    }
    Ok((row, content))
}

/// The result with the files that answers consist of, as far as it is seen.
pub(crate) async fn result(
    cx: &Context,
    row: &SessionRow,
    content: &Content,
    visible: VisibleResults,
) -> Result<SessionResult> {
    let files = if visible.shows_responses() { answer_files(cx, row, content).await? } else { Default::default() };
    SessionResult::new(row, content, visible, files, cx.caller()?.user)
}
