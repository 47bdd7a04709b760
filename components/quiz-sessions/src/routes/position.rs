//! The question of a session that is looked at.

use serde::Deserialize;
use shared::needs::{InCourse, NeededInCourse};
use shared::{Context, Error, Form, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::model::session_view::Session;
use crate::model::sessions::SessionRow;
use crate::routes::sessions::{read_again, require_running, require_taker, submitted};
use crate::store::sessions::{self as store, KnownSession};

endpoints![update_quiz_session_position];

#[derive(Deserialize, JsonSchema)]
struct PositionForm {
    /// The question that is to be looked at: 1 is the first.
    position: i64,
}

/// Moves to another question of the session.
///
/// Where there is no way back, only the next question can be moved to.
#[endpoint(
    POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions/:session_id/position",
    token_or_page,
    answers(409, "There is no way back, or the session is handed in."),
)]
async fn update_quiz_session_position(
    cx: Context,
    session: NeededInCourse<KnownSession>,
    body: Form<PositionForm>,
) -> Result<Reply<Session>> {
    let InCourse { course, record } = session.into_record();
    let row = record.session.0;
    require_taker(&cx, &course, &row)?;
    require_running(&cx, &row).await?;
    let PositionForm { position } = body.decode()?;
    if !(1..=row.item_count.max(1)).contains(&position) {
        let message = format!("must be between 1 and {}", row.item_count.max(1));
        return Err(Error::invalid("position", "inclusion", message));
    }
    if !store::set_position(&cx.db, row.id, position, row.only_goes_forward()).await? {
        let still = store::session(&cx.db, row.id).await?.is_some_and(|row| SessionRow::is_taking(&row));
        return Err(if still { Error::conflict("only the next question can be moved to") } else { submitted() });
    }
    read_again(&cx, &course, row.id).await
}
