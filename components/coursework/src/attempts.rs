//! Attempts at a new quiz: what a student answered. From the first one on the quiz's items are immutable.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::auth::Right;
use shared::db::Json;
use shared::ids::UserId;
use shared::{Body, Context, Endpoint, Envelope, Error, Reply, Result, Timestamp, get, post};

use crate::new_quizzes::{NewQuizPath, find};
use crate::quiz_settings::MultipleAttempts;
use crate::rules;
use crate::store::attempts as store;

pub(crate) fn endpoints() -> [Endpoint; 2] {
    [
        get("/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/attempts", list)
            .about("Lists the caller's attempts at a new quiz, or everybody's for staff"),
        post("/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/attempts", create).about("Attempts a new quiz"),
    ]
    .map(|endpoint| endpoint.envelope(Envelope::QuizEngine))
}

/// What a student answered.
#[derive(Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct Attempt {
    id: i64,
    /// 1 is the student's first.
    attempt: i64,
    user_id: UserId,
    created_at: Timestamp,
    responses: Json,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct AttemptForm {
    /// The answers by item, or a list of them.
    responses: Value,
}

async fn list(cx: Context, at: NewQuizPath) -> Result<Reply<Vec<Attempt>>> {
    let (course, quiz) = find(&cx, &at).await?;
    rules::must_read(&course, quiz.published)?;
    let whose = (!course.can(Right::ReadAsStaff)).then_some(cx.caller()?.user);
    Ok(Reply::page(store::page(&cx.db, quiz.id, whose, &cx.page().await?).await?))
}

async fn create(cx: Context, at: NewQuizPath, body: Body<AttemptForm>) -> Result<Reply<Attempt>> {
    let (course, quiz) = find(&cx, &at).await?;
    rules::must_read(&course, quiz.published)?;
    course.must(Right::Participate)?;
    if !quiz.published {
        return Err(Error::conflict("the quiz is not published"));
    }
    let AttemptForm { responses } = body.decode()?;
    if !(responses.is_object() || responses.is_array()) {
        return Err(Error::invalid("responses", "invalid", "must be an object or a list"));
    }
    let most = quiz.quiz_settings.0.multiple_attempts.as_ref().and_then(MultipleAttempts::most);
    let attempt = store::insert(&cx.db, quiz.id, cx.caller()?.user, responses, most, cx.now).await?;
    attempt.map(Reply::ok).ok_or_else(|| Error::conflict("no attempts are left"))
}
