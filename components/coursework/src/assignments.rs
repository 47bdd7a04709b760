//! Assignments, as far as quizzes need them: a new quiz is known by its assignment.

use serde::{Deserialize, Serialize};
use shared::auth::{self, CourseAccess, Right};
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, CourseId, Named};
use shared::{Body, Context, Endpoint, Error, Patch, Reply, Result, Timestamp, delete, get, post, put};

use crate::store::assignments as store;
use crate::store::assignments::Fields;
use crate::{form, rules};

pub(crate) fn endpoints() -> [Endpoint; 5] {
    [
        get("/api/v1/courses/:course_id/assignments", list).about("Lists the assignments of a course"),
        get("/api/v1/courses/:course_id/assignments/:id", show).about("Reads an assignment"),
        post("/api/v1/courses/:course_id/assignments", create).about("Creates an assignment"),
        put("/api/v1/courses/:course_id/assignments/:id", update).about("Changes an assignment"),
        delete("/api/v1/courses/:course_id/assignments/:id", destroy)
            .about("Deletes an assignment, and the new quiz that it stands for"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct CoursePath {
    pub(crate) course_id: Named<CourseId>,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct AssignmentPath {
    course_id: Named<CourseId>,
    id: AssignmentId,
}

/// How a grade is shown.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum GradingType {
    PassFail,
    Percent,
    LetterGrade,
    GpaScale,
    #[default]
    Points,
    NotGraded,
}

/// What students hand in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum SubmissionType {
    DiscussionTopic,
    ExternalTool,
    MediaRecording,
    None,
    OnPaper,
    OnlineQuiz,
    OnlineTextEntry,
    OnlineUpload,
    OnlineUrl,
    StudentAnnotation,
}

/// A piece of work for the students of a course.
#[derive(Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct Assignment {
    id: AssignmentId,
    course_id: CourseId,
    name: String,
    description: Option<String>,
    points_possible: Option<f64>,
    due_at: Option<Timestamp>,
    unlock_at: Option<Timestamp>,
    lock_at: Option<Timestamp>,
    grading_type: GradingType,
    submission_types: Json<Vec<SubmissionType>>,
    assignment_group_id: Option<i64>,
    position: i64,
    pub(crate) published: bool,
    /// Whether it can be taken back: not any more when students have attempted it.
    unpublishable: bool,
    workflow_state: String,
    /// Whether it stands for a new quiz.
    is_quiz_lti_assignment: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct AssignmentView {
    #[serde(flatten)]
    assignment: Assignment,
    html_url: String,
}

impl AssignmentView {
    fn new(assignment: Assignment, base_url: &str) -> Self {
        let html_url = format!("{base_url}/courses/{}/assignments/{}", assignment.course_id, assignment.id);
        Self { assignment, html_url }
    }
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct AssignmentForms {
    #[serde(rename = "assignment")]
    _assignment: AssignmentForm,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
struct AssignmentForm {
    name: Patch<String>,
    description: Patch<String>,
    points_possible: Patch<f64>,
    due_at: Patch<Timestamp>,
    unlock_at: Patch<Timestamp>,
    lock_at: Patch<Timestamp>,
    grading_type: Patch<GradingType>,
    submission_types: Patch<Vec<SubmissionType>>,
    assignment_group_id: Patch<i64>,
    published: Patch<bool>,
}

async fn list(cx: Context, at: CoursePath) -> Result<Reply<Vec<AssignmentView>>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::Read)?;
    let (base_url, page) = (cx.base_url().await?, cx.page().await?);
    let assignments = store::page(&cx.db, course.id, course.can(Right::ReadAsStaff), &page).await?;
    Ok(Reply::page(assignments.map(|assignment| AssignmentView::new(assignment, &base_url))))
}

async fn show(cx: Context, at: AssignmentPath) -> Result<Reply<AssignmentView>> {
    let (course, assignment) = find(&cx, &at).await?;
    rules::must_read(&course, assignment.published)?;
    Ok(Reply::ok(AssignmentView::new(assignment, &cx.base_url().await?)))
}

async fn create(cx: Context, at: CoursePath, body: Body<AssignmentForms>) -> Result<Reply<AssignmentView>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::ManageAssignments)?;
    let form: AssignmentForm = form::required(body, "assignment")?;
    let fields = form.over(Fields::default())?;
    let id = store::insert(&cx.db, &course, fields, cx.now).await?;
    let assignment = store::assignment(&cx.db, course.id, id).await?.or_not_found()?;
    Ok(Reply::created(AssignmentView::new(assignment, &cx.base_url().await?)))
}

async fn update(cx: Context, at: AssignmentPath, body: Body<AssignmentForms>) -> Result<Reply<AssignmentView>> {
    let (course, assignment) = find(&cx, &at).await?;
    course.must(Right::ManageAssignments)?;
    let form: AssignmentForm = form::optional(body, "assignment")?;
    may_be_published(form.published, assignment.unpublishable)?;
    let assignment = cx.db.transaction(async |db| {
        let fields = store::fields(db, course.id, at.id).await?.or_not_found()?;
        store::update(db, at.id, form.over(fields)?, cx.now).await?;
        store::assignment(db, course.id, at.id).await?.or_not_found()
    });
    Ok(Reply::ok(AssignmentView::new(assignment.await?, &cx.base_url().await?)))
}

async fn destroy(cx: Context, at: AssignmentPath) -> Result<Reply<AssignmentView>> {
    let (course, mut assignment) = find(&cx, &at).await?;
    course.must(Right::ManageAssignments)?;
    if !store::delete(&cx.db, at.id, cx.now).await? {
        return Err(Error::not_found());
    }
    assignment.workflow_state = "deleted".to_owned();
    Ok(Reply::ok(AssignmentView::new(assignment, &cx.base_url().await?)))
}

async fn find(cx: &Context, at: &AssignmentPath) -> Result<(CourseAccess, Assignment)> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    let assignment = store::assignment(&cx.db, course.id, at.id).await?.or_not_found()?;
    Ok((course, assignment))
}

/// What students have attempted stays published.
pub(crate) fn may_be_published(published: Patch<bool>, unpublishable: bool) -> Result<()> {
    match published {
        Patch::Value(false) if !unpublishable => {
            Err(Error::invalid("published", "invalid", "can't be unpublished when there are student submissions"))
        }
        _ => Ok(()),
    }
}

impl AssignmentForm {
    fn over(self, current: Fields) -> Result<Fields> {
        let fields = Fields {
            name: rules::title("name", self.name, current.name)?,
            description: rules::rich_over("description", self.description, current.description)?,
            points_possible: self.points_possible.over(current.points_possible),
            due_at: self.due_at.over(current.due_at),
            unlock_at: self.unlock_at.over(current.unlock_at),
            lock_at: self.lock_at.over(current.lock_at),
            grading_type: self.grading_type.unwrap_or(current.grading_type),
            submission_types: Json(self.submission_types.unwrap_or(current.submission_types.0)),
            assignment_group_id: self.assignment_group_id.over(current.assignment_group_id),
            published: self.published.unwrap_or(current.published),
        };
        rules::points(fields.points_possible)?;
        rules::in_order(fields.unlock_at, fields.due_at, fields.lock_at)?;
        Ok(fields)
    }
}
