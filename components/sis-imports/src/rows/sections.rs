//! Rows of sections.

use serde::Deserialize;
use shared::ids::{CourseId, SectionId};
use shared::{Result, Timestamp};

use crate::rows::dates::Dates;
use crate::rows::known::record_known_as;
use crate::rows::{Read, Target, Verdict, optional, required, status, verdict};
use shared::csv::Row;

pub(super) struct Section<'a> {
    id: &'a str,
    course: &'a str,
    name: Option<&'a str>,
    integration_id: Option<&'a str>,
    dates: Dates,
    status: &'static str,
    warning: Option<String>,
}

/// The section as it is, and the course that the row names.
#[derive(Deserialize)]
struct KnownSection {
    course: Option<CourseId>,
    section: Option<SectionId>,
    course_id: Option<CourseId>,
    nonxlist_course_id: Option<CourseId>,
    /// True if the course in which it is taught is there.
    is_taught: bool,
    name: Option<String>,
    integration_id: Option<String>,
    start_at: Option<Timestamp>,
    end_at: Option<Timestamp>,
    workflow_state: Option<String>,
}

impl KnownSection {
    fn dates(&self) -> Dates {
        Dates { start_at: self.start_at, end_at: self.end_at }
    }
}

/// A section as it is to be.
struct Record {
    course: CourseId,
    name: String,
    integration_id: Option<String>,
    dates: Dates,
}

pub(super) fn read(row: &Row) -> Read<Section<'_>> {
    let id = required(row, "section_id", "a section")?;
    let what = format!("section {id}");
    let mut warning = None;
    Ok(Section {
        id,
        course: required(row, "course_id", &what)?,
        name: optional(row, "name")?,
        integration_id: optional(row, "integration_id")?,
        dates: Dates::of(row, &mut warning),
        status: status(row, &["active", "deleted"], &what)?,
        warning,
    })
}

pub(super) async fn write(into: &Target<'_>, row: Section<'_>) -> Result<Verdict> {
    let found = find(into, &row).await?;
    if row.status == "deleted" {
        return delete(into, found).await;
    }
    let Some(course) = found.course else {
        let why = format!("Section {} references course {} which doesn't exist", row.id, row.course);
        return Ok(Verdict::Refused(why));
    };
    let Some(name) = row.name.map(str::to_owned).or(found.name.clone()) else {
        return Ok(Verdict::Refused(format!("No name given for section {} in course {}", row.id, row.course)));
    };
    let dates = match row.dates.over(found.dates(), &format!("section {}", row.id)) {
        Ok(dates) => dates,
        Err(why) => return Ok(Verdict::Refused(why)),
    };
    // A row names the course to which a section belongs, which may be taught in another one. A deleted section does not go back
    // when that ends: it does when it comes back itself.
    let is_taught_elsewhere = found.nonxlist_course_id == Some(course) && found.is_taught;
    let record = Record {
        course: found.course_id.filter(|_| is_taught_elsewhere).unwrap_or(course),
        name,
        integration_id: row.integration_id.map(str::to_owned).or(found.integration_id.clone()),
        dates,
    };
    match found.section {
        Some(id) => update(into, id, found, record).await?,
        None => insert(into, row.id, record).await?,
    }
    Ok(verdict(row.warning))
}

async fn find(into: &Target<'_>, row: &Section<'_>) -> Result<KnownSection> {
    let found = into.db.fetch_one(
        concat!(
            "SELECT c.id AS course, s.id AS section, s.course_id, s.nonxlist_course_id, s.name, s.integration_id, s.start_at, s.end_at,
                s.workflow_state,
                EXISTS (SELECT 1 FROM courses taught
                        WHERE taught.id = s.course_id AND taught.workflow_state <> 'deleted') AS is_taught
         FROM (SELECT 1)
         LEFT JOIN course_sections s ON s.id = ",
            record_known_as!(CourseSection, "?2"),
            "
         LEFT JOIN courses c ON c.id = (
             SELECT id FROM courses
             WHERE root_account_id = ?1 AND sis_course_id = ?3 AND workflow_state <> 'deleted')"
        ),
        (into.root, row.id, row.course),
    );
    Ok(found.await?)
}

async fn insert(into: &Target<'_>, sis_id: &str, record: Record) -> Result<()> {
    let Record { course, name, integration_id, dates: Dates { start_at, end_at } } = record;
    let inserted = into.db.execute(
        "INSERT INTO course_sections
             (root_account_id, course_id, name, sis_section_id, integration_id, start_at, end_at, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)",
        (into.root, course, name, sis_id, integration_id, start_at, end_at, into.now),
    );
    Ok(inserted.await?)
}

/// A section that moves to another course takes those who are enrolled in it along.
async fn update(into: &Target<'_>, id: SectionId, found: KnownSection, record: Record) -> Result<()> {
    let moves = found.course_id != Some(record.course);
    let as_it_is = !moves
        && found.name.as_ref() == Some(&record.name)
        && found.integration_id == record.integration_id
        && found.dates() == record.dates
        && found.workflow_state.as_deref() == Some("active");
    if as_it_is {
        return Ok(());
    }
    let Record { course, name, integration_id, dates: Dates { start_at, end_at } } = record;
    into.db
        .execute(
            "UPDATE course_sections
             SET name = ?2, integration_id = ?3, start_at = ?4, end_at = ?5, workflow_state = 'active', updated_at = ?6
             WHERE id = ?1",
            (id, name, integration_id, start_at, end_at, into.now),
        )
        .await?;
    match found.course_id.filter(|_| moves) {
        Some(from) => move_section(into, id, from, course, None).await,
        None => Ok(()),
    }
}

/// Moves a section to another course with those who are enrolled in it. `home` is the course to which it belongs, if that is
/// not where it is taught.
pub(super) async fn move_section(
    into: &Target<'_>,
    id: SectionId,
    from: CourseId,
    to: CourseId,
    home: Option<CourseId>,
) -> Result<()> {
    let section = "UPDATE course_sections
         SET course_id = ?2, nonxlist_course_id = ?3, default_section = 0, updated_at = ?4 WHERE id = ?1";
    into.db.execute(section, (id, to, home, into.now)).await?;
    let enrollments =
        "UPDATE enrollments SET course_id = ?3, updated_at = ?4 WHERE course_id = ?2 AND course_section_id = ?1";
    Ok(into.db.execute(enrollments, (id, from, to, into.now)).await?)
}

/// Those who are enrolled in it are so no longer.
async fn delete(into: &Target<'_>, found: KnownSection) -> Result<Verdict> {
    if let Some(id) = found.section.filter(|_| found.workflow_state.as_deref() == Some("active")) {
        let section = "UPDATE course_sections SET workflow_state = 'deleted', updated_at = ?2 WHERE id = ?1";
        into.db.execute(section, (id, into.now)).await?;
        let enrollments = "UPDATE enrollments SET workflow_state = 'deleted', updated_at = ?3
             WHERE course_id = ?2 AND course_section_id = ?1 AND workflow_state <> 'deleted'";
        into.db.execute(enrollments, (id, found.course_id, into.now)).await?;
    }
    Ok(Verdict::Taken)
}
