//! Grading: a grade, an excuse and comments for what a student has handed in, or not.

use ::submissions::events::Events;
use ::submissions::grading::Grade;
use ::submissions::notices;
use serde::Deserialize;
use shared::auth::Right;
use shared::db::change_known;
use shared::error::OrNotFound;
use shared::needs::{InCourse, NeededInCourse};
use shared::prefetch::Prefetched;
use shared::{Context, Db, Error, Form, JsonSchema, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::model::assignments::Assignment;
use crate::model::form;
use crate::model::unsupported;
use crate::routes::assignments::submissions::view::{Include, Submission, view, view_with_comments};
use crate::routes::assignments::submissions::{
    CommentForm, SubmissionPath, add_comment, graders_limit, read, read_comment,
};
use crate::store::submissions::{self as store, KnownSubmission, KnownWork, Row, Written};

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
    _: Path<SubmissionPath>,
    assignment: NeededInCourse<Assignment>,
    work: Prefetched<KnownWork>,
    body: Form<GradeForms>,
) -> Result<Reply<Submission>> {
    let InCourse { course, record: assignment } = assignment.into_record();
    let caller = cx.caller()?.user;
    let work = work.record()?;
    let student = work.student;
    if !work.is_of_student(student != caller && graders_limit(&course).is_some()) {
        return Err(Error::not_found());
    }
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
    if form.sets_nothing() && comment.is_none() {
        let row = match work.submission() {
            Some(known) => known.submission.0,
            None => read(&cx, assignment.id, student).await?,
        };
        return Ok(Reply::ok(view(&cx, &course, row, Include { comments: true, ..Include::default() }).await?));
    }
    let mut events = Events::of(&cx, &course, Some(assignment.id)).await?;
    let (row, comments) = cx
        .db
        .transaction(async |db| {
            let known = match work.submission() {
                Some(known) => known,
                None => {
                    store::ensure(db, assignment.id, student, cx.now).await?;
                    store::known(db, assignment.id, student).await?.or_not_found()?
                }
            };
            let read_again = async || store::known(db, assignment.id, student).await?.or_not_found();
            let change = async |known| form.change(db, &cx, known).await;
            let (before, written) = change_known(known, read_again, change).await?;
            let (row, mut comments) = (written.submission.0, written.comments.0);
            if let Some(comment) = comment {
                comments = add_comment(db, &events, &course, &row, caller, comment, cx.now).await?;
            }
            notices::graded(db, events.notifier(), course.id, &before, &row, cx.now).await?;
            events.graded_and_updated(db, &before, &row).await?;
            Ok::<_, Error>((row, comments))
        })
        .await?;
    events.send();
    Ok(Reply::ok(view_with_comments(&cx, &course, row, comments).await?))
}

impl GradeForm {
    /// Sets the grade, or notes that something about the submission changes; answers how it was before and is now. Nothing
    /// is set of a submission that is not any more as it was known.
    async fn change(&self, db: &Db, cx: &Context, known: KnownSubmission) -> Result<Option<(Row, Written)>> {
        let Some((grade, excused)) = self.over(&known.submission.0)? else {
            let written = store::touch(db, known.submission.0.id, cx.now).await?.or_not_found()?;
            return Ok(Some((written.submission.0.clone(), written)));
        };
        let grader = (grade.score.is_some() || excused).then_some(cx.caller()?.user);
        let written = store::set_grade(db, &known, grade, excused, grader, cx.now).await?;
        Ok(written.map(|written| (known.submission.0, written)))
    }

    fn sets_nothing(&self) -> bool {
        !self.posted_grade.is_present() && !matches!(self.excuse, Patch::Value(_))
    }

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
