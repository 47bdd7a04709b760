//! The submission of the caller to a quiz.

use ::submissions::rules::require_read;
use shared::auth::Right;
use shared::needs::{InCourse, NeededInCourse};
use shared::prefetch::Prefetched;
use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::model::quiz_submission_view::{QuizSubmissions, View};
use crate::model::quizzes::Quiz;
use crate::store::quiz_submissions::OwnSubmission;

endpoints![get_own_quiz_submission];

/// Reads the caller's submission of a quiz.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/submission", students(200, "reads the caller's own"))]
async fn get_own_quiz_submission(
    cx: Context,
    quiz: NeededInCourse<Quiz>,
    own: Prefetched<OwnSubmission>,
) -> Result<Reply<QuizSubmissions>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    require_read(&course, quiz.is_seen_by_students())?;
    course.require(Right::Participate)?;
    let view = View::new(&cx, &course, &quiz).await?;
    let own = own.into_option()?;
    let quiz_submissions = own.iter().map(|own| view.submission(&own.submission.0)).collect();
    Ok(Reply::ok(QuizSubmissions { quiz_submissions }))
}
