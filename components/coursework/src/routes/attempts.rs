//! Attempts at a new quiz: what a student answered. From the first one on the quiz's items are immutable. The last one is
//! what the student has handed in for the quiz's assignment.

use ::submissions::access_codes::{CodeOf, require_code};
use ::submissions::attempts::Attempt;
use ::submissions::events::{Events, Work};
use ::submissions::rules::{closed, require_read};
use ::submissions::{attempts, store as submissions};
use serde::Deserialize;
use serde_json::Value;
use shared::auth::Right;
use shared::error::OrNotFound;
use shared::ids::QuizSubmissionId;
use shared::live_events::QuizSubmitted;
use shared::needs::{InCourse, NeededInCourse};
use shared::{Context, Error, Form, JsonSchema, QuizEngineErrors, Reply, Result, endpoint, endpoints};

use crate::model::new_quizzes::NewQuiz;
use crate::store::attempts as store;

/// The most bytes of the responses of an attempt, as JSON.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;

endpoints![list_new_quiz_attempts, create_new_quiz_attempt];

#[derive(Deserialize, JsonSchema)]
struct AttemptForm {
    /// The answers by item, or a list of them: 256 KiB at most.
    responses: Value,
    /// The quiz's access code, if it asks for one.
    #[serde(default)]
    student_access_code: Option<String>,
}

/// Lists the caller's attempts at a new quiz, or everybody's for staff.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/attempts", error_format(&QuizEngineErrors))]
async fn list_new_quiz_attempts(cx: Context, quiz: NeededInCourse<NewQuiz>) -> Result<Reply<Vec<Attempt>>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    require_read(&course, quiz.published)?;
    let whose = (!course.can(Right::ReadAsStaff)).then_some(cx.caller()?.user);
    let attempts = store::page(&cx.db, &course, quiz.id, whose, &cx.page().await?).await?;
    let Some(student) = whose else { return Ok(Reply::page(attempts)) };
    let settings = &quiz.quiz_settings.0;
    let has_none_left = match settings.most_attempts(0) {
        Some(_) => attempts::progress(&cx.db, quiz.id, student).await?.has_none_left(settings),
        None => false,
    };
    let are_shown = settings.shows_responses(has_none_left, cx.now);
    Ok(Reply::page(attempts.map(|attempt| Attempt { responses: attempt.responses.filter(|_| are_shown), ..attempt })))
}

/// Attempts a new quiz.
#[endpoint(
    POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/attempts",
    error_format(&QuizEngineErrors),
    throttled("wrong access codes"),
    answers(409, "No attempts are left, the next one has to wait, a session runs, or the quiz is closed."),
)]
async fn create_new_quiz_attempt(
    cx: Context,
    quiz: NeededInCourse<NewQuiz>,
    body: Form<AttemptForm>,
) -> Result<Reply<Attempt>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    require_read(&course, quiz.published)?;
    course.require(Right::Participate)?;
    if let Some(reason) = closed("quiz", quiz.published, (quiz.unlock_at, quiz.lock_at), cx.now) {
        return Err(Error::conflict(reason));
    }
    let AttemptForm { responses, student_access_code } = body.decode()?;
    if !(responses.is_object() || responses.is_array()) {
        return Err(Error::invalid("responses", "invalid", "must be an object or a list"));
    }
    if responses.to_string().len() > MAX_RESPONSE_BYTES {
        return Err(Error::invalid(
            "responses",
            "too_long",
            format!("is too long (maximum is {MAX_RESPONSE_BYTES} bytes)"),
        ));
    }
    let code = quiz.quiz_settings.0.access_code();
    require_code(&cx, CodeOf::NewQuiz(quiz.id), code, student_access_code.as_deref()).await?;
    let settings = &quiz.quiz_settings.0;
    let user = cx.caller()?.user;
    let mut events = Events::of(&cx, &course, Some(quiz.id)).await?;
    let attempt = cx.db.transaction(async |db| {
        let attempt = attempts::insert(db, quiz.id, user, responses, settings, cx.now).await?;
        let Some(attempt) = attempt else {
            attempts::progress(db, quiz.id, user).await?.require_attempt(settings, cx.now)?;
            return Err(Error::conflict("no attempts are left"));
        };
        submissions::ensure(db, quiz.id, user, cx.now).await?;
        submissions::hand_in_attempt(db, quiz.id, user, attempt.attempt, cx.now).await?;
        let submission = submissions::submission(db, quiz.id, user).await?.or_not_found()?;
        let work = Work {
            course: course.id,
            before: None,
            row: &submission,
            quiz: Some(QuizSubmitted {
                quiz_submission_id: QuizSubmissionId(attempt.id),
                quiz_id: quiz.id.0,
                user_id: user,
            }),
            to_read: false,
        };
        events.queue(db, events.of_work(&work)?).await?;
        Ok::<_, Error>(attempt)
    });
    let attempt = attempt.await?;
    events.send();
    Ok(Reply::ok(attempt))
}
