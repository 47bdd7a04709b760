//! Submissions: what students have handed in for assignments. Each attempt is kept; the last one is the submission.

pub(crate) mod anonymous;
pub(crate) mod grading;
pub(crate) mod handing_in;
pub(crate) mod tools;
pub(crate) mod view;

use ::submissions::events::Events;
use ::submissions::rules::{self, denied};
use serde::{Deserialize, Serialize};
use shared::auth::{CourseAccess, Right};
use shared::db::BuiltJson;
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, IdOrAlias, UserId};
use shared::needs::{InCourse, NeededInCourse, may};
use shared::pagination::BuiltPage;
use shared::prefetch::{Prefetched, PrefetchedBuiltList};
use shared::{Context, Db, Error, JsonSchema, Path, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::submission_includes::Include;
use crate::routes::assignments::submissions::view::{Submission, view, views};
use crate::store::graded_assignments::{GradedAssignment, OpenAssignment};
use crate::store::students;
use crate::store::submission_contents::Comment;
use crate::store::submission_lists::{self, SubmissionsOfAssignment};
use crate::store::submissions::{self as store, AssignmentWithWork, KnownWork, Row};
use crate::submission_notices as notices;

const MAX_COMMENT_CHARS: usize = 65_536;

endpoints![list_submissions, get_submission];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct SubmissionPath {
    #[serde(rename = "user_id")]
    _user_id: IdOrAlias<UserId>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct CommentForm {
    pub(crate) text_comment: Option<String>,
}

/// Lists the submissions of an assignment, one for each student.
#[endpoint(GET "/api/v1/courses/:course_id/assignments/:assignment_id/submissions")]
async fn list_submissions(
    cx: Context,
    assignment: NeededInCourse<AssignmentWithWork, may::ManageGrades>,
    submissions: PrefetchedBuiltList<SubmissionsOfAssignment>,
    query: Query<Include>,
) -> Result<Reply<Vec<BuiltJson<Submission>>>> {
    let course = &assignment.course;
    let (include, page) = (query.decode()?, cx.page().await?);
    let submissions = match assignment.lacks_submissions {
        false => submissions.page(&page)?,
        true => {
            store::ensure_all(&cx.db, course.id, assignment.id, cx.now).await?;
            let base_url = cx.base_url().await?;
            let shown = (base_url.as_str(), cx.now, &include);
            submission_lists::page(&cx.db, assignment.id, course.section_limit(), shown, &page).await?
        }
    };
    built(&cx, course, submissions, &include, |submission| submission).await
}

/// A page of submissions, of which those are built of their rows that the database has left so; `of` is what each of them is in the
/// list.
pub(crate) async fn built<T: Serialize>(
    cx: &Context,
    course: &CourseAccess,
    mut page: BuiltPage<Row>,
    include: &Include,
    of: impl Fn(Submission) -> T,
) -> Result<Reply<Vec<BuiltJson<T>>>> {
    let rest = page.list.unbuilt()?;
    if !rest.is_empty() {
        let rest =
            views(cx, course, rest, include).await?.into_iter().map(|submission| serde_json::to_vec(&of(submission)));
        page.list.build(rest.collect::<Result<Vec<_>, _>>().map_err(Error::internal)?)?;
    }
    Ok(Reply::built_page(page.described_as()))
}

/// Reads a student's submission.
#[endpoint(GET "/api/v1/courses/:course_id/assignments/:assignment_id/submissions/:user_id")]
async fn get_submission(
    cx: Context,
    _: Path<SubmissionPath>,
    assignment: NeededInCourse<GradedAssignment>,
    work: Prefetched<KnownWork>,
    query: Query<Include>,
) -> Result<Reply<Submission>> {
    let InCourse { course, record: assignment } = assignment.into_record();
    let work = work.record()?;
    let student = work.student;
    work.require_student(&course, cx.caller()?.user)?;
    require_visible(&cx, &course, &assignment, student).await?;
    let include = query.decode()?;
    let row = match work.into_row() {
        Some(row) => row,
        // Its id would tell who was asked for.
        None if assignment.anonymous_grading && student != cx.caller()?.user && course.can(Right::ManageGrades) => {
            return Err(unnamed());
        }
        None => read(&cx, assignment.id, student).await?,
    };
    require_named(&cx, &course, &row)?;
    Ok(Reply::ok(view(&cx, &course, row, &include).await?))
}

/// 403 for graders who name the student of work that is graded anonymously.
pub(crate) fn require_named(cx: &Context, course: &CourseAccess, row: &Row) -> Result<()> {
    match view::is_anonymous_to(cx.caller()?.user, course, row) {
        true => Err(unnamed()),
        false => Ok(()),
    }
}

pub(crate) fn unnamed() -> Error {
    denied("the work is graded anonymously: name it by its anonymous_id")
}

/// The student's submission, which there is from the first look at it on.
pub(crate) async fn read(cx: &Context, assignment: AssignmentId, student: UserId) -> Result<Row> {
    if let Some(row) = store::submission(&cx.db, assignment, student).await? {
        return Ok(row);
    }
    store::ensure(&cx.db, assignment, student, cx.now).await?;
    store::submission(&cx.db, assignment, student).await?.or_not_found()
}

/// Graders see every submission, students their own, and observers those of whom they watch over.
async fn require_visible(
    cx: &Context,
    course: &CourseAccess,
    assignment: &GradedAssignment,
    student: UserId,
) -> Result<()> {
    if course.can(Right::ManageGrades) {
        return Ok(());
    }
    rules::require_read(course, assignment.published)?;
    let caller = cx.caller()?.user;
    if student == caller || students::observes(&cx.db, course.id, caller, student).await? {
        return Ok(());
    }
    Err(Error::forbidden())
}

/// Nothing is handed in for what is not published, not open yet, or closed.
pub(crate) fn require_open(assignment: &OpenAssignment, now: Timestamp) -> Result<()> {
    let OpenAssignment { published, unlock_at, lock_at, .. } = *assignment;
    match rules::closed("assignment", published, (unlock_at, lock_at), now) {
        Some(reason) => Err(denied(&reason)),
        None => Ok(()),
    }
}

/// Keeps a comment, tells those whom it is for, and answers all comments on the submission. `db` is in a transaction.
pub(crate) async fn add_comment(
    db: &Db,
    events: &Events,
    course: &CourseAccess,
    row: &Row,
    author: UserId,
    comment: String,
    now: Timestamp,
) -> Result<Vec<Comment>> {
    notices::commented(db, events.notifier(), course.id, row, author, &comment, now).await?;
    let comments = store::comment(db, row.id, author, comment, now).await?;
    comments.ok_or_else(|| denied("you have reached the maximum number of comments on this submission"))
}

/// A comment that says something.
pub(crate) fn read_comment(form: CommentForm) -> Result<Option<String>> {
    let Some(comment) = form.text_comment.filter(|comment| !comment.trim().is_empty()) else {
        return Ok(None);
    };
    shared::params::not_too_long("text_comment", &comment, MAX_COMMENT_CHARS)?;
    Ok(Some(comment))
}
