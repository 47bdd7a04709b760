//! The page on which a new quiz is taken, for who is signed in. Its script calls the endpoints of sessions.

use serde::Deserialize;
use shared::auth::Right;
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, CourseId};
use shared::needs::NeededInCourse;
use shared::{Context, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};
use submissions::rules::require_read;

use crate::model::quiz_page::QuizPage;
use crate::page::Shown;
use crate::routes::grade;

endpoints![get_quiz_page];

#[derive(Deserialize, Clone, Copy, JsonSchema)]
struct AssignmentPath {
    course_id: CourseId,
    assignment_id: AssignmentId,
}

impl AssignmentPath {
    fn page(self) -> String {
        let Self { course_id, assignment_id } = self;
        format!("/courses/{course_id}/assignments/{assignment_id}/take")
    }

    fn api(self) -> String {
        let Self { course_id, assignment_id } = self;
        format!("/api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}")
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct TakeQuery {
    /// True for those who made the quiz and want to see what students see.
    preview: bool,
}

/// Lets a student take a new quiz: a page.
///
/// To staff it is a preview, whose answers count for nothing. Nothing begins before the button is pressed.
#[endpoint(
    GET "/courses/:course_id/assignments/:assignment_id/take",
    signed_in,
    page,
    answers(403, "The caller is no member of the course, or asks for a preview and is not of its staff."),
)]
async fn get_quiz_page(
    cx: Context,
    Path(at): Path<AssignmentPath>,
    quiz: NeededInCourse<QuizPage>,
    query: Query<TakeQuery>,
) -> Result<Reply> {
    require_read(&quiz.course, quiz.published)?;
    let wants_preview = query.decode()?.preview;
    if wants_preview {
        quiz.course.require(Right::ReadAsStaff)?;
    }
    let participates = quiz.course.can(Right::Participate);
    let is_preview = wants_preview || (quiz.course.can(Right::ReadAsStaff) && !participates);
    let shown = Shown {
        quiz: &quiz.record,
        path: at.page(),
        api: at.api(),
        signed_in: cx.signed_in().or_not_found()?,
        user: cx.caller()?.user,
        grading: quiz.course.can(Right::ManageGrades).then(|| grade::path(at.course_id, at.assignment_id)),
        is_preview,
        may_begin: is_preview || participates,
        language: cx.language(),
    };
    shown.page().await
}
