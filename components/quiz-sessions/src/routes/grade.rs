//! The pages on which attempts at a new quiz are graded, for those who grade in the course and are signed in.

use http::StatusCode;
use serde::Deserialize;
use shared::auth::CourseAccess;
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, CourseId, QuizSessionId, UserId};
use shared::needs::{InCourse, NeededInCourse, may};
use shared::prefetch::PrefetchedList;
use shared::session::{page_path, see};
use shared::{Context, Error, Form, JsonSchema, Query, Reply, Result, endpoint, endpoints};

use crate::ending::end_overdue_of;
use crate::grading::{Graded, grade};
use crate::model::attempts::AttemptsFilter;
use crate::model::grading_sheet::{AfterGrading, GradingSheet};
use crate::model::items::Content;
use crate::model::results::VisibleResults;
use crate::model::sessions::SessionRow;
use crate::page::grading::attempt::{AttemptPage, GradingNote};
use crate::page::grading::frame::Frame;
use crate::page::grading::list::ListPage;
use crate::routes::result::{ended, result};
use crate::routes::sessions::require_visible;
use crate::store::grading as store;
use crate::store::overdue::OverdueOfQuiz;
use crate::store::quizzes::QuizToGrade;
use crate::store::sessions::SessionToGrade;

/// The number of attempts that the list shows.
const SHOWN: i64 = 100;

endpoints![get_quiz_grading_page, get_attempt_grading_page, grade_quiz_session_on_page];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct GradingQuery {
    /// True: only attempts in which an answer waits for a person.
    waiting: bool,
    /// Only attempts of this user.
    user_id: Option<UserId>,
    /// Only attempts that began after this session.
    after: Option<QuizSessionId>,
    /// True for who has just graded the last that waited.
    done: bool,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct AttemptQuery {
    /// True for who has just saved it.
    saved: bool,
}

/// Lists the attempts at a new quiz for those who grade: a page.
#[endpoint(GET "/courses/:course_id/assignments/:assignment_id/grade", signed_in, page)]
async fn get_quiz_grading_page(
    cx: Context,
    quiz: NeededInCourse<QuizToGrade, may::ManageGrades>,
    overdue: PrefetchedList<OverdueOfQuiz>,
    query: Query<GradingQuery>,
) -> Result<Reply> {
    let InCourse { course, record: QuizToGrade(quiz) } = quiz.into_record();
    let GradingQuery { waiting, user_id, after, done } = query.decode()?;
    let filter = AttemptsFilter { waiting, user: user_id, after };
    end_overdue_of(&cx, &overdue.rows()?).await;
    let mut lines = store::attempts(&cx.db, &course, quiz.id, filter, SHOWN + 1).await?;
    let shown = usize::try_from(SHOWN).map_err(Error::internal)?;
    let has_more = lines.len() > shown;
    lines.truncate(shown);
    let path = page_path(&path(course.id, quiz.id)).await?;
    let page =
        ListPage { frame: frame(&cx, &path)?, quiz: &quiz.title, filter, lines: &lines, has_more, is_done: done };
    Ok(page.show())
}

/// Shows an attempt at a new quiz with its answers and fields for points and comments: a page.
#[endpoint(
    GET "/courses/:course_id/assignments/:assignment_id/grade/:session_id",
    signed_in,
    page,
    answers(409, "The session runs, or it is a preview."),
)]
async fn get_attempt_grading_page(
    cx: Context,
    session: NeededInCourse<SessionToGrade, may::ManageGrades>,
    query: Query<AttemptQuery>,
) -> Result<Reply> {
    let (course, taken) = gradable(&cx, session).await?;
    let note = if query.decode()?.saved { GradingNote::Saved } else { GradingNote::None };
    shown(&cx, &course, &taken, note).await
}

/// Grades an attempt on its page, and leads back to it or to the next one that waits.
///
/// Where somebody else was faster, or a field is not taken, nothing is kept, and the page shows what was typed.
#[endpoint(
    POST "/courses/:course_id/assignments/:assignment_id/grade/:session_id",
    signed_in,
    page,
    answers(303, "It is graded; a page is shown."),
    answers(409, "Somebody else has graded it, or it runs, or it is a preview."),
    answers(422, "A field is not taken."),
)]
async fn grade_quiz_session_on_page(
    cx: Context,
    session: NeededInCourse<SessionToGrade, may::ManageGrades>,
    form: Form<GradingSheet>,
) -> Result<Reply> {
    let (course, taken) = gradable(&cx, session).await?;
    let sheet = form.decode()?;
    let form = match sheet.read(&taken.0, &taken.1) {
        Ok(form) => form,
        Err(unfit) => {
            let page = shown(&cx, &course, &taken, GradingNote::Unfit(&sheet, unfit)).await?;
            return Ok(page.with_status(StatusCode::UNPROCESSABLE_ENTITY));
        }
    };
    match grade(&cx, &course, taken, form).await? {
        Graded::Now(taken) => lead_on(&cx, &course, &taken.0, sheet.then).await,
        Graded::Stale(taken) => {
            let page = shown(&cx, &course, &taken, GradingNote::Stale(&sheet)).await?;
            Ok(page.with_status(StatusCode::CONFLICT))
        }
    }
}

/// The session that the path names, if it can be graded.
async fn gradable(
    cx: &Context,
    session: NeededInCourse<SessionToGrade, may::ManageGrades>,
) -> Result<(CourseAccess, (SessionRow, Content))> {
    let InCourse { course, record: SessionToGrade(record) } = session.into_record();
    require_visible(cx, &course, record.row(), record.is_in_sections)?;
    let taken = ended(cx, record).await?;
    match taken.0.is_taking() || taken.0.is_preview {
        true => Err(Error::conflict("the session is not handed in, or it is a preview")),
        false => Ok((course, taken)),
    }
}

async fn shown(
    cx: &Context,
    course: &CourseAccess,
    (row, content): &(SessionRow, Content),
    note: GradingNote<'_>,
) -> Result<Reply> {
    let around = store::around(&cx.db, course, row.assignment_id, row.id).await?.or_not_found()?;
    let result = result(cx, row, content, VisibleResults::ALL).await?;
    let path = page_path(&path(course.id, row.assignment_id)).await?;
    Ok(AttemptPage { frame: frame(cx, &path)?, row, content, result: &result, around: &around, note }.show())
}

async fn lead_on(cx: &Context, course: &CourseAccess, row: &SessionRow, then: AfterGrading) -> Result<Reply> {
    let list = path(course.id, row.assignment_id);
    if then == AfterGrading::Stay {
        return see(&format!("{list}/{}?saved=true", row.id)).await;
    }
    let around = store::around(&cx.db, course, row.assignment_id, row.id).await?.or_not_found()?;
    match around.next_waiting {
        Some(next) => see(&format!("{list}/{next}")).await,
        None => see(&format!("{list}?done=true")).await,
    }
}

fn frame<'a>(cx: &'a Context, path: &'a str) -> Result<Frame<'a>> {
    Ok(Frame { path, signed_in: cx.signed_in().or_not_found()?, language: cx.language() })
}

/// The path of the list, without a prefix.
pub(crate) fn path(course: CourseId, quiz: AssignmentId) -> String {
    format!("/courses/{course}/assignments/{quiz}/grade")
}
