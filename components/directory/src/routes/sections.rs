//! Sections of a course.

use serde::Deserialize;
use shared::auth::{self, CourseAccess, Right};
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::ids::{IdOrAlias, SectionId};
use shared::needs::{NeededCourse, may};
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::checks::{MAX_CHARS, moment, optional, refused, required};
use crate::model::filters::AnyOf;
use crate::model::sections::Section;
use crate::store::sections as store;

endpoints![list_sections, create_section, get_course_section, get_section, update_section, delete_section];

#[derive(Deserialize, JsonSchema)]
struct CourseSectionPath {
    id: IdOrAlias<SectionId>,
}

#[derive(Deserialize, JsonSchema)]
struct SectionPath {
    id: IdOrAlias<SectionId>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Include {
    /// `total_students`; others are passed over.
    pub(crate) include: AnyOf<String>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SectionBody {
    course_section: SectionForm,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SectionForm {
    /// The course's name unless given.
    name: Patch<String>,
    /// Only for administrators.
    sis_section_id: Patch<String>,
    /// Only for administrators.
    integration_id: Patch<String>,
    start_at: Patch<Timestamp>,
    end_at: Patch<Timestamp>,
    restrict_enrollments_to_section_dates: Patch<bool>,
}

/// Lists the sections of a course.
#[endpoint(GET "/api/v1/courses/:course_id/sections", students(200, "students know the sections"))]
async fn list_sections(
    cx: Context,
    course: NeededCourse<may::ReadRoster>,
    body: Query<Include>,
) -> Result<Reply<Vec<Section>>> {
    let totals = body.decode()?.include.names("total_students");
    Ok(Reply::page(store::sections(&cx.db, totals, course.id, &cx.page().await?).await?))
}

/// Creates a section.
#[endpoint(POST "/api/v1/courses/:course_id/sections")]
async fn create_section(
    cx: Context,
    course: NeededCourse<may::ManageSections>,
    body: Form<SectionBody>,
) -> Result<Reply<Section>> {
    let new = validated(&course, body.decode()?.course_section)?;
    Ok(Reply::ok(store::insert(&cx.db, course.id, new, cx.now).await?))
}

/// Reads a section of a course.
#[endpoint(GET "/api/v1/courses/:course_id/sections/:id", students(200, "students know the sections"))]
async fn get_course_section(
    cx: Context,
    Path(at): Path<CourseSectionPath>,
    course: NeededCourse,
    body: Query<Include>,
) -> Result<Reply<Section>> {
    let section = store::section(&cx.db, cx.caller()?, false, &at.id).await?.or_not_found()?;
    if section.course_id != course.id {
        return Err(Error::not_found());
    }
    read(&cx, &course, section.id, body).await
}

/// Reads a section.
#[endpoint(GET "/api/v1/sections/:id", students(200, "students know the sections"))]
async fn get_section(cx: Context, Path(at): Path<SectionPath>, body: Query<Include>) -> Result<Reply<Section>> {
    let section = store::section(&cx.db, cx.caller()?, false, &at.id).await?.or_not_found()?;
    let course = course_of(&cx, &section).await?;
    read(&cx, &course, section.id, body).await
}

/// Changes a section.
#[endpoint(PUT "/api/v1/sections/:id")]
async fn update_section(cx: Context, Path(at): Path<SectionPath>, body: Form<SectionBody>) -> Result<Reply<Section>> {
    let section = store::section(&cx.db, cx.caller()?, false, &at.id).await?.or_not_found()?;
    let course = course_of(&cx, &section).await?;
    course.must(Right::ManageSections)?;
    let changes = validated(&course, body.decode()?.course_section)?;
    Ok(Reply::ok(store::update(&cx.db, section.id, changes, cx.now).await?.or_not_found()?))
}

/// Deletes a section in which nobody is enrolled.
#[endpoint(DELETE "/api/v1/sections/:id")]
async fn delete_section(cx: Context, Path(at): Path<SectionPath>) -> Result<Reply<Section>> {
    let section = store::section(&cx.db, cx.caller()?, false, &at.id).await?.or_not_found()?;
    course_of(&cx, &section).await?.must(Right::ManageSections)?;
    let deleted = store::delete(&cx.db, section.id, cx.now).await?;
    Ok(Reply::ok(deleted.ok_or_else(|| Error::bad_request("You can't delete a section that has enrollments"))?))
}

async fn read(cx: &Context, course: &CourseAccess, id: SectionId, body: Query<Include>) -> Result<Reply<Section>> {
    course.must(Right::ReadRoster)?;
    let totals = body.decode()?.include.names("total_students");
    Ok(Reply::ok(store::section(&cx.db, cx.caller()?, totals, &IdOrAlias::Id(id)).await?.or_not_found()?))
}

pub(crate) async fn course_of(cx: &Context, section: &Section) -> Result<CourseAccess> {
    auth::course(&cx.db, cx.caller()?, &IdOrAlias::Id(section.course_id)).await
}

fn validated(course: &CourseAccess, form: SectionForm) -> Result<Changes> {
    if (form.sis_section_id.is_present() || form.integration_id.is_present()) && !course.admin {
        return Err(Error::forbidden());
    }
    Ok(Changes::default()
        .set("name", required("name", form.name, MAX_CHARS).map_err(refused)?)
        .set("sis_section_id", optional("sis_section_id", form.sis_section_id, MAX_CHARS).map_err(refused)?)
        .set("integration_id", optional("integration_id", form.integration_id, MAX_CHARS).map_err(refused)?)
        .set("start_at", moment(form.start_at))
        .set("end_at", moment(form.end_at))
        .set("restrict_enrollments_to_section_dates", form.restrict_enrollments_to_section_dates))
}
