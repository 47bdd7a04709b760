//! Sections of a course.

use serde::{Deserialize, Serialize};
use shared::auth::{self, CourseAccess, Right};
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::ids::{CourseId, Named, SectionId};
use shared::{Body, Context, Endpoint, Error, Patch, Reply, Result, Timestamp, delete, get, post, put};

use crate::checks::{LONGEST, moment, optional, refused, required};
use crate::filters::AnyOf;
use crate::store::sections as store;

pub(crate) fn endpoints() -> [Endpoint; 6] {
    [
        get("/api/v1/courses/:course_id/sections", list).about("Lists the sections of a course"),
        post("/api/v1/courses/:course_id/sections", create).about("Creates a section"),
        get("/api/v1/courses/:course_id/sections/:id", show_in_course).about("Reads a section of a course"),
        get("/api/v1/sections/:id", show).about("Reads a section"),
        put("/api/v1/sections/:id", update).about("Changes a section"),
        delete("/api/v1/sections/:id", destroy).about("Deletes a section in which nobody is enrolled"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct CoursePath {
    course_id: Named<CourseId>,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct CourseSectionPath {
    course_id: Named<CourseId>,
    id: Named<SectionId>,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct SectionPath {
    id: Named<SectionId>,
}

/// Those of a course who are taught together.
#[derive(Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct Section {
    pub(crate) id: SectionId,
    pub(crate) course_id: CourseId,
    name: String,
    sis_section_id: Option<String>,
    integration_id: Option<String>,
    sis_course_id: Option<String>,
    start_at: Option<Timestamp>,
    end_at: Option<Timestamp>,
    restrict_enrollments_to_section_dates: bool,
    /// Sections are not moved between courses, so it is null.
    nonxlist_course_id: Option<CourseId>,
    created_at: Timestamp,
    /// Only where `include[]=total_students` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_students: Option<i64>,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
struct Include {
    /// `total_students`; others are passed over.
    include: AnyOf<String>,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
struct SectionBody {
    course_section: SectionForm,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
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

async fn list(cx: Context, at: CoursePath, body: Body<Include>) -> Result<Reply<Vec<Section>>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::ReadRoster)?;
    let totals = body.decode()?.include.names("total_students");
    Ok(Reply::page(store::sections(&cx.db, totals, course.id, &cx.page().await?).await?))
}

async fn create(cx: Context, at: CoursePath, body: Body<SectionBody>) -> Result<Reply<Section>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::ManageSections)?;
    let new = validated(&course, body.decode()?.course_section)?;
    Ok(Reply::ok(store::insert(&cx.db, course.id, new, cx.now).await?))
}

async fn show_in_course(cx: Context, at: CourseSectionPath, body: Body<Include>) -> Result<Reply<Section>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    let section = store::section(&cx.db, cx.caller()?, false, &at.id).await?.or_not_found()?;
    if section.course_id != course.id {
        return Err(Error::not_found());
    }
    read(&cx, &course, section.id, body).await
}

async fn show(cx: Context, at: SectionPath, body: Body<Include>) -> Result<Reply<Section>> {
    let section = store::section(&cx.db, cx.caller()?, false, &at.id).await?.or_not_found()?;
    let course = course_of(&cx, &section).await?;
    read(&cx, &course, section.id, body).await
}

async fn update(cx: Context, at: SectionPath, body: Body<SectionBody>) -> Result<Reply<Section>> {
    let section = store::section(&cx.db, cx.caller()?, false, &at.id).await?.or_not_found()?;
    let course = course_of(&cx, &section).await?;
    course.must(Right::ManageSections)?;
    let changes = validated(&course, body.decode()?.course_section)?;
    Ok(Reply::ok(store::update(&cx.db, section.id, changes, cx.now).await?.or_not_found()?))
}

async fn destroy(cx: Context, at: SectionPath) -> Result<Reply<Section>> {
    let section = store::section(&cx.db, cx.caller()?, false, &at.id).await?.or_not_found()?;
    course_of(&cx, &section).await?.must(Right::ManageSections)?;
    let deleted = store::delete(&cx.db, section.id, cx.now).await?;
    Ok(Reply::ok(deleted.ok_or_else(|| Error::bad_request("You can't delete a section that has enrollments"))?))
}

async fn read(cx: &Context, course: &CourseAccess, id: SectionId, body: Body<Include>) -> Result<Reply<Section>> {
    course.must(Right::ReadRoster)?;
    let totals = body.decode()?.include.names("total_students");
    Ok(Reply::ok(store::section(&cx.db, cx.caller()?, totals, &Named::Id(id)).await?.or_not_found()?))
}

pub(crate) async fn course_of(cx: &Context, section: &Section) -> Result<CourseAccess> {
    auth::course(&cx.db, cx.caller()?, &Named::Id(section.course_id)).await
}

fn validated(course: &CourseAccess, form: SectionForm) -> Result<Changes> {
    if (form.sis_section_id.is_present() || form.integration_id.is_present()) && !course.admin {
        return Err(Error::forbidden());
    }
    Ok(Changes::default()
        .set("name", required("name", form.name, LONGEST).map_err(refused)?)
        .set("sis_section_id", optional("sis_section_id", form.sis_section_id, LONGEST).map_err(refused)?)
        .set("integration_id", optional("integration_id", form.integration_id, LONGEST).map_err(refused)?)
        .set("start_at", moment(form.start_at))
        .set("end_at", moment(form.end_at))
        .set("restrict_enrollments_to_section_dates", form.restrict_enrollments_to_section_dates))
}
