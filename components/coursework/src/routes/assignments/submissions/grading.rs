//! Grading: a grade, an excuse and comments for what a student has handed in, or not.

use serde::Deserialize;
use shared::auth::Right;
use shared::error::OrNotFound;
use shared::needs::{InCourse, NeededInCourse};
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::model::assignments::Assignment;
use crate::model::form;
use crate::model::grading::Grade;
use crate::model::unsupported;
use crate::routes::assignments::submissions::view::{Include, Submission, view};
use crate::routes::assignments::submissions::{CommentForm, SubmissionPath, add_comment, read_comment, student};
use crate::store::submissions::{self as store, Row};
use crate::submission_events::Events;
use crate::submission_notices as notices;

endpoints![grade_submission];

#[derive(Deserialize, JsonSchema)]
struct GradeForms {
    #[serde(rename = "submission", default)]
    _submission: GradeForm,
    #[serde(rename = "comment", default)]
    _comment: CommentForm,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct GradeForm {
    /// Points, a percentage (`85%`), a letter (`B+`), `pass`, `complete`, `fail` or `incomplete`; blank for no grade.
    posted_grade: Patch<String>,
    /// True if the student need not do the work.
    excuse: Patch<bool>,
}

/// Grades or excuses a submission, or comments on it.
///
/// Graders do everything here; students comment on what is theirs.
#[endpoint(
    PUT "/api/v1/courses/:course_id/assignments/:assignment_id/submissions/:user_id",
    throttled("notices about comments of one user"),
    unsupported(unsupported::GRADE),
)]
async fn grade_submission(
    cx: Context,
    Path(at): Path<SubmissionPath>,
    assignment: NeededInCourse<Assignment>,
    body: Form<GradeForms>,
) -> Result<Reply<Submission>> {
    let InCourse { course, record: assignment } = assignment.into_record();
    let student = student(&cx, &course, &at).await?;
    let caller = cx.caller()?.user;
    let grades = course.can(Right::ManageGrades);
    if !grades && (caller != student || !assignment.published) {
        return Err(Error::forbidden());
    }
    let mut params = body.into_params()?;
    let form: GradeForm = form::optional_of(&mut params, "submission")?;
    let comment = read_comment(form::optional_of(&mut params, "comment")?)?;
    if !grades {
        course.require(Right::Participate)?;
        if form.posted_grade.is_present() || form.excuse.is_present() {
            return Err(Error::forbidden());
        }
    }
    let mut events = Events::of(&cx, &course, Some(assignment.id)).await?;
    let row = cx.db.transaction(async |db| {
        store::ensure(db, assignment.id, student, cx.now).await?;
        let before = store::submission(db, assignment.id, student).await?.or_not_found()?;
        let grade = form.over(&before)?;
        if grade.is_none() && comment.is_none() {
            return Ok(before);
        }
        if let Some((grade, excused)) = grade {
            let grader = (grade.score.is_some() || excused).then_some(caller);
            store::set_grade(db, before.id, grade, excused, grader, cx.now).await?;
        }
        if let Some(comment) = comment {
            add_comment(db, &events, &course, &before, caller, comment, cx.now).await?;
            store::touch(db, before.id, cx.now).await?;
        }
        let row = store::submission(db, assignment.id, student).await?.or_not_found()?;
        notices::graded(db, events.notifier(), course.id, &before, &row, cx.now).await?;
        events.graded(db, &before, &row).await?;
        events.updated(db, &row).await?;
        Ok::<_, Error>(row)
    });
    let row = row.await?;
    events.send();
    Ok(Reply::ok(view(&cx, &course, row, Include { comments: true, ..Include::default() }).await?))
}

impl GradeForm {
    /// The grade and the excuse that the submission has afterwards; `None` where neither is given.
    ///
    /// A student who is excused has no grade, and a grade ends the excuse.
    fn over(&self, before: &Row) -> Result<Option<(Grade, bool)>> {
        let current = || Grade { score: before.score, grade: before.grade.clone() };
        match (&self.excuse, &self.posted_grade) {
            (Patch::Value(true), _) => Ok(Some((Grade::default(), true))),
            (_, Patch::Value(posted)) if posted.trim().eq_ignore_ascii_case("ex") => Ok(Some((Grade::default(), true))),
            (_, Patch::Value(posted)) => Ok(Some((before.scale().read(posted)?, false))),
            (_, Patch::Null) => Ok(Some((Grade::default(), false))),
            (Patch::Value(false), Patch::Absent) => Ok(Some((current(), false))),
            (Patch::Absent | Patch::Null, Patch::Absent) => Ok(None),
        }
    }
}
