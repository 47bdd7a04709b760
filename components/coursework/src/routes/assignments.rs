//! Assignments. A new quiz is known by its assignment, and a graded classic quiz has one.

pub(crate) mod overrides;
pub(crate) mod posting;
pub(crate) mod submissions;

use std::collections::BTreeMap;

use ::submissions::events::Events;
use ::submissions::grading::{GradingType, Scale};
use ::submissions::rules::require_read;
use ::submissions::submission_types::SubmissionType;
use serde::{Deserialize, Serialize};
use shared::auth::{CourseAccess, Right};
use shared::db::{self, BuiltJson, Json, change_known};
use shared::error::OrNotFound;
use shared::ids::AssignmentId;
use shared::needs::{InCourse, NeededCourse, NeededInCourse, may};
use shared::notify::Notifier;
use shared::prefetch::PrefetchedBuiltList;
use shared::{
    Context, Created, Db, Error, Form, JsonSchema, Patch, Query, Reply, Result, Timestamp, endpoint, endpoints,
};

use crate::assignment_notices::{Subject, announce};
use crate::model::assignment_overrides::{AssignmentDates, AssignmentOverride, OverrideRow};
use crate::model::assignments::{
    Announced, Assignment, AssignmentFilter, AssignmentInclude, AssignmentView, asks_for_submission,
};
use crate::model::submission_includes::Include;
use crate::model::{form, rules, unsupported};
use crate::regrading::regrade;
use crate::routes::assignments::submissions::view::{Submission, views};
use crate::store::assignment_lists::AssignmentsOfCourse;
use crate::store::assignment_overrides as store_of_overrides;
use crate::store::assignments::{self as store, Fields, KnownAssignment};
use crate::store::submissions as handed_in;

endpoints![list_assignments, get_assignment, create_assignment, update_assignment, delete_assignment];

/// The parameters that are one of a few words: a blank one says nothing.
const WORDS: &[&str] = &["grading_type"];

/// An assignment with the caller's own work.
#[derive(Serialize, JsonSchema)]
struct AssignmentWithWork {
    #[serde(flatten)]
    assignment: AssignmentView,
    /// Where `include[]=submission` asks for it and the caller has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    submission: Option<Submission>,
    /// Where `include[]=all_dates` asks for them, to staff: those of the assignment, and those of its overrides.
    #[serde(skip_serializing_if = "Option::is_none")]
    all_dates: Option<Vec<AssignmentDates>>,
    /// Where `include[]=overrides` asks for them, to staff.
    #[serde(skip_serializing_if = "Option::is_none")]
    overrides: Option<Vec<AssignmentOverride>>,
    /// Where `include[]=needs_grading_count` asks for it, to graders: how much work of active students waits for a grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_grading_count: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
struct AssignmentForms {
    #[serde(rename = "assignment")]
    _assignment: AssignmentForm,
}

#[derive(Clone, Deserialize, Default, JsonSchema)]
#[serde(default)]
struct AssignmentForm {
    name: Patch<String>,
    description: Patch<String>,
    points_possible: Patch<f64>,
    due_at: Patch<Timestamp>,
    unlock_at: Patch<Timestamp>,
    lock_at: Patch<Timestamp>,
    grading_type: Patch<GradingType>,
    /// A list, or a text with commas.
    #[serde(deserialize_with = "form::list_or_text")]
    submission_types: Patch<Vec<SubmissionType>>,
    assignment_group_id: Patch<i64>,
    /// -1: without end.
    allowed_attempts: Patch<i64>,
    published: Patch<bool>,
    /// True if students see grades when somebody posts them; null: as the course has it.
    post_manually: Patch<bool>,
    /// True if graders do not see whose work it is until its grade is posted, which is by hand then.
    anonymous_grading: Patch<bool>,
}

/// Lists the assignments of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/assignments",
    students(200, "students see what is published"),
    unsupported(unsupported::ASSIGNMENTS),
)]
async fn list_assignments(
    cx: Context,
    course: NeededCourse<may::Read>,
    assignments: PrefetchedBuiltList<AssignmentsOfCourse>,
    query: Query<AssignmentFilter>,
) -> Result<Reply<Vec<BuiltJson<AssignmentWithWork>>>> {
    // Without an address there is no list.
    cx.base_url().await?;
    let (assignments, include) = (assignments.page(&cx.page().await?)?, query.decode()?.include);
    if include.is_empty() {
        return Ok(Reply::built_page(assignments.described_as()));
    }
    let with_work = async |rows: Vec<Assignment>| {
        let rows = with_work(&cx, &course, rows, &include).await?;
        Ok::<_, Error>(rows.iter().map(BuiltJson::of).collect::<db::Result<_>>()?)
    };
    Ok(Reply::page(assignments.read()?.together(with_work).await?))
}

/// The assignments with the caller's own work, where that is asked for.
async fn with_work(
    cx: &Context,
    course: &CourseAccess,
    assignments: Vec<Assignment>,
    include: &[String],
) -> Result<Vec<AssignmentWithWork>> {
    let mut submissions = BTreeMap::new();
    if asks_for_submission(include) {
        let ids = assignments.iter().map(|assignment| assignment.id.0).collect();
        let rows = handed_in::of_user(&cx.db, cx.caller()?.user, ids).await?;
        let own = views(cx, course, rows, &Include::default()).await?;
        submissions.extend(own.into_iter().map(|submission| (submission.assignment_id, submission)));
    }
    let [with_dates, with_overrides] =
        ["all_dates", "overrides"].map(|word| asks_for(word, Right::ReadAsStaff, course, include));
    let mut overrides: BTreeMap<AssignmentId, Vec<OverrideRow>> = BTreeMap::new();
    if with_dates || with_overrides {
        let ids = assignments.iter().map(|assignment| assignment.id.0).collect();
        for own in store_of_overrides::of_assignments(&cx.db, ids).await? {
            overrides.entry(own.assignment_id).or_default().push(own);
        }
    }
    let counts_ungraded = asks_for("needs_grading_count", Right::ManageGrades, course, include);
    let mut ungraded = BTreeMap::new();
    if counts_ungraded {
        let ids = assignments.iter().map(|assignment| assignment.id.0).collect();
        ungraded.extend(store::needs_grading_counts(&cx.db, ids, rules::graders_limit(course)).await?);
    }
    let base_url = cx.base_url().await?;
    let with_work = |assignment: Assignment| {
        let Assignment { id, due_at, unlock_at, lock_at, .. } = assignment;
        let own = overrides.remove(&id).unwrap_or_default();
        let all_dates = with_dates.then(|| AssignmentDates::base(due_at, unlock_at, lock_at).with_overrides(&own));
        AssignmentWithWork {
            submission: submissions.remove(&id),
            all_dates,
            overrides: with_overrides.then(|| own.into_iter().map(AssignmentOverride::from).collect()),
            needs_grading_count: counts_ungraded.then(|| ungraded.remove(&id).unwrap_or_default()),
            assignment: AssignmentView::new(assignment, course, &base_url, cx.now),
        }
    };
    Ok(assignments.into_iter().map(with_work).collect())
}

/// True if `include[]` asks for the word, and the caller has the right to it.
fn asks_for(word: &str, right: Right, course: &CourseAccess, include: &[String]) -> bool {
    course.can(right) && include.iter().any(|given| given == word)
}

/// Reads an assignment.
#[endpoint(GET "/api/v1/courses/:course_id/assignments/:id")]
async fn get_assignment(
    cx: Context,
    assignment: NeededInCourse<Assignment>,
    query: Query<AssignmentInclude>,
) -> Result<Reply<AssignmentWithWork>> {
    let InCourse { course, record: assignment } = assignment.into_record();
    require_read(&course, assignment.published)?;
    let mut assignments = with_work(&cx, &course, vec![assignment], &query.decode()?.include).await?;
    Ok(Reply::ok(assignments.pop().or_not_found()?))
}

/// Creates an assignment.
#[endpoint(POST "/api/v1/courses/:course_id/assignments", unsupported(unsupported::ASSIGNMENT))]
async fn create_assignment(
    cx: Context,
    course: NeededCourse<may::ManageAssignments>,
    body: Form<AssignmentForms>,
) -> Result<Created<AssignmentView>> {
    let mut params = body.into_params()?;
    form::blank_words_are_null(&mut params, "assignment", WORDS);
    let form: AssignmentForm = form::required_of(&mut params, "assignment")?;
    let fields = form.over(Fields::default())?;
    let notifier = Notifier::of(&cx).await?;
    let announced = fields.announced();
    let insert = async |db: &Db| {
        let assignment = store::insert(db, &course, fields, cx.now).await?;
        announce(db, &notifier, course.id, Subject::Assignment(assignment.id), None, &announced).await?;
        Ok::<_, Error>(assignment)
    };
    let assignment = cx.db.transaction_if(announced.is_news_after(None), insert).await?;
    Ok(Reply::created(AssignmentView::new(assignment, &course, &cx.base_url().await?, cx.now)))
}

/// Changes an assignment.
#[endpoint(PUT "/api/v1/courses/:course_id/assignments/:id", unsupported(unsupported::ASSIGNMENT))]
async fn update_assignment(
    cx: Context,
    assignment: NeededInCourse<KnownAssignment, may::ManageAssignments>,
    body: Form<AssignmentForms>,
) -> Result<Reply<AssignmentView>> {
    let InCourse { course, record: known } = assignment.into_record();
    let id = known.assignment.0.id;
    let mut params = body.into_params()?;
    form::blank_words_are_null(&mut params, "assignment", WORDS);
    let form: AssignmentForm = form::optional_of(&mut params, "assignment")?;
    let change = Change::of(form.clone(), &known)?;
    if change.is_alone
        && let Some(assignment) = store::update(&cx.db, id, &known.state, change.fields, cx.now).await?
    {
        return Ok(Reply::ok(AssignmentView::new(assignment, &course, &cx.base_url().await?, cx.now)));
    }
    let mut events = Events::of(&cx, &course, Some(id)).await?;
    let notifier = Notifier::of(&cx).await?;
    let assignment = cx.db.transaction(async |db| {
        let change = async |known: KnownAssignment| {
            let change = Change::of(form.clone(), &known)?;
            let before = known.assignment.0;
            let Some(mut after) = store::update(db, id, &known.state, change.fields, cx.now).await? else {
                return Ok(None);
            };
            if before.quiz_id.is_some() {
                store::update_quiz_of(db, id).await?;
                after = store::assignment(db, course.id, id).await?.or_not_found()?;
            }
            let (told_before, told) = (&change.told_before, &change.told);
            announce(db, &notifier, course.id, Subject::Assignment(id), Some(told_before), told).await?;
            if after.scale() != before.scale() {
                regrade(db, id, before.points_possible, &mut events, cx.now).await?;
            }
            Ok::<_, Error>(Some(after))
        };
        change_known(known, async || store::known(db, id).await?.or_not_found(), change).await
    });
    let assignment = assignment.await?;
    events.send();
    Ok(Reply::ok(AssignmentView::new(assignment, &course, &cx.base_url().await?, cx.now)))
}

/// A change of an assignment, judged by what the assignment is.
struct Change {
    fields: Fields,
    /// The part that students are told, before and after it.
    told_before: Announced,
    told: Announced,
    /// True if nothing else changes with it, and nobody is told.
    is_alone: bool,
}

impl Change {
    fn of(form: AssignmentForm, known: &KnownAssignment) -> Result<Self> {
        let assignment = &known.assignment.0;
        may_be_published(form.published, !assignment.has_submitted_submissions)?;
        let current = Fields::of(assignment);
        let told_before = current.announced();
        let fields = form.over(current)?;
        may_take(&fields.submission_types.0, assignment)?;
        let told = fields.announced();
        let scale = Scale { grading_type: fields.grading_type, points_possible: fields.points_possible };
        let is_alone =
            assignment.quiz_id.is_none() && scale == assignment.scale() && !told.is_news_after(Some(&told_before));
        Ok(Self { fields, told_before, told, is_alone })
    }
}

/// Deletes an assignment, and the new quiz that it stands for.
#[endpoint(DELETE "/api/v1/courses/:course_id/assignments/:id")]
async fn delete_assignment(
    cx: Context,
    assignment: NeededInCourse<Assignment, may::ManageAssignments>,
) -> Result<Reply<AssignmentView>> {
    let InCourse { course, record: mut assignment } = assignment.into_record();
    if !store::delete(&cx.db, assignment.id, cx.now).await? {
        return Err(Error::not_found());
    }
    assignment.workflow_state = "deleted".to_owned();
    Ok(Reply::ok(AssignmentView::new(assignment, &course, &cx.base_url().await?, cx.now)))
}

/// A quiz that students have attempted stays published.
pub(crate) fn may_be_published(published: Patch<bool>, unpublishable: bool) -> Result<()> {
    match published {
        Patch::Value(false) if !unpublishable => {
            Err(Error::invalid("published", "invalid", "can't be unpublished when there are student submissions"))
        }
        _ => Ok(()),
    }
}

/// The assignment of a quiz takes what it took: attempts at the quiz, which would overwrite other work.
fn may_take(types: &[SubmissionType], assignment: &Assignment) -> Result<()> {
    if assignment.is_of_quiz() && types != assignment.submission_types.0 {
        return Err(Error::invalid(
            "submission_types",
            "invalid",
            "can't be changed: the assignment is that of a quiz",
        ));
    }
    Ok(())
}

/// The ways in their order, none of them twice.
fn each_once(types: Vec<SubmissionType>) -> Vec<SubmissionType> {
    let mut once = Vec::new();
    for kind in types {
        if !once.contains(&kind) {
            once.push(kind);
        }
    }
    once
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
            submission_types: Json(each_once(self.submission_types.unwrap_or(current.submission_types.0))),
            assignment_group_id: self.assignment_group_id.over(current.assignment_group_id),
            allowed_attempts: self.allowed_attempts.over(Some(current.allowed_attempts)).unwrap_or(-1),
            published: self.published.unwrap_or(current.published),
            post_manually: self.post_manually,
            anonymous_grading: self.anonymous_grading,
        };
        rules::points(fields.points_possible)?;
        if fields.allowed_attempts < 1 && fields.allowed_attempts != -1 {
            return Err(Error::invalid("allowed_attempts", "inclusion", "must be greater than 0, or -1"));
        }
        rules::in_order(fields.unlock_at, fields.due_at, fields.lock_at)?;
        Ok(fields)
    }
}
