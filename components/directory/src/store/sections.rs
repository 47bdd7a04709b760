//! The SQL of sections.

use serde::Deserialize;
use shared::auth::{Caller, CourseAccess};
use shared::db::{self, Binds, Changes, IdRow, Json, OnUnique};
use shared::ids::{CourseId, IdOrAlias, SectionId};
use shared::needs::{self, HasCourse, Lookup, MatchedPath, Needed, Record, Unjudged, nested};
use shared::params::SearchTerm;
use shared::prefetch::{List, Pages};
use shared::{Db, Error, Result, Timestamp};

use crate::model::checks::already_taken;
use crate::model::filters::search_term;
use crate::model::sections::{Include, Section, SectionFilter};

/// The section that a path names.
pub(crate) type NeededSection<R = Unjudged> = Needed<SectionAccess, R>;

/// `?1` is whether the students are counted.
const SECTION: &str = "id, course_id, name, sis_section_id, integration_id, start_at, end_at,
    restrict_enrollments_to_section_dates, nonxlist_course_id, created_at,
    (SELECT c.sis_course_id FROM courses c WHERE c.id = course_sections.course_id) AS sis_course_id,
    iif(?1, (SELECT count(DISTINCT e.user_id) FROM enrollments e
             WHERE e.course_id = course_sections.course_id AND e.course_section_id = course_sections.id
               AND e.type = 'StudentEnrollment' AND e.workflow_state IN ('active', 'invited')), NULL) AS total_students";

const SIS_ID: &str = "course_sections.root_account_id, course_sections.sis_section_id";

/// The section that a path names, and its course with what the caller may do there. Where the path names a course too, the
/// section is one of that.
#[derive(Deserialize)]
pub(crate) struct SectionAccess {
    pub(crate) id: SectionId,
    pub(crate) course: Json<CourseAccess>,
}

impl HasCourse for SectionAccess {
    fn course(&self) -> &CourseAccess {
        &self.course.0
    }
}

impl Record for SectionAccess {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let course = path.behind::<IdOrAlias<CourseId>>("courses")?;
        access(&path.id("sections")?, course.map(|_| CourseAccess::lookup(path)).transpose()?)
    }
}

/// The section that is named; 404 where the caller's tenant has none like that.
pub(crate) async fn section(db: &Db, caller: &Caller, named: &IdOrAlias<SectionId>) -> Result<SectionAccess> {
    needs::find(db, caller, access(named, None)?).await
}

fn access(named: &IdOrAlias<SectionId>, of_course: Option<Lookup>) -> Result<Lookup> {
    let (id, sis_id) = match named {
        IdOrAlias::Id(id) => (Some(*id), None),
        IdOrAlias::Other(prefix, value) if prefix == "sis_section_id" => (None, Some(value.as_str())),
        IdOrAlias::Own | IdOrAlias::Other(..) => return Err(Error::not_found()),
    };
    let mut values = (id, sis_id).values();
    let of_course = of_course.map(|course| format!("AND s.course_id = {}", course.expression("id", &mut values)));
    let course = nested::<CourseAccess>(&CourseAccess::by_id("s.course_id"))?;
    // With a limit SQLite makes the course once, instead of once for each time that it is mentioned.
    let sql = format!(
        "SELECT * FROM (
             SELECT s.id, {course} AS course FROM course_sections s
             WHERE s.workflow_state = 'active' AND (caller.site_admin OR s.root_account_id = caller.root_account_id)
               AND s.id = CASE WHEN ?1 IS NOT NULL THEN ?1 ELSE (
                   SELECT id FROM course_sections
                   WHERE sis_section_id = ?2 AND root_account_id = caller.root_account_id AND workflow_state = 'active'
               ) END {} LIMIT 1
         ) WHERE course IS NOT NULL",
        of_course.unwrap_or_default()
    );
    Ok(Lookup::new(sql, values))
}

/// The section that is needed.
impl Record for Section {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let sql = format!(
            "SELECT {SECTION} FROM course_sections WHERE id = caller.needed ->> 'id' AND workflow_state = 'active'"
        );
        Ok(Lookup::new(sql, (path.query::<Include>()?.counts_students(),)))
    }
}

/// The sections of the course that is needed.
pub(crate) struct SectionsOfCourse;

impl List for SectionsOfCourse {
    type Row = Section;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let filter: SectionFilter = path.query()?;
        let term = search_term(filter.search_term)?;
        let is_named = SearchTerm::contained_sql(term.as_ref(), &["name"], "?2");
        let sql = format!(
            "SELECT {SECTION} FROM course_sections
             WHERE course_id = caller.needed ->> 'id' AND workflow_state = 'active' AND (?2 IS NULL OR {is_named})
             ORDER BY id"
        );
        Ok(Lookup::new(sql, (filter.include.names("total_students"), term.as_ref())))
    }
}

/// The section in which users are enrolled when none is named. A course that lost all its sections gets a new one.
pub(crate) async fn default(db: &Db, course: CourseId, now: Timestamp) -> db::Result<SectionId> {
    let sql = "SELECT id FROM course_sections WHERE course_id = ?1 AND workflow_state = 'active'
         ORDER BY default_section DESC, id LIMIT 1";
    if let Some(IdRow { id }) = db.fetch(sql, (course,)).await? {
        return Ok(id);
    }
    let create =
        "INSERT INTO course_sections (root_account_id, course_id, name, default_section, created_at, updated_at)
         SELECT root_account_id, id, name, 1, ?2, ?2 FROM courses c
         WHERE id = ?1 AND NOT EXISTS (
             SELECT 1 FROM course_sections s WHERE s.course_id = c.id AND s.workflow_state = 'active')";
    db.execute(create, (course, now)).await?;
    let IdRow { id } = db.fetch_one(sql, (course,)).await?;
    Ok(id)
}

pub(crate) async fn insert(db: &Db, course: CourseId, new: Changes, now: Timestamp) -> Result<Section> {
    let sql = format!(
        "INSERT INTO course_sections
             (root_account_id, course_id, name, sis_section_id, integration_id, start_at, end_at,
              restrict_enrollments_to_section_dates, created_at, updated_at)
         SELECT root_account_id, id, ifnull(?3 ->> 'name', name), ?3 ->> 'sis_section_id', ?3 ->> 'integration_id',
                ?3 ->> 'start_at', ?3 ->> 'end_at', ifnull(?3 ->> 'restrict_enrollments_to_section_dates', 0), ?4, ?4
         FROM courses WHERE id = ?2
         RETURNING {SECTION}"
    );
    db.fetch_one(&sql, (false, course, new, now)).await.on_unique(SIS_ID, || already_taken("sis_section_id"))
}

pub(crate) async fn update(db: &Db, id: SectionId, changes: Changes, now: Timestamp) -> Result<Option<Section>> {
    let nullable = ["sis_section_id", "integration_id", "start_at", "end_at"];
    let assignments = Changes::assignments(3, &["name", "restrict_enrollments_to_section_dates"], &nullable);
    let sql = format!(
        "UPDATE course_sections SET {assignments}, updated_at = ?4
         WHERE id = ?2 AND workflow_state = 'active'
         RETURNING {SECTION}"
    );
    db.fetch(&sql, (false, id, changes, now)).await.on_unique(SIS_ID, || already_taken("sis_section_id"))
}

/// Nothing, if somebody is enrolled in it.
pub(crate) async fn delete(db: &Db, id: SectionId, now: Timestamp) -> db::Result<Option<Section>> {
    let sql = format!(
        "UPDATE course_sections SET workflow_state = 'deleted', updated_at = ?3
         WHERE id = ?2 AND workflow_state = 'active'
           AND NOT EXISTS (SELECT 1 FROM enrollments e
                           WHERE e.course_id = course_sections.course_id AND e.course_section_id = ?2
                             AND e.workflow_state NOT IN ('rejected', 'deleted'))
         RETURNING {SECTION}"
    );
    db.fetch(&sql, (false, id, now)).await
}
