//! Handing in a session.

use shared::auth::Right;
use shared::db::Json;
use shared::needs::{InCourse, NeededInCourse};
use shared::{Context, Reply, Result, endpoint, endpoints};
use submissions::events::Events;

use crate::ending::{end, end_if_overdue};
use crate::model::session_view::Session;
use crate::routes::sessions::{read_again, require_visible};
use crate::store::sessions::KnownSession;

endpoints![submit_quiz_session];

/// Hands in a session, and scores it. Graders end those of students.
///
/// It becomes an attempt of the quiz, whose score becomes the grade as the quiz says. A session that is handed in stays as it is.
#[endpoint(
    POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions/:session_id/submit",
    token_or_page,
    answers(409, "It is handed in, and its questions are too large to be answered."),
)]
async fn submit_quiz_session(cx: Context, session: NeededInCourse<KnownSession>) -> Result<Reply<Session>> {
    let InCourse { course, record } = session.into_record();
    let KnownSession { session: Json(row), is_in_sections } = record;
    require_visible(&cx, &course, &row, is_in_sections)?;
    match (row.user_id == cx.caller()?.user, row.is_preview) {
        (true, true) => course.require(Right::ReadAsStaff)?,
        (true, false) => course.require(Right::Participate)?,
        (false, _) => course.require(Right::ManageGrades)?,
    }
    if row.is_taking() && !end_if_overdue(&cx, &row).await? {
        end(&cx, row.id, Events::of(&cx, &course, Some(row.assignment_id)).await?).await?;
    }
    read_again(&cx, &course, row.id).await
}
