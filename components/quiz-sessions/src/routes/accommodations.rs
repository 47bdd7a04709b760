//! Accommodations: what students are given beyond what quizzes allow.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use shared::auth::CourseAccess;
use shared::ids::UserId;
use shared::needs::{InCourse, NeededCourse, NeededInCourse, may};
use shared::{Context, Error, Reply, Result, endpoint, endpoints};

use crate::model::accommodations::{
    AccommodatedStudent, Accommodation, AccommodationList, AccommodationOutcome, FailedAccommodation, read,
};
use crate::model::quizzes::QuizToTake;
use crate::model::sessions::end_at;
use crate::store::accommodations::{self as store, Extension, NamedStudent, RunningSession, Scope};

/// The most bytes of a list of accommodations.
const MAX_BODY_BYTES: usize = 256 * 1024;

endpoints![give_quiz_accommodations, give_course_quiz_accommodations];

/// Gives students more time, attempts or fewer choices at a new quiz.
///
/// The body is a list of objects with `user_id`, and any of `extra_time` (minutes), `extra_attempts`, `reduce_choices_enabled` and
/// `apply_to_in_progress_quiz_sessions`.
#[endpoint(
    POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/accommodations",
    raw(MAX_BODY_BYTES),
    reads(PhantomData::<AccommodationList>),
)]
async fn give_quiz_accommodations(
    cx: Context,
    quiz: NeededInCourse<QuizToTake, may::ManageGrades>,
) -> Result<Reply<AccommodationOutcome>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    give(&cx, &course, Scope { course: course.id, quiz: Some(quiz.id) }).await
}

/// Gives students more time or fewer choices at all new quizzes of a course.
///
/// The body is a list as of a quiz. What a student is given at a quiz counts there instead.
#[endpoint(
    POST "/api/quiz/v1/courses/:course_id/accommodations",
    raw(MAX_BODY_BYTES),
    reads(PhantomData::<AccommodationList>),
)]
async fn give_course_quiz_accommodations(
    cx: Context,
    course: NeededCourse<may::ManageGrades>,
) -> Result<Reply<AccommodationOutcome>> {
    give(&cx, &course, Scope { course: course.id, quiz: None }).await
}

async fn give(cx: &Context, course: &CourseAccess, scope: Scope) -> Result<Reply<AccommodationOutcome>> {
    let list = read(&cx.bytes())?;
    let named = store::named(&cx.db, course, scope, &list).await?;
    let named: BTreeMap<_, _> = named.iter().map(|named| (named.user_id, named)).collect();
    let mut outcome = AccommodationOutcome::default();
    let mut given = Vec::new();
    for one in list {
        match refusal(&one, named.get(&one.user_id).copied(), scope) {
            Some(error) => outcome.failed.push(FailedAccommodation { user_id: one.user_id, error }),
            None => {
                outcome.successful.push(AccommodatedStudent { user_id: one.user_id });
                given.push(one);
            }
        }
    }
    if !given.is_empty() {
        write(cx, scope, &given).await?;
    }
    Ok(Reply::ok(outcome))
}

/// Why a student is not accommodated.
fn refusal(one: &Accommodation, named: Option<&NamedStudent>, scope: Scope) -> Option<String> {
    let course = scope.course;
    match named {
        Some(NamedStudent { is_student: true, is_taking, .. }) => {
            let needs_session = one.apply_to_in_progress_quiz_sessions == Some(true);
            let place = match scope.quiz {
                Some(quiz) => format!("for quiz {quiz}"),
                None => format!("for course {course}"),
            };
            (needs_session && !is_taking).then(|| format!("User is not in any in-progress quiz sessions {place}"))
        }
        _ => Some(format!("User is not a student of course {course}")),
    }
}

async fn write(cx: &Context, scope: Scope, given: &[Accommodation]) -> Result<()> {
    let applied = given.iter().filter(|one| one.apply_to_in_progress_quiz_sessions == Some(true));
    let users: Vec<UserId> = applied.map(|one| one.user_id).collect();
    let written = cx.db.transaction_if(!users.is_empty(), async |db| {
        store::give(db, scope, given, cx.now).await?;
        if users.is_empty() {
            return Ok(());
        }
        let running = store::running(db, scope, &users).await?;
        let extensions: Vec<_> = running.iter().map(extension).collect();
        store::extend(db, &extensions).await?;
        Ok::<_, Error>(())
    });
    written.await
}

/// A session keeps the time that it has: a limit that the quiz was given since is not its own.
fn extension(session: &RunningSession) -> Extension {
    let end = end_at(&session.quiz_settings.0, session.started_at, session.extra_time, session.lock_at);
    let end_at = session.end_at.map(|had| end.map_or(had, |end| end.max(had)));
    Extension { id: session.id, end_at, has_fewer_choices: session.has_fewer_choices }
}
