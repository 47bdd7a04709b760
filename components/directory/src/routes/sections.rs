//! Sections of a course.

use serde::Deserialize;
use shared::auth::CourseAccess;
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::needs::{HasCourse, NeededCourse, may};
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::{Context, Error, Form, JsonSchema, Patch, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::checks::{MAX_CHARS, invalid, moment, optional, required};
use crate::model::sections::{Include, Section, SectionFilter};
use crate::model::unsupported;
use crate::store::sections::{self as store, NeededSection, SectionsOfCourse};
use crate::store::stickiness::{self, StickyRecord};

endpoints![list_sections, create_section, get_section, update_section, delete_section];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SectionBody {
    course_section: SectionForm,
    /// Only for a section that exists. True unless given; false leaves the name and the dates that somebody has changed since an import.
    override_sis_stickiness: Option<bool>,
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
    _: NeededCourse<may::ReadRoster>,
    sections: PrefetchedList<SectionsOfCourse>,
    _: Query<SectionFilter>,
) -> Result<Reply<Vec<Section>>> {
    Ok(Reply::page(sections.page(&cx.page().await?)?))
}

/// Creates a section.
#[endpoint(POST "/api/v1/courses/:course_id/sections", unsupported(unsupported::SECTION))]
async fn create_section(
    cx: Context,
    course: NeededCourse<may::ManageSections>,
    body: Form<SectionBody>,
) -> Result<Reply<Section>> {
    let new = validated(&course, body.decode()?.course_section)?;
    Ok(Reply::ok(store::insert(&cx.db, course.id, new, cx.now).await?))
}

/// Reads a section.
#[endpoint(
    GET "/api/v1/sections/:id",
    GET "/api/v1/courses/:course_id/sections/:id" as get_course_section { summary("Reads a section of a course") },
    students(200, "students know the sections"),
)]
async fn get_section(
    _: Context,
    _: NeededSection<may::ReadRoster>,
    section: Prefetched<Section>,
    _: Query<Include>,
) -> Result<Reply<Section>> {
    Ok(Reply::ok(section.record()?))
}

/// Changes a section.
#[endpoint(PUT "/api/v1/sections/:id")]
async fn update_section(
    cx: Context,
    section: NeededSection<may::ManageSections>,
    body: Form<SectionBody>,
) -> Result<Reply<Section>> {
    let SectionBody { course_section, override_sis_stickiness } = body.decode()?;
    let (record, changes) = (StickyRecord::Section(section.id), validated(section.course(), course_section)?);
    let changes = stickiness::without_sticky(&cx.db, record, override_sis_stickiness, changes).await?;
    Ok(Reply::ok(store::update(&cx.db, section.id, changes, cx.now).await?.or_not_found()?))
}

/// Deletes a section in which nobody is enrolled.
#[endpoint(DELETE "/api/v1/sections/:id")]
async fn delete_section(cx: Context, section: NeededSection<may::ManageSections>) -> Result<Reply<Section>> {
    let deleted = store::delete(&cx.db, section.id, cx.now).await?;
    Ok(Reply::ok(deleted.ok_or_else(|| Error::bad_request("You can't delete a section that has enrollments"))?))
}

fn validated(course: &CourseAccess, form: SectionForm) -> Result<Changes> {
    if (form.sis_section_id.is_present() || form.integration_id.is_present()) && !course.admin {
        return Err(Error::forbidden());
    }
    Ok(Changes::default()
        .set("name", required("name", form.name, MAX_CHARS).map_err(invalid)?)
        .set("sis_section_id", optional("sis_section_id", form.sis_section_id, MAX_CHARS).map_err(invalid)?)
        .set("integration_id", optional("integration_id", form.integration_id, MAX_CHARS).map_err(invalid)?)
        .set("start_at", moment(form.start_at))
        .set("end_at", moment(form.end_at))
        .set("restrict_enrollments_to_section_dates", form.restrict_enrollments_to_section_dates))
}
