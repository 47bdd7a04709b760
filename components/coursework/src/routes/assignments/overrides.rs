//! Overrides: dates of an assignment that are others for a section, a group, or single students.

use serde::{Deserialize, Serialize};
use shared::auth::CourseAccess;
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, AssignmentOverrideId};
use shared::needs::{Needed, NeededCourse, NeededInCourse, may};
use shared::{Context, Created, Db, Error, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::assignment_overrides::{
    AssignmentOverride, ChangedOverride, NewOverride, OverrideForm, OverrideRow, Target, invalid_target,
};
use crate::model::assignments::Assignment;
use crate::model::form;
use crate::store::assignment_overrides::{self as store, KnownOverride, OfGroup, OfSection, OverrideFor};
use crate::store::assignments;

/// The most overrides of one request.
const MAX_OVERRIDES: usize = 100;

endpoints![
    list_assignment_overrides,
    get_assignment_override,
    get_section_assignment_override,
    get_group_assignment_override,
    create_assignment_override,
    update_assignment_override,
    delete_assignment_override,
    get_assignment_overrides,
    create_assignment_overrides,
    update_assignment_overrides
];

#[derive(Deserialize, JsonSchema)]
struct OverridePath {
    id: AssignmentOverrideId,
}

#[derive(Deserialize, JsonSchema)]
struct OverrideForms {
    #[serde(rename = "assignment_override")]
    _assignment_override: OverrideForm,
}

/// An override by its assignment and its id.
#[derive(Deserialize, JsonSchema)]
struct OverrideName {
    assignment_id: AssignmentId,
    id: AssignmentOverrideId,
}

#[derive(Deserialize, JsonSchema)]
struct OverrideNames {
    /// Those that are asked for: 100 at most.
    assignment_overrides: Vec<OverrideName>,
}

#[derive(Deserialize, JsonSchema)]
struct NewOverrides {
    /// Those that are made: 100 at most, all of them or none.
    assignment_overrides: Vec<NewOverride>,
}

#[derive(Deserialize, JsonSchema)]
struct ChangedOverrides {
    /// Those that are changed: 100 at most, all of them or none.
    assignment_overrides: Vec<ChangedOverride>,
}

/// An override, or null where there is none of that name.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
struct MaybeOverride(Option<AssignmentOverride>);

/// Lists the overrides of an assignment.
#[endpoint(GET "/api/v1/courses/:course_id/assignments/:assignment_id/overrides")]
async fn list_assignment_overrides(
    cx: Context,
    assignment: NeededInCourse<Assignment, may::ReadAsStaff>,
) -> Result<Reply<Vec<AssignmentOverride>>> {
    let overrides = store::page(&cx.db, assignment.id, &cx.page().await?).await?;
    Ok(Reply::page(overrides.map(AssignmentOverride::from)))
}

/// Reads an override of an assignment.
#[endpoint(GET "/api/v1/courses/:course_id/assignments/:assignment_id/overrides/:id")]
async fn get_assignment_override(
    cx: Context,
    Path(at): Path<OverridePath>,
    assignment: NeededInCourse<Assignment, may::ReadAsStaff>,
) -> Result<Reply<AssignmentOverride>> {
    let own = store::of_course(&cx.db, assignment.course.id, assignment.id, at.id).await?.or_not_found()?;
    Ok(Reply::ok(own.into()))
}

/// Reads the override of an assignment for a section.
#[endpoint(GET "/api/v1/sections/:course_section_id/assignments/:assignment_id/override")]
async fn get_section_assignment_override(
    _: Context,
    own: Needed<OverrideFor<OfSection>, may::ReadAsStaff>,
) -> Result<Reply<AssignmentOverride>> {
    Ok(Reply::ok(own.into_record().own.or_not_found()?.0.into()))
}

/// Reads the override of an assignment for a group of its course.
#[endpoint(GET "/api/v1/groups/:group_id/assignments/:assignment_id/override")]
async fn get_group_assignment_override(
    _: Context,
    own: Needed<OverrideFor<OfGroup>, may::ReadAsStaff>,
) -> Result<Reply<AssignmentOverride>> {
    Ok(Reply::ok(own.into_record().own.or_not_found()?.0.into()))
}

/// Gives a section, a group or students dates of their own for an assignment.
#[endpoint(POST "/api/v1/courses/:course_id/assignments/:assignment_id/overrides")]
async fn create_assignment_override(
    cx: Context,
    assignment: NeededInCourse<Assignment, may::ManageAssignments>,
    body: Form<OverrideForms>,
) -> Result<Created<AssignmentOverride>> {
    let form: OverrideForm = form::required(body, "assignment_override")?;
    let (course, id) = (&assignment.course, assignment.id);
    let own = cx.db.transaction(async |db| insert(&cx, db, course, id, &form).await);
    Ok(Reply::created(own.await?.into()))
}

/// Changes an override of an assignment.
///
/// Dates that are not sent are those of the assignment from now on. Students may be others; a section and a group stay.
#[endpoint(PUT "/api/v1/courses/:course_id/assignments/:assignment_id/overrides/:id")]
async fn update_assignment_override(
    cx: Context,
    Path(at): Path<OverridePath>,
    assignment: NeededInCourse<Assignment, may::ManageAssignments>,
    body: Form<OverrideForms>,
) -> Result<Reply<AssignmentOverride>> {
    let form: OverrideForm = form::optional(body, "assignment_override")?;
    let course = &assignment.course;
    let own = cx.db.transaction(async |db| {
        let known = store::known(db, course.id, &[(assignment.id, at.id)]).await?;
        update(&cx, db, course, known.first().or_not_found()?, &form).await
    });
    Ok(Reply::ok(own.await?.into()))
}

/// Deletes an override of an assignment: its students have the dates of everybody else again.
#[endpoint(DELETE "/api/v1/courses/:course_id/assignments/:assignment_id/overrides/:id")]
async fn delete_assignment_override(
    cx: Context,
    Path(at): Path<OverridePath>,
    assignment: NeededInCourse<Assignment, may::ManageAssignments>,
) -> Result<Reply<AssignmentOverride>> {
    let own = store::of_course(&cx.db, assignment.course.id, assignment.id, at.id).await?.or_not_found()?;
    match store::delete(&cx.db, assignment.id, at.id).await? {
        true => Ok(Reply::ok(own.into())),
        false => Err(Error::not_found()),
    }
}

/// Reads several overrides of a course's assignments.
///
/// In place of each that there is not stands null.
#[endpoint(GET "/api/v1/courses/:course_id/assignments/overrides")]
async fn get_assignment_overrides(
    cx: Context,
    course: NeededCourse<may::ReadAsStaff>,
    query: Query<OverrideNames>,
) -> Result<Reply<Vec<MaybeOverride>>> {
    let names = few(query.decode()?.assignment_overrides)?;
    let assignments = names.iter().map(|name| name.assignment_id.0).collect();
    let rows = store::of_assignments_in(&cx.db, course.id, assignments).await?;
    let found = |name: &OverrideName| {
        let mut rows = rows.iter();
        rows.find(|row| row.id == name.id && row.assignment_id == name.assignment_id).cloned().map(Into::into)
    };
    Ok(Reply::ok(names.iter().map(|name| MaybeOverride(found(name))).collect()))
}

/// Gives sections, groups or students dates of their own for several assignments.
#[endpoint(POST "/api/v1/courses/:course_id/assignments/overrides")]
async fn create_assignment_overrides(
    cx: Context,
    course: NeededCourse<may::ManageAssignments>,
    body: Form<NewOverrides>,
) -> Result<Created<Vec<AssignmentOverride>>> {
    let forms = few(body.decode()?.assignment_overrides)?;
    let made = cx.db.transaction(async |db| {
        let mut made = Vec::with_capacity(forms.len());
        for form in &forms {
            made.push(insert(&cx, db, &course, form.assignment_id, &form.form()).await?.into());
        }
        Ok::<_, Error>(made)
    });
    Ok(Reply::created(made.await?))
}

/// Changes several overrides of a course's assignments.
#[endpoint(PUT "/api/v1/courses/:course_id/assignments/overrides")]
async fn update_assignment_overrides(
    cx: Context,
    course: NeededCourse<may::ManageAssignments>,
    body: Form<ChangedOverrides>,
) -> Result<Reply<Vec<AssignmentOverride>>> {
    let forms = few(body.decode()?.assignment_overrides)?;
    let changed = cx.db.transaction(async |db| {
        let names: Vec<_> = forms.iter().map(|form| (form.assignment_id, form.id)).collect();
        let mut known = store::known(db, course.id, &names).await?;
        let mut changed = Vec::with_capacity(forms.len());
        for form in &forms {
            let is_named = |row: &OverrideRow| row.id == form.id && row.assignment_id == form.assignment_id;
            let known = known.iter_mut().find(|known| is_named(&known.own.0)).or_not_found()?;
            let own = update(&cx, db, &course, known, &form.form()).await?;
            // A request may name it twice.
            known.own = Json(own.clone());
            changed.push(own.into());
        }
        Ok::<_, Error>(changed)
    });
    Ok(Reply::ok(changed.await?))
}

/// The elements of a list, which are not many.
fn few<T>(list: Vec<T>) -> Result<Vec<T>> {
    match list.len() {
        0 => Err(Error::bad_request("assignment_overrides is missing")),
        1..=MAX_OVERRIDES => Ok(list),
        _ => Err(Error::bad_request(format!("assignment_overrides are too many (maximum is {MAX_OVERRIDES})"))),
    }
}

/// Adds an override. `db` is in a transaction.
async fn insert(
    cx: &Context,
    db: &Db,
    course: &CourseAccess,
    assignment: AssignmentId,
    form: &OverrideForm,
) -> Result<OverrideRow> {
    let target = form.target()?;
    let assignment = assignments::assignment(db, course.id, assignment).await?.or_not_found()?;
    let fields = form.fields(&assignment, None)?;
    require_target(db, course, &target).await?;
    let id = store::insert(db, course, assignment.id, &target, &fields, cx.now).await?;
    let id =
        id.ok_or_else(|| invalid_target("the section or group has one already, or the assignment has too many"))?;
    if let Target::Students(students) = &target
        && !store::set_students(db, assignment.id, id, students).await?
    {
        return Err(students_taken());
    }
    store::of_course(db, course.id, assignment.id, id).await?.or_not_found()
}

/// Changes an override. `db` is in a transaction.
async fn update(
    cx: &Context,
    db: &Db,
    course: &CourseAccess,
    KnownOverride { assignment: Json(assignment), own: Json(before) }: &KnownOverride,
    form: &OverrideForm,
) -> Result<OverrideRow> {
    let fields = form.fields(assignment, before.own_title())?;
    let is_another = |given: Option<i64>, own: Option<i64>| given.is_some_and(|given| Some(given) != own);
    if is_another(form.course_section_id.into_option().map(|id| id.0), before.course_section_id.map(|id| id.0))
        || is_another(form.group_id.into_option().map(|id| id.0), before.group_id.map(|id| id.0))
    {
        return Err(invalid_target("stays one for the same section or group"));
    }
    if let Some(students) = form.students()? {
        if !before.names_students() {
            return Err(invalid_target("stays one for the same section or group"));
        }
        // Who is named already stays so, also after the enrollment has ended: what was read can be sent back.
        let new: Vec<_> = students.iter().copied().filter(|id| !before.student_ids.0.contains(id)).collect();
        if !new.is_empty() {
            require_target(db, course, &Target::Students(new)).await?;
        }
        if !store::set_students(db, assignment.id, before.id, &students).await? {
            return Err(students_taken());
        }
    }
    store::update(db, before.id, &fields, cx.now).await?.or_not_found()
}

async fn require_target(db: &Db, course: &CourseAccess, target: &Target) -> Result<()> {
    match store::has_target(db, course.id, target).await? {
        true => Ok(()),
        false => Err(invalid_target(match target {
            Target::Section(_) => "course_section_id is no section of the course",
            Target::Group(_) => "group_id is no group of the course",
            Target::Students(_) => "student_ids are not all students of the course",
        })),
    }
}

fn students_taken() -> Error {
    invalid_target("student_ids names a student whom another override of the assignment names")
}
