//! Grading: a grade, an excuse and comments for what a student has handed in, or not.

use ::submissions::events::Events;
use ::submissions::grading::Grade;
use ::submissions::late_policy::LatePolicyStatus;
use serde::Deserialize;
use shared::auth::{CourseAccess, Right};
use shared::db::{self, Json, change_known_at_once};
use shared::error::OrNotFound;
use shared::ids::UserId;
use shared::needs::{InCourse, NeededInCourse};
use shared::params::Params;
use shared::prefetch::Prefetched;
use shared::{Context, Db, Error, Form, JsonSchema, Patch, Path, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::form;
use crate::model::submission_includes::Include;
use crate::model::unsupported;
use crate::regrading::graded_work_submitted_at;
use crate::routes::assignments::submissions::view::{Submission, view, view_with_comments};
use crate::routes::assignments::submissions::{
    CommentForm, SubmissionPath, add_comment, read, read_comment, require_named, unnamed,
};
use crate::store::graded_assignments::GradedAssignment;
use crate::store::kept_attempts::{self, KeptGrade};
use crate::store::submissions::{self as store, Change, Changed, GivenGrade, KnownSubmission, KnownWork, Row};

/// A hundred years.
const MAX_SECONDS_LATE: i64 = 3_155_760_000;

endpoints![grade_submission];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct GradeForms {
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
    /// `late`, `missing`, `extended` or `none`, whatever the due date tells; null: the due date tells.
    late_policy_status: Patch<LatePolicyStatus>,
    /// Of what is `late`: by how many seconds.
    seconds_late_override: Patch<i64>,
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
    assignment: NeededInCourse<GradedAssignment>,
    work: Prefetched<KnownWork>,
    body: Form<GradeForms>,
) -> Result<Reply<Submission>> {
    let InCourse { course, record: assignment } = assignment.into_record();
    let (work, caller) = (work.record()?, cx.caller()?.user);
    work.require_student(&course, caller)?;
    match work.row() {
        Some(row) => require_named(&cx, &course, row)?,
        None if assignment.anonymous_grading && work.student != caller && course.can(Right::ManageGrades) => {
            return Err(unnamed());
        }
        None => (),
    }
    grade(&cx, &course, &assignment, work, body.into_params()?).await
}

/// Grades or excuses the work of somebody who is known to be a student, or comments on it, as far as the caller may.
pub(crate) async fn grade(
    cx: &Context,
    course: &CourseAccess,
    assignment: &GradedAssignment,
    work: KnownWork,
    mut params: Params,
) -> Result<Reply<Submission>> {
    let caller = cx.caller()?.user;
    let student = work.student;
    let grades = course.can(Right::ManageGrades);
    if !grades && (caller != student || !assignment.published) {
        return Err(Error::forbidden());
    }
    form::blank_words_are_null(&mut params, "submission", &["late_policy_status"]);
    let form: GradeForm = form::optional_of(&mut params, "submission")?;
    let comment = read_comment(form::optional_of(&mut params, "comment")?)?;
    if !grades {
        course.require(Right::Participate)?;
        if !form.is_empty() {
            return Err(Error::forbidden());
        }
    }
    form.require_valid()?;
    if form.sets_nothing() && comment.is_none() {
        let row = match work.into_row() {
            Some(row) => row,
            None => read(cx, assignment.id, student).await?,
        };
        return Ok(Reply::ok(view(cx, course, row, &Include::comments_alone()).await?));
    }
    let mut events = Events::of(cx, course, Some(assignment.id)).await?;
    let grading = Grading { cx, course, form: &form, events: &events };
    let read = async |db: &Db| store::known(db, assignment.id, student).await?.or_not_found();
    let (row, comments, has_events) = cx
        .db
        .transaction_if(comment.is_some(), async |db| {
            let known = match work.submission() {
                Some(known) => known,
                // That nothing was handed in is true whether a grade follows or not.
                None => store::begun(db, assignment.id, student, cx.now).await?,
            };
            let change = async |db: &Db, known| Box::pin(grading.change(db, known)).await;
            let changed = change_known_at_once(db, known, read, change).await?;
            let (row, Changed { comments: Json(mut comments), has_events }) = changed.ok_or(db::Error::NoRow)?;
            if let Some(comment) = comment {
                comments = add_comment(db, &events, course, &row, caller, comment, cx.now).await?;
            }
            Ok::<_, Error>((row, comments, has_events))
        })
        .await?;
    events.queued(has_events);
    events.send();
    Ok(Reply::ok(view_with_comments(cx, course, row, comments).await?))
}

/// A grader's request, and who is told of it.
struct Grading<'a> {
    cx: &'a Context,
    course: &'a CourseAccess,
    form: &'a GradeForm,
    events: &'a Events,
}

impl Grading<'_> {
    /// Sets the grade, or notes that something about the submission changes; answers how it is then. Nothing is set of a
    /// submission that is not any more as it was known.
    async fn change(&self, db: &Db, known: KnownSubmission) -> Result<Option<(Row, Changed)>> {
        let Self { cx, course, form, events } = *self;
        let before = &known.submission.0;
        let graded_at = if form.says_lateness() { graded_work_submitted_at(db, before).await? } else { None };
        let kept = if form.ends_excuse(before) { kept_attempts::kept(db, before).await? } else { None };
        let change = match form.over(before, graded_at, kept, cx.caller()?.user)? {
            NewGrade::None => Change::of_nothing(before, cx.now),
            NewGrade::OfLateness(row) => Change::of_lateness(*row, cx.now),
            NewGrade::Given(grade) => Change::graded(before, *grade, cx.now),
        };
        let outbox = events.of_grade(course.id, before, &change.row)?;
        let changed = store::change(db, &known, &change, outbox).await?;
        Ok(changed.map(|changed| (change.row, changed)))
    }
}

impl GradeForm {
    /// True if the student is excused no more, and nothing is said of the grade.
    fn ends_excuse(&self, before: &Row) -> bool {
        before.excused && self.excuse == Patch::Value(false) && !self.posted_grade.is_present()
    }

    fn is_empty(&self) -> bool {
        !self.posted_grade.is_present() && !self.excuse.is_present() && !self.says_lateness()
    }

    fn says_lateness(&self) -> bool {
        self.late_policy_status.is_present() || self.seconds_late_override.is_present()
    }

    fn sets_nothing(&self) -> bool {
        !self.posted_grade.is_present() && !matches!(self.excuse, Patch::Value(_)) && !self.says_lateness()
    }

    fn require_valid(&self) -> Result<()> {
        match self.seconds_late_override.into_option() {
            Some(seconds) if !(0..=MAX_SECONDS_LATE).contains(&seconds) => {
                Err(Error::invalid("seconds_late_override", "inclusion", "must be between 0 and 3155760000"))
            }
            _ => Ok(()),
        }
    }

    /// The grade that the submission has afterwards, after what lateness costs.
    ///
    /// A student who is excused has no grade, and a grade ends the excuse. What is said about lateness alone counts for what was
    /// graded, which was handed in at that moment. Who is excused no more gets back what a quiz keeps of the attempts.
    fn over(
        &self,
        before: &Row,
        graded_work_submitted_at: Option<Timestamp>,
        kept: Option<KeptGrade>,
        grader: UserId,
    ) -> Result<NewGrade> {
        let mut row = before.clone();
        row.late_policy_status = self.late_policy_status.over(before.late_policy_status);
        let is_late = row.late_policy_status == Some(LatePolicyStatus::Late);
        row.seconds_late_override = self.seconds_late_override.over(before.seconds_late_override).filter(|_| is_late);
        let (late_policy_status, seconds_late_override) = (row.late_policy_status, row.seconds_late_override);
        let given = |grade: Grade, excused| {
            let grader = (grade.score.is_some() || excused).then_some(grader);
            GivenGrade { grade, excused, late_policy_status, seconds_late_override, grader, kept: None }
        };
        let of = |grade, excused| NewGrade::Given(Box::new(given(grade, excused)));
        let deducted = |entered: Grade| of(row.deduct(entered, row.submitted_at), false);
        match (&self.excuse, &self.posted_grade) {
            (Patch::Value(true), _) => Ok(of(Grade::default(), true)),
            (_, Patch::Value(posted)) if posted.trim().eq_ignore_ascii_case("ex") => Ok(of(Grade::default(), true)),
            (_, Patch::Value(posted)) => Ok(deducted(before.scale().read(posted)?)),
            (_, Patch::Null) => Ok(of(Grade::default(), false)),
            (_, Patch::Absent) if self.ends_excuse(before) => match kept {
                Some(kept) => {
                    let grade = row.deduct(kept.grade.clone(), Some(kept.submitted_at));
                    let given = GivenGrade { grader: None, kept: Some(kept), ..given(grade, false) };
                    Ok(NewGrade::Given(Box::new(given)))
                }
                None => Ok(deducted(before.entered())),
            },
            (_, Patch::Absent) if self.says_lateness() => Ok(of_lateness(row, graded_work_submitted_at, of)),
            // Who is not excused stays so, and what is handed in since the grade is not graded by it.
            (_, Patch::Absent) => Ok(NewGrade::None),
        }
    }
}

/// What becomes of the grade where only something about lateness is said: missing work gets that of the late policy.
fn of_lateness(mut row: Row, submitted_at: Option<Timestamp>, of: impl Fn(Grade, bool) -> NewGrade) -> NewGrade {
    let becomes_missing = row.late_policy_status == Some(LatePolicyStatus::Missing) && !row.excused;
    if let Some(grade) = row.grade_of_missing().filter(|_| becomes_missing) {
        return of(grade, false);
    }
    let grade = row.deduct(row.entered(), submitted_at);
    (row.score, row.grade, row.points_deducted) = (grade.score, grade.grade, grade.points_deducted);
    NewGrade::OfLateness(Box::new(row))
}

/// What is set of a submission.
enum NewGrade {
    /// Neither a grade nor anything about lateness is given.
    None,
    /// The submission as it is then: lateness costs other points.
    OfLateness(Box<Row>),
    Given(Box<GivenGrade>),
}
