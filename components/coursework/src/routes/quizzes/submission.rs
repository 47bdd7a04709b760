//! The submission of the caller to a quiz.

use shared::auth::Right;
use shared::{Context, Path, Reply, Result, endpoint, endpoints};

use crate::model::quiz_submission_view::{QuizSubmissions, View};
use crate::model::rules;
use crate::routes::quizzes::find;
use crate::routes::quizzes::submissions::QuizPath;
use crate::store::quiz_submissions as store;

endpoints![get_own_quiz_submission];

/// Reads the caller's submission of a quiz.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/submission", students(200, "reads the caller's own"))]
async fn get_own_quiz_submission(cx: Context, Path(at): Path<QuizPath>) -> Result<Reply<QuizSubmissions>> {
    let (course, quiz) = find(&cx, &at.course_id, at.quiz_id).await?;
    rules::require_read(&course, quiz.is_published())?;
    course.must(Right::Participate)?;
    let view = View::new(&cx, &course, &quiz).await?;
    let row = store::of_user(&cx.db, quiz.id, cx.caller()?.user).await?;
    Ok(Reply::ok(QuizSubmissions { quiz_submissions: row.iter().map(|row| view.submission(row)).collect() }))
}
