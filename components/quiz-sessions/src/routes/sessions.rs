//! Sessions: begun or gone on with, listed and read.

use questions::size::MAX_SESSION_BYTES;
use serde::Deserialize;
use shared::auth::{CourseAccess, Right};
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, QuizSessionId, UserId};
use shared::needs::{InCourse, NeededInCourse};
use shared::prefetch::PrefetchedList;
use shared::{Context, Error, Form, JsonSchema, Query, Reply, Result, endpoint, endpoints};
use submissions::access_codes::{CodeOf, require_code};
use submissions::overdue::ScoredBy;
use submissions::rules::require_read;
use uuid::Uuid;

use crate::ending::{end_if_overdue, end_overdue, end_overdue_of};
use crate::model::addresses::require_address;
use crate::model::drawing::draw;
use crate::model::items::{Content, Sight, require_size, session_items};
use crate::model::quizzes::{QuizOfSessions, QuizToTake};
use crate::model::session_view::Session;
use crate::model::sessions::{SessionRow, end_at};
use crate::store::overdue::OverdueOfQuiz;
use crate::store::quizzes::to_take;
use crate::store::sessions::{self as store, SessionFilter, Start, TakenSession};

endpoints![start_quiz_session, list_quiz_sessions, get_quiz_session];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct StartForm {
    /// The quiz's access code, if it asks for one.
    student_access_code: Option<String>,
    /// True for the staff, who see what students see: nothing of it counts.
    preview: Option<bool>,
}

/// Begins to take a new quiz, or goes on with the session that runs.
///
/// What is drawn is drawn now, and stays. A session that ends without being handed in is handed in with what was saved.
#[endpoint(
    POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions",
    token_or_page,
    throttled("wrong access codes"),
    answers(409, "No attempts are left, the next one has to wait, the quiz is closed, or its questions are too large."),
)]
async fn start_quiz_session(
    cx: Context,
    quiz: NeededInCourse<QuizToTake>,
    body: Form<StartForm>,
) -> Result<Reply<Session>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    require_read(&course, quiz.published)?;
    let form = body.decode()?;
    if form.preview == Some(true) {
        course.require(Right::ReadAsStaff)?;
        return preview(&cx, &course, quiz).await;
    }
    course.require(Right::Participate)?;
    require_address(&quiz.quiz_settings.0, cx.client_address())?;
    let quiz = match running(&cx, &course, quiz.id, quiz.taking).await? {
        Running::None => quiz,
        Running::Ended(quiz) => *quiz,
        Running::Session(session) => return shown(&cx, &course, session.into_parts()),
    };
    quiz.require_attempt(cx.now)?;
    let code = quiz.quiz_settings.0.access_code();
    require_code(&cx, CodeOf::NewQuiz(quiz.id), code, form.student_access_code.as_deref()).await?;
    let (id, made) = (quiz.id, quiz.attempts_made);
    let began = store::start(&cx.db, &course, start_of(&cx, quiz, false)?).await?;
    let id = match began_or_runs(&cx, &course, id, began, false).await? {
        Begun::Changed(quiz) if quiz.attempts_made == made => again(&cx, &course, *quiz).await?,
        other => other.or_conflict()?,
    };
    read_again(&cx, &course, id).await
}

/// Begins a session where the items of the quiz were changed since they were read.
async fn again(cx: &Context, course: &CourseAccess, quiz: QuizToTake) -> Result<QuizSessionId> {
    require_read(course, quiz.published)?;
    quiz.require_attempt(cx.now)?;
    let id = quiz.id;
    let began = store::start(&cx.db, course, start_of(cx, quiz, false)?).await?;
    began_or_runs(cx, course, id, began, false).await?.or_conflict()
}

/// What became of the session that ran when the request came.
enum Running {
    None,
    /// It was overdue, and has ended; the quiz is as it is after that.
    Ended(Box<QuizToTake>),
    Session(Box<TakenSession>),
}

async fn running(
    cx: &Context,
    course: &CourseAccess,
    quiz: AssignmentId,
    session: Option<QuizSessionId>,
) -> Result<Running> {
    let Some(id) = session else { return Ok(Running::None) };
    let taken = store::taken(&cx.db, id).await?.or_not_found()?;
    if !taken.row().is_overdue(cx.now) && taken.row().is_taking() {
        return Ok(Running::Session(Box::new(taken)));
    }
    end_overdue(cx, id, ScoredBy::Service).await?;
    let quiz = to_take(&cx.db, course.id, quiz, cx.caller()?.user).await?.or_not_found()?;
    Ok(Running::Ended(Box::new(quiz)))
}

/// Begins a preview, or goes on with it.
async fn preview(cx: &Context, course: &CourseAccess, quiz: QuizToTake) -> Result<Reply<Session>> {
    let (id, user) = (quiz.id, cx.caller()?.user);
    if let Running::Session(session) = running(cx, course, id, quiz.previewing).await? {
        return shown(cx, course, session.into_parts());
    }
    let start = start_of(cx, quiz, true)?;
    let began = cx.db.transaction(async |db| {
        store::delete_ended_previews(db, id, user).await?;
        Ok::<_, Error>(store::start(db, course, start).await?)
    });
    let id = began_or_runs(cx, course, id, began.await?, true).await?.or_conflict()?;
    read_again(cx, course, id).await
}

fn start_of(cx: &Context, quiz: QuizToTake, is_preview: bool) -> Result<Start> {
    let settings = &quiz.quiz_settings.0;
    let (extra_time, lock_at) = if is_preview { (0, None) } else { (quiz.extra_time, quiz.lock_at) };
    let random = Uuid::new_v4().as_u64_pair().1;
    let drawn = draw(quiz.items.0, random, settings.shuffle_questions);
    require_size(drawn.bytes <= MAX_SESSION_BYTES)?;
    Ok(Start {
        quiz: quiz.id,
        user: cx.caller()?.user,
        is_preview,
        attempt: quiz.latest_attempt.saturating_add(1),
        attempts_made: quiz.attempts_made,
        seed: random.cast_signed(),
        end_at: end_at(settings, cx.now, extra_time, lock_at),
        drawn,
        has_fewer_choices: quiz.has_fewer_choices && !is_preview,
        started_at: cx.now,
    })
}

/// What came of the wish to begin.
enum Begun {
    /// The session that has begun, or the one that somebody else has begun at the same moment.
    Session(QuizSessionId),
    /// Something has changed since the quiz was read, which is so now.
    Changed(Box<QuizToTake>),
}

impl Begun {
    fn or_conflict(self) -> Result<QuizSessionId> {
        match self {
            Self::Session(id) => Ok(id),
            Self::Changed(_) => Err(Error::conflict("the quiz was changed, or another attempt was made meanwhile")),
        }
    }
}

async fn began_or_runs(
    cx: &Context,
    course: &CourseAccess,
    quiz: AssignmentId,
    began: Option<QuizSessionId>,
    is_preview: bool,
) -> Result<Begun> {
    if let Some(id) = began {
        return Ok(Begun::Session(id));
    }
    let quiz = to_take(&cx.db, course.id, quiz, cx.caller()?.user).await?.or_not_found()?;
    let runs = if is_preview { quiz.previewing } else { quiz.taking };
    Ok(runs.map_or_else(|| Begun::Changed(Box::new(quiz)), Begun::Session))
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SessionsQuery {
    /// True: only sessions in which an answer waits for a person.
    needs_grading: bool,
    /// Only sessions of this user.
    user_id: Option<UserId>,
}

/// Lists the caller's sessions of a new quiz, or everybody's for the staff, with their own previews.
///
/// What waits for a person: `needs_grading=true`. All attempts of a student: `user_id`.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions", token_or_page)]
async fn list_quiz_sessions(
    cx: Context,
    quiz: NeededInCourse<QuizOfSessions>,
    overdue: PrefetchedList<OverdueOfQuiz>,
    query: Query<SessionsQuery>,
) -> Result<Reply<Vec<Session>>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    require_read(&course, quiz.published)?;
    let SessionsQuery { needs_grading, user_id } = query.decode()?;
    let sees_all = course.can(Right::ReadAsStaff);
    let reader = cx.caller()?.user;
    let filter = SessionFilter { quiz: quiz.id, reader, sees_all, user: user_id, needs_grading };
    let page = cx.page().await?;
    end_overdue_of(&cx, &overdue.rows()?).await;
    let sessions = store::page(&cx.db, &course, &filter, &page).await?;
    Ok(Reply::page(sessions.map(|row| Session::new(row, None, (reader, sees_all), cx.now))))
}

/// Reads a session with its items, as the student sees them.
///
/// With one question at a time only that one has content. Of a session that is handed in students see the result alone.
#[endpoint(
    GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions/:session_id",
    token_or_page,
    answers(409, "Its questions are too large."),
)]
async fn get_quiz_session(cx: Context, session: NeededInCourse<TakenSession>) -> Result<Reply<Session>> {
    let InCourse { course, record } = session.into_record();
    require_visible(&cx, &course, record.row(), record.is_in_sections)?;
    let (row, content) = record.into_parts();
    if end_if_overdue(&cx, &row).await? {
        return read_again(&cx, &course, row.id).await;
    }
    if is_taken_by(&row, cx.caller()?.user) {
        require_address_of(&cx, &row)?;
    }
    shown(&cx, &course, (row, content))
}

/// 404 unless the session is the caller's own, or one that the staff may see: where they are limited to sections, of a student
/// in these.
pub(crate) fn require_visible(
    cx: &Context,
    course: &CourseAccess,
    row: &SessionRow,
    is_in_sections: bool,
) -> Result<()> {
    if row.user_id == cx.caller()?.user {
        return course.require(Right::Read);
    }
    let is_of_staff = course.can(Right::ReadAsStaff) && (course.admin || is_in_sections);
    if is_of_staff && !row.is_preview { Ok(()) } else { Err(Error::not_found()) }
}

/// 404 unless the session is the caller's own; 403 unless who takes it may still do so, from where they are.
pub(crate) fn require_taker(cx: &Context, course: &CourseAccess, row: &SessionRow) -> Result<()> {
    if row.user_id != cx.caller()?.user {
        let is_staff = course.can(Right::ReadAsStaff);
        return Err(if is_staff { Error::forbidden() } else { Error::not_found() });
    }
    course.require(if row.is_preview { Right::ReadAsStaff } else { Right::Participate })?;
    require_address_of(cx, row)
}

fn require_address_of(cx: &Context, row: &SessionRow) -> Result<()> {
    match row.is_preview {
        true => Ok(()),
        false => require_address(&row.quiz_settings.0, cx.client_address()),
    }
}

/// 409 for a session that is handed in, which one whose time is over is from then on.
pub(crate) async fn require_running(cx: &Context, row: &SessionRow) -> Result<()> {
    if end_if_overdue(cx, row).await? || !row.is_taking() {
        return Err(submitted());
    }
    Ok(())
}

pub(crate) fn submitted() -> Error {
    Error::conflict("the session is handed in")
}

/// The session as it is now.
pub(crate) async fn read_again(cx: &Context, course: &CourseAccess, id: QuizSessionId) -> Result<Reply<Session>> {
    shown(cx, course, store::taken(&cx.db, id).await?.or_not_found()?.into_parts())
}

fn is_taken_by(row: &SessionRow, user: UserId) -> bool {
    row.is_taking() && row.user_id == user
}

/// The session with what the caller may see of it.
fn shown(cx: &Context, course: &CourseAccess, (row, content): (SessionRow, Content)) -> Result<Reply<Session>> {
    let reader = cx.caller()?.user;
    let is_own = row.user_id == reader;
    let sight = match (row.is_taking(), is_own) {
        (true, true) if row.is_one_at_a_time() => Sight::Current,
        (true, true) => Sight::All,
        _ if course.can(Right::ReadAsStaff) => Sight::All,
        _ => Sight::Nothing,
    };
    let items = session_items(&row, &content, sight)?;
    Ok(Reply::ok(Session::new(row, Some(items), (reader, course.can(Right::ReadAsStaff)), cx.now)))
}
