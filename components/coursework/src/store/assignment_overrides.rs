//! Overrides of the dates of assignments.

use std::marker::PhantomData;

use serde::Deserialize;
use shared::auth::CourseAccess;
use shared::db::{self, IdRow, Json};
use shared::ids::{AssignmentId, AssignmentOverrideId, CourseId, SectionId, UserGroupId, UserId};
use shared::needs::{HasCourse, Lookup, MatchedPath, Record, nested};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Patch, Result, Timestamp};

use crate::model::assignment_overrides::{OverrideFields, OverrideRow, Target};
use crate::model::assignments::Assignment;
use crate::store::assignments::select;

/// The most overrides of an assignment.
const MAX_OVERRIDES: i64 = 500;

const SELECT: &str = "SELECT o.id, o.assignment_id,
        coalesce((SELECT s.name FROM course_sections s WHERE s.id = o.course_section_id),
                 (SELECT g.name FROM groups g WHERE g.id = o.group_id), o.title) AS title,
        o.course_section_id, o.group_id,
        (SELECT json_group_array(user_id) FROM (
            SELECT t.user_id FROM assignment_override_students t
            WHERE t.assignment_override_id = o.id ORDER BY t.user_id)) AS student_ids,
        o.has_due_at, o.due_at, o.has_unlock_at, o.unlock_at, o.has_lock_at, o.lock_at
    FROM assignment_overrides o";

pub(crate) async fn page(db: &Db, assignment: AssignmentId, page: &Page) -> Result<Paged<OverrideRow>> {
    page.fetch_keyset(db, &format!("{SELECT} WHERE o.assignment_id = ?1"), (assignment,), Key::ascending(&["id"])).await
}

/// The overrides of these assignments, in the order in which they were made.
pub(crate) async fn of_assignments(db: &Db, assignments: Vec<i64>) -> db::Result<Vec<OverrideRow>> {
    let sql = format!("{SELECT} WHERE o.assignment_id IN (SELECT value FROM json_each(?1)) ORDER BY o.id");
    db.fetch_all(&sql, (Json(assignments),)).await
}

/// The same of assignments of the course.
pub(crate) async fn of_assignments_in(
    db: &Db,
    course: CourseId,
    assignments: Vec<i64>,
) -> db::Result<Vec<OverrideRow>> {
    let sql = format!(
        "{SELECT} WHERE o.assignment_id IN (SELECT value FROM json_each(?1)) AND o.course_id = ?2
           AND EXISTS (SELECT 1 FROM assignments a WHERE a.id = o.assignment_id AND a.workflow_state <> 'deleted')"
    );
    db.fetch_all(&sql, (Json(assignments), course)).await
}

/// An override of an assignment of the course.
pub(crate) async fn of_course(
    db: &Db,
    course: CourseId,
    assignment: AssignmentId,
    id: AssignmentOverrideId,
) -> db::Result<Option<OverrideRow>> {
    db.fetch(
        &format!("{SELECT} WHERE o.id = ?1 AND o.assignment_id = ?2 AND o.course_id = ?3"),
        (id, assignment, course),
    )
    .await
}

/// An override of an assignment of the course, with the assignment.
#[derive(Deserialize)]
pub(crate) struct KnownOverride {
    pub(crate) assignment: Json<Assignment>,
    pub(crate) own: Json<OverrideRow>,
}

/// Those of these overrides, each beside its assignment, that the course has, in no order.
pub(crate) async fn known(
    db: &Db,
    course: CourseId,
    names: &[(AssignmentId, AssignmentOverrideId)],
) -> Result<Vec<KnownOverride>> {
    let assignment = nested::<Assignment>(&format!(
        "{} WHERE a.id = named.assignment_id AND a.workflow_state <> 'deleted'",
        select()
    ))?;
    let own = nested::<OverrideRow>(&format!("{SELECT} WHERE o.id = named.id"))?;
    let sql = format!(
        "SELECT assignment, own FROM (
             SELECT {assignment} AS assignment, {own} AS own FROM json_each(?1) AS name
             CROSS JOIN assignment_overrides named
                 ON named.id = name.value ->> 1 AND named.assignment_id = name.value ->> 0
             WHERE named.course_id = ?2)
         WHERE assignment IS NOT NULL"
    );
    Ok(db.fetch_all(&sql, (Json(names), course)).await?)
}

/// The override of an assignment for the section, or for the group, that the path names.
#[derive(Deserialize)]
pub(crate) struct OverrideFor<T> {
    pub(crate) course: Json<CourseAccess>,
    /// `None`: there is none.
    pub(crate) own: Option<Json<OverrideRow>>,
    #[serde(skip)]
    target: PhantomData<T>,
}

/// A section, or a group of a course: what a path names and an override is for.
pub(crate) trait OverrideTarget: 'static {
    /// The word of the path behind which its id stands.
    const WORD: &'static str;
    /// Its table, the state in which it is there, and the column that names it in an override.
    const TABLE: (&'static str, &'static str, &'static str);
}

/// A section.
pub(crate) struct OfSection;

impl OverrideTarget for OfSection {
    const WORD: &'static str = "sections";
    const TABLE: (&'static str, &'static str, &'static str) = ("course_sections", "active", "course_section_id");
}

/// A group.
pub(crate) struct OfGroup;

impl OverrideTarget for OfGroup {
    const WORD: &'static str = "groups";
    const TABLE: (&'static str, &'static str, &'static str) = ("groups", "available", "group_id");
}

impl<T> HasCourse for OverrideFor<T> {
    fn course(&self) -> &CourseAccess {
        &self.course.0
    }
}

impl<T: OverrideTarget> Record for OverrideFor<T> {
    const IDS: &'static [&'static str] = &[T::WORD, "assignments"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (target, assignment): (i64, AssignmentId) = (path.id(T::WORD)?, path.id("assignments")?);
        let (table, state, column) = T::TABLE;
        let course = nested::<CourseAccess>(&CourseAccess::by_id("t.course_id"))?;
        let own = nested::<OverrideRow>(&format!(
            "{SELECT} WHERE o.assignment_id = ?2 AND o.{column} = t.id AND o.course_id = t.course_id
               AND EXISTS (SELECT 1 FROM assignments a WHERE a.id = o.assignment_id AND a.workflow_state <> 'deleted')"
        ))?;
        let sql = format!(
            "SELECT * FROM (
                 SELECT {course} AS course, {own} AS own FROM {table} t
                 WHERE t.id = ?1 AND t.workflow_state = '{state}'
                   AND (caller.site_admin OR t.root_account_id = caller.root_account_id) LIMIT 1
             ) WHERE course IS NOT NULL"
        );
        Ok(Lookup::new(sql, (target, assignment)))
    }
}

/// True if the course has whom an override is for: a section, a group, or students, all of them.
pub(crate) async fn has_target(db: &Db, course: CourseId, target: &Target) -> db::Result<bool> {
    match target {
        Target::Section(id) => {
            let sql = "SELECT 1 AS found FROM course_sections
                       WHERE id = ?1 AND course_id = ?2 AND workflow_state <> 'deleted'";
            db.affects(sql, (*id, course)).await
        }
        Target::Group(id) => {
            let sql = "SELECT 1 AS found FROM groups WHERE id = ?1 AND course_id = ?2 AND workflow_state <> 'deleted'";
            db.affects(sql, (*id, course)).await
        }
        Target::Students(students) => {
            let sql = "SELECT 1 AS stranger FROM json_each(?1) one
                       WHERE NOT EXISTS (
                           SELECT 1 FROM enrollments e
                           WHERE e.user_id = one.value AND e.course_id = ?2 AND e.type = 'StudentEnrollment'
                             AND e.workflow_state IN ('active', 'completed', 'inactive')) LIMIT 1";
            Ok(!db.affects(sql, (ids(students), course)).await?)
        }
    }
}

fn ids(students: &[UserId]) -> Json<Vec<i64>> {
    Json(students.iter().map(|id| id.0).collect())
}

/// Adds an override; `None` where the section or group has one already, or the assignment has too many. `db` is in a transaction.
pub(crate) async fn insert(
    db: &Db,
    course: &CourseAccess,
    assignment: AssignmentId,
    target: &Target,
    fields: &OverrideFields,
    now: Timestamp,
) -> db::Result<Option<AssignmentOverrideId>> {
    let (section, group): (Option<SectionId>, Option<UserGroupId>) = match target {
        Target::Section(id) => (Some(*id), None),
        Target::Group(id) => (None, Some(*id)),
        Target::Students(_) => (None, None),
    };
    let made: Option<IdRow<AssignmentOverrideId>> = db
        .fetch(
            "INSERT INTO assignment_overrides
                 (root_account_id, course_id, assignment_id, title, course_section_id, group_id, has_due_at, due_at,
                  has_unlock_at, unlock_at, has_lock_at, lock_at, created_at, updated_at)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13
             WHERE (SELECT count(*) FROM assignment_overrides o WHERE o.assignment_id = ?3) < ?14
             ON CONFLICT DO NOTHING RETURNING id",
            (
                course.root_account,
                course.id,
                assignment,
                fields.title.clone(),
                section,
                group,
                fields.due_at.is_present(),
                date(fields.due_at),
                fields.unlock_at.is_present(),
                date(fields.unlock_at),
                fields.lock_at.is_present(),
                date(fields.lock_at),
                now,
                MAX_OVERRIDES,
            ),
        )
        .await?;
    Ok(made.map(|made| made.id))
}

fn date(given: Patch<Timestamp>) -> Option<Timestamp> {
    given.into_option()
}

/// Makes an override one for these students; false where another one of the assignment names one of them. `db` is in a
/// transaction.
pub(crate) async fn set_students(
    db: &Db,
    assignment: AssignmentId,
    id: AssignmentOverrideId,
    students: &[UserId],
) -> db::Result<bool> {
    let taken = "SELECT 1 AS taken FROM assignment_override_students t
                 WHERE t.assignment_id = ?1 AND t.user_id IN (SELECT value FROM json_each(?3))
                   AND t.assignment_override_id <> ?2 LIMIT 1";
    if db.affects(taken, (assignment, id, ids(students))).await? {
        return Ok(false);
    }
    db.execute("DELETE FROM assignment_override_students WHERE assignment_override_id = ?1", (id,)).await?;
    let sql = "INSERT INTO assignment_override_students (assignment_id, user_id, assignment_override_id)
               SELECT ?1, value, ?2 FROM json_each(?3)";
    db.execute(sql, (assignment, id, ids(students))).await?;
    Ok(true)
}

/// Gives an override these dates, and no others, and answers it. `db` is in a transaction.
pub(crate) async fn update(
    db: &Db,
    id: AssignmentOverrideId,
    fields: &OverrideFields,
    now: Timestamp,
) -> db::Result<Option<OverrideRow>> {
    db.write_and_read(
        "UPDATE assignment_overrides
         SET title = ?2, has_due_at = ?3, due_at = ?4, has_unlock_at = ?5, unlock_at = ?6, has_lock_at = ?7, lock_at = ?8,
             updated_at = ?9
         WHERE id = ?1",
        &format!("{SELECT} WHERE o.id = assignment_overrides.id"),
        (
            id,
            fields.title.clone(),
            fields.due_at.is_present(),
            date(fields.due_at),
            fields.unlock_at.is_present(),
            date(fields.unlock_at),
            fields.lock_at.is_present(),
            date(fields.lock_at),
            now,
        ),
    )
    .await
}

/// Deletes an override; its students have the dates of everybody else again.
pub(crate) async fn delete(db: &Db, assignment: AssignmentId, id: AssignmentOverrideId) -> db::Result<bool> {
    let sql = "DELETE FROM assignment_overrides WHERE id = ?1 AND assignment_id = ?2 RETURNING id";
    db.affects(sql, (id, assignment)).await
}
