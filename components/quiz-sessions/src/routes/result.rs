//! The result of a session.

use shared::auth::Right;
use shared::error::OrNotFound;
use shared::needs::{InCourse, NeededInCourse};
use shared::{Context, Error, Reply, Result, endpoint, endpoints};

use crate::ending::end_if_overdue;
use crate::model::results::{Moment, SessionResult, VisibleResults};
use crate::routes::sessions::require_visible;
use crate::store::sessions::{self as store, TakenSession};

endpoints![get_quiz_session_result];

/// Reads the result of a session that is handed in.
///
/// Students see as much of it as the quiz shows at this moment. What it shows once is shown to the first who asks.
#[endpoint(
    GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions/:session_id/result",
    token_or_page,
    answers(409, "The session runs."),
)]
async fn get_quiz_session_result(cx: Context, session: NeededInCourse<TakenSession>) -> Result<Reply<SessionResult>> {
    let InCourse { course, record } = session.into_record();
    require_visible(&cx, &course, record.row(), record.is_in_sections)?;
    let (mut row, mut content) = record.into_parts();
    if end_if_overdue(&cx, &row).await? {
        (row, content) = store::taken(&cx.db, row.id).await?.or_not_found()?.into_parts();
    }
    if row.is_taking() {
        return Err(Error::conflict("the session is not handed in"));
    }
    if course.can(Right::ReadAsStaff) {
        return Ok(Reply::ok(SessionResult::new(&row, &content, VisibleResults::ALL)?));
    }
    let seen = |was_seen| {
        let moment = Moment { now: cx.now, has_no_attempt_left: row.has_no_attempt_left(), was_seen };
        VisibleResults::of_student(&row.quiz_settings.0, moment)
    };
    let mut visible = seen(row.results_seen_at.is_some());
    if visible.is_shown_once && !store::see_results(&cx.db, row.id, cx.now).await? {
        visible = seen(true);
    }
    Ok(Reply::ok(SessionResult::new(&row, &content, visible)?))
}
