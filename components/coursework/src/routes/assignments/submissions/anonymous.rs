//! Work that is graded anonymously, by the id that graders know it by.

use serde::Deserialize;
use shared::error::OrNotFound;
use shared::needs::{NeededInCourse, may};
use shared::prefetch::Prefetched;
use shared::{Context, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::submission_includes::Include;
use crate::model::unsupported;
use crate::routes::assignments::submissions::grading::{GradeForms, grade};
use crate::routes::assignments::submissions::view::{Submission, view};
use crate::store::graded_assignments::GradedAssignment;
use crate::store::submissions::AnonymousWork;

endpoints![get_anonymous_submission, grade_anonymous_submission];

#[derive(Deserialize, JsonSchema)]
struct AnonymousPath {
    #[serde(rename = "anonymous_id")]
    _anonymous_id: String,
}

/// Reads a submission by its anonymous id.
#[endpoint(GET "/api/v1/courses/:course_id/assignments/:assignment_id/anonymous_submissions/:anonymous_id")]
async fn get_anonymous_submission(
    cx: Context,
    _: Path<AnonymousPath>,
    assignment: NeededInCourse<GradedAssignment, may::ManageGrades>,
    work: Prefetched<AnonymousWork>,
    query: Query<Include>,
) -> Result<Reply<Submission>> {
    let (course, work) = (&assignment.course, work.record()?.0);
    work.require_student(course, cx.caller()?.user)?;
    let include = query.decode()?;
    let row = work.into_row().or_not_found()?;
    Ok(Reply::ok(view(&cx, course, row, &include).await?))
}

/// Grades or excuses a submission by its anonymous id, or comments on it.
#[endpoint(
    PUT "/api/v1/courses/:course_id/assignments/:assignment_id/anonymous_submissions/:anonymous_id",
    throttled("notices about comments of one user"),
    unsupported(unsupported::GRADE),
)]
async fn grade_anonymous_submission(
    cx: Context,
    _: Path<AnonymousPath>,
    assignment: NeededInCourse<GradedAssignment, may::ManageGrades>,
    work: Prefetched<AnonymousWork>,
    body: Form<GradeForms>,
) -> Result<Reply<Submission>> {
    let work = work.record()?.0;
    work.require_student(&assignment.course, cx.caller()?.user)?;
    grade(&cx, &assignment.course, &assignment, work, body.into_params()?).await
}
