//! Sections of a course.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::auth::CourseAccess;
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::ids::SectionId;
use shared::needs::{HasCourse, NeededCourse, may};
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::{Context, Error, Form, JsonSchema, Patch, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::checks::{MAX_CHARS, invalid, moment, optional, require_order, required};
use crate::model::filters::AnyOf;
use crate::model::sections::{Include, Section, SectionFilter};
use crate::model::unsupported;
use crate::routes::courses::users::visible_user;
use crate::routes::users::User;
use crate::store::rosters::{self, SectionStudent};
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

/// The most students that are answered with sections.
const MAX_STUDENTS: usize = 5000;

/// A section with its students.
#[derive(Serialize, JsonSchema)]
struct SectionWithStudents {
    #[serde(flatten)]
    section: Section,
    /// The active and the invited, where `include[]=students` asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    students: Option<Vec<User>>,
}

/// Lists the sections of a course.
#[endpoint(GET "/api/v1/courses/:course_id/sections", students(200, "students know the sections"))]
async fn list_sections(
    cx: Context,
    course: NeededCourse<may::ReadRoster>,
    sections: PrefetchedList<SectionsOfCourse>,
    query: Query<SectionFilter>,
) -> Result<Reply<Vec<SectionWithStudents>>> {
    let sections = sections.page(&cx.page().await?)?;
    let include = query.decode()?.include;
    Ok(Reply::page(sections.together(async |sections| with_students(&cx, &course, sections, &include).await).await?))
}

/// The sections with their students, where these are asked for.
async fn with_students(
    cx: &Context,
    course: &CourseAccess,
    sections: Vec<Section>,
    include: &AnyOf<String>,
) -> Result<Vec<SectionWithStudents>> {
    if !include.names("students") {
        return Ok(sections.into_iter().map(|section| SectionWithStudents { section, students: None }).collect());
    }
    let ids = sections.iter().map(|section| section.id).collect();
    let students = rosters::students_of_sections(&cx.db, course, ids, MAX_STUDENTS + 1).await?;
    if students.len() > MAX_STUDENTS {
        return Err(Error::bad_request(format!(
            "these sections have more than {MAX_STUDENTS} students: ask for fewer sections, or for their enrollments"
        )));
    }
    let mut by_section: BTreeMap<SectionId, Vec<User>> = BTreeMap::new();
    for SectionStudent { section_id, participant } in students {
        by_section.entry(section_id).or_default().push(visible_user(course, participant.0));
    }
    let with_students = |section: Section| SectionWithStudents {
        students: Some(by_section.remove(&section.id).unwrap_or_default()),
        section,
    };
    Ok(sections.into_iter().map(with_students).collect())
}

/// Creates a section.
#[endpoint(POST "/api/v1/courses/:course_id/sections", unsupported(unsupported::SECTION))]
async fn create_section(
    cx: Context,
    course: NeededCourse<may::ManageSections>,
    body: Form<SectionBody>,
) -> Result<Reply<Section>> {
    let new = validated(&course, body.decode()?.course_section, (None, None))?;
    Ok(Reply::ok(store::insert(&cx.db, course.id, new, cx.now).await?))
}

/// Reads a section.
#[endpoint(
    GET "/api/v1/sections/:id",
    GET "/api/v1/courses/:course_id/sections/:id" as get_course_section { summary("Reads a section of a course") },
    students(200, "students know the sections"),
)]
async fn get_section(
    cx: Context,
    needed: NeededSection<may::ReadRoster>,
    section: Prefetched<Section>,
    query: Query<Include>,
) -> Result<Reply<SectionWithStudents>> {
    let section = section.record()?;
    let mut sections = with_students(&cx, needed.course(), vec![section], &query.decode()?.include).await?;
    Ok(Reply::ok(sections.pop().or_not_found()?))
}

/// Changes a section.
#[endpoint(PUT "/api/v1/sections/:id")]
async fn update_section(
    cx: Context,
    section: NeededSection<may::ManageSections>,
    known: Prefetched<Section>,
    body: Form<SectionBody>,
) -> Result<Reply<Section>> {
    let SectionBody { course_section, override_sis_stickiness } = body.decode()?;
    let known = known.record()?;
    let (record, dates) = (StickyRecord::Section(section.id), (known.start_at, known.end_at));
    let changes = validated(section.course(), course_section, dates)?;
    let changes = stickiness::without_sticky(&cx.db, record, override_sis_stickiness, changes).await?;
    Ok(Reply::ok(store::update(&cx.db, section.id, changes, cx.now).await?.or_not_found()?))
}

/// Deletes a section in which nobody is enrolled.
#[endpoint(DELETE "/api/v1/sections/:id")]
async fn delete_section(cx: Context, section: NeededSection<may::ManageSections>) -> Result<Reply<Section>> {
    let deleted = store::delete(&cx.db, section.id, cx.now).await?;
    Ok(Reply::ok(deleted.ok_or_else(|| Error::bad_request("You can't delete a section that has enrollments"))?))
}

/// The changes to a section with these dates.
fn validated(
    course: &CourseAccess,
    form: SectionForm,
    dates: (Option<Timestamp>, Option<Timestamp>),
) -> Result<Changes> {
    if (form.sis_section_id.is_present() || form.integration_id.is_present()) && !course.admin {
        return Err(Error::forbidden());
    }
    let changes = Changes::default().set("start_at", moment(form.start_at)).set("end_at", moment(form.end_at));
    require_order(&changes, dates)?;
    Ok(changes
        .set("name", required("name", form.name, MAX_CHARS).map_err(invalid)?)
        .set("sis_section_id", optional("sis_section_id", form.sis_section_id, MAX_CHARS).map_err(invalid)?)
        .set("integration_id", optional("integration_id", form.integration_id, MAX_CHARS).map_err(invalid)?)
        .set("restrict_enrollments_to_section_dates", form.restrict_enrollments_to_section_dates))
}
