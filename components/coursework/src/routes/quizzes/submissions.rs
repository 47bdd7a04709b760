//! Taking a classic quiz: an attempt is started, answered, and handed in; it is graded as far as a program can, and the
//! grade of the quiz is that of its assignment.

pub(crate) mod scoring;

use ::submissions::events::Events;
use ::submissions::overdue::ScoredBy;
use ::submissions::rules::denied;
use ::submissions::rules::require_read;
use serde::{Deserialize, Serialize};
use shared::auth::{CourseAccess, Right, secrets};
use shared::db::Json;
use shared::error::OrNotFound;
use shared::needs::{InCourse, NeededInCourse};
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::quiz_submission_view::{QuizSubmissions, View};
use crate::model::quiz_submissions::Row;
use crate::model::quizzes::Quiz;
use crate::quiz_admission::require_admission;
use crate::quiz_grading::{Outcome, finish};
use crate::quiz_overdue::{hand_in_if_overdue, is_overdue};
use crate::store::quiz_submissions::{self as store, OwnAttempts, OwnSubmission, Start, SubmissionOfQuiz};

endpoints![
    list_quiz_submissions,
    get_quiz_submission,
    get_quiz_submission_time,
    start_quiz_submission,
    complete_quiz_submission
];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct StartForm {
    /// The quiz's access code, if it has one.
    access_code: Option<String>,
    /// Previews are not kept, and not offered.
    preview: Option<bool>,
}

/// The proof that an attempt is the caller's to change.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Proof {
    /// The attempt that runs.
    pub(crate) attempt: Option<i64>,
    /// As it was given out when the attempt began.
    pub(crate) validation_token: Option<String>,
    /// The quiz's access code, if it has one.
    pub(crate) access_code: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Time {
    end_at: Option<Timestamp>,
    /// In seconds; null: there is no end.
    time_left: Option<i64>,
}

/// Lists the submissions of a quiz, or the caller's own attempts.
///
/// Graders see everybody's last attempts; students the attempt that runs, or else all that they have completed.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/submissions", students(200, "lists the caller's own"))]
async fn list_quiz_submissions(
    cx: Context,
    quiz: NeededInCourse<Quiz>,
    own: Prefetched<OwnAttempts>,
) -> Result<Reply<QuizSubmissions>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    require_read(&course, quiz.is_seen_by_students())?;
    let view = View::new(&cx, &course, &quiz).await?;
    if course.can(Right::ManageGrades) {
        let rows = store::page(&cx.db, quiz.id, course.section_limit(), &cx.page().await?).await?;
        let rows = rows.map(|row| view.submission(&row));
        return Ok(Reply::page_in(rows, |quiz_submissions| QuizSubmissions { quiz_submissions }));
    }
    course.require(Right::Participate)?;
    let mut quiz_submissions = Vec::new();
    if let Some(OwnAttempts { submission: Json(row), versions: Json(versions) }) = own.into_option()? {
        if row.is_running() {
            quiz_submissions.push(view.submission(&row));
        } else {
            quiz_submissions.extend(versions.iter().map(|version| view.version(&row, version)));
        }
    }
    Ok(Reply::ok(QuizSubmissions { quiz_submissions }))
}

/// Reads a submission of a quiz.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/submissions/:id")]
async fn get_quiz_submission(
    cx: Context,
    submission: NeededInCourse<SubmissionOfQuiz>,
) -> Result<Reply<QuizSubmissions>> {
    let SubmissionOfQuiz { quiz, submission: row } = &submission.record;
    require_visible(&cx, &submission.course, &row.0)?;
    one(&cx, &submission.course, &quiz.0, &row.0).await
}

/// Tells how much time is left of an attempt at a quiz.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/submissions/:id/time")]
async fn get_quiz_submission_time(cx: Context, submission: NeededInCourse<SubmissionOfQuiz>) -> Result<Reply<Time>> {
    let SubmissionOfQuiz { quiz: Json(quiz), submission: Json(row) } = &submission.record;
    require_visible(&cx, &submission.course, row)?;
    let end_at = View::new(&cx, &submission.course, quiz).await?.end_at(row);
    let left = |end: Timestamp| (end.unix() - cx.now.unix()).max(0);
    Ok(Reply::ok(Time { end_at, time_left: end_at.filter(|_| row.is_running()).map(left) }))
}

/// Starts an attempt at a quiz.
///
/// The questions of the attempt are those of the quiz at this moment.
#[endpoint(
    POST "/api/v1/courses/:course_id/quizzes/:quiz_id/submissions",
    students(200, "students take quizzes"),
    throttled("wrong access codes"),
    answers(409, "The student has an attempt that is not handed in."),
)]
async fn start_quiz_submission(
    cx: Context,
    quiz: NeededInCourse<Quiz>,
    own: Prefetched<OwnSubmission>,
    body: Form<StartForm>,
) -> Result<Reply<QuizSubmissions>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    require_read(&course, quiz.is_seen_by_students())?;
    course.require(Right::Participate)?;
    let form = body.decode()?;
    if form.preview == Some(true) {
        return Err(Error::bad_request("previews are not supported"));
    }
    if !quiz.is_published() {
        return Err(denied("the quiz is not published"));
    }
    if let Some(lock) = quiz.lock(cx.now) {
        return Err(Error::bad_request(lock.explanation));
    }
    require_admission(&cx, &quiz, form.access_code.as_deref()).await?;
    let options = &quiz.settings.0;
    let user = cx.caller()?.user;
    if let Some(row) = own.into_option()?.map(|own| own.submission.0).filter(Row::is_running) {
        // Questions are drawn for nobody who takes the quiz already.
        if !is_overdue(&row, cx.now) {
            return Err(takes_already());
        }
        hand_in_if_overdue(&cx, row.id, ScoredBy::Service).await?;
    }
    let row = cx.db.transaction(async |db| {
        let questions = store::questions(db, quiz.id, options.shuffle_answers).await?;
        if questions.is_empty() && quiz.question_count > 0 {
            return Err(Error::bad_request("the questions of the quiz are too large to be taken"));
        }
        let start = Start {
            validation_token: secrets::generate(),
            questions,
            end_at: quiz.end_of_attempt(cx.now),
            most: quiz.allowed_attempts(),
        };
        let id = store::start(db, &course, quiz.id, user, start, cx.now).await?;
        let id = id.ok_or_else(takes_already)?;
        store::of_quiz(db, quiz.id, id).await?.or_not_found()
    });
    let row: Row = row.await?;
    one(&cx, &course, &quiz, &row).await
}

fn takes_already() -> Error {
    Error::conflict("a quiz submission already exists")
}

/// Hands in and grades an attempt at a quiz.
///
/// Ends the attempt: of several requests at once one does it.
#[endpoint(
    POST "/api/v1/courses/:course_id/quizzes/:quiz_id/submissions/:id/complete",
    throttled("wrong access codes"),
)]
async fn complete_quiz_submission(
    cx: Context,
    submission: NeededInCourse<SubmissionOfQuiz>,
    body: Form<Proof>,
) -> Result<Reply<QuizSubmissions>> {
    let InCourse { course, record } = submission.into_record();
    let SubmissionOfQuiz { quiz: Json(quiz), submission: Json(row) } = record;
    require_own(&cx, &course, &row)?;
    let proof = body.decode()?;
    require_admission(&cx, &quiz, proof.access_code.as_deref()).await?;
    let mut events = Events::of(&cx, &course, row.assignment_id).await?;
    let row = cx.db.transaction(async |db| {
        let row = store::attempt(db, row.id).await?.or_not_found()?;
        proof.require_key_of(&row)?;
        let outcome = Outcome::of(&row, quiz.quiz_type);
        finish(db, &row, &outcome, quiz.settings.0.scoring_policy, None, &mut events, cx.now).await?;
        store::of_quiz(db, quiz.id, row.id).await?.or_not_found()
    });
    let row: Row = row.await?;
    events.send();
    one(&cx, &course, &quiz, &row).await
}

pub(crate) async fn one(cx: &Context, course: &CourseAccess, quiz: &Quiz, row: &Row) -> Result<Reply<QuizSubmissions>> {
    let submission = View::new(cx, course, quiz).await?.submission(row);
    Ok(Reply::ok(QuizSubmissions { quiz_submissions: vec![submission] }))
}

/// Graders see every attempt, students their own.
pub(crate) fn require_visible(cx: &Context, course: &CourseAccess, row: &Row) -> Result<()> {
    if course.can(Right::ManageGrades) {
        return Ok(());
    }
    course.require(Right::Read)?;
    if row.user_id == cx.caller()?.user { Ok(()) } else { Err(Error::forbidden()) }
}

/// An attempt is changed by whose it is.
pub(crate) fn require_own(cx: &Context, course: &CourseAccess, row: &Row) -> Result<()> {
    course.require(Right::Participate)?;
    if row.user_id == cx.caller()?.user { Ok(()) } else { Err(Error::forbidden()) }
}

impl Proof {
    /// The attempt is the one that runs, and the caller knows its token.
    pub(crate) fn require_key_of(&self, row: &Row) -> Result<()> {
        let attempt = self.attempt.ok_or_else(|| Error::bad_request("invalid attempt"))?;
        let token = self.validation_token.as_deref().unwrap_or_default();
        if !secrets::same(token, &row.validation_token) {
            return Err(denied("invalid token"));
        }
        if !row.is_running() {
            return Err(Error::bad_request("quiz submission is already complete"));
        }
        match attempt == row.attempt {
            true => Ok(()),
            false => Err(Error::bad_request("attempt is not the latest")),
        }
    }
}
