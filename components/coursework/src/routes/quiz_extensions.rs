//! Extensions for all quizzes of a course.

use shared::needs::{NeededCourse, may};
use shared::{Context, Form, Reply, Result, endpoint, endpoints};

use crate::routes::quizzes::extensions::{ExtensionForms, QuizExtensions, extend};

endpoints![extend_quizzes_of_course];

/// Gives students extra attempts or time for all quizzes that a course has now, or unlocks these for them.
#[endpoint(POST "/api/v1/courses/:course_id/quiz_extensions")]
async fn extend_quizzes_of_course(
    cx: Context,
    course: NeededCourse<may::ManageGrades>,
    body: Form<ExtensionForms>,
) -> Result<Reply<QuizExtensions>> {
    extend(&cx, &course, None, body).await
}
