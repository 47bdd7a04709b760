//! The students of a course, and who watches over them.

use serde::Deserialize;
use serde_json::Value;
use shared::auth::section_limit::{has_section_sql, has_student_sql};
use shared::auth::{SectionLimit, user_with_alias_sql};
use shared::db::{self, IdRow, Json};
use shared::ids::{AccountId, CourseId, SectionId, UserId};
use shared::pagination::Page;
use shared::{Db, Paged, Result};

/// A student of a course.
#[derive(Deserialize)]
pub(crate) struct Student {
    pub(crate) user_id: UserId,
    /// The first of the student's sections, of those that are looked at.
    pub(crate) section_id: SectionId,
}

/// The students of a course, in the sections of the limit: all, or those of a list.
pub(crate) async fn students(
    db: &Db,
    course: CourseId,
    among: Option<&[UserId]>,
    limit: SectionLimit,
    page: &Page,
) -> Result<Paged<Student>> {
    let among = among.map(|ids| Json(Value::from(ids.iter().map(|id| id.0).collect::<Vec<_>>())));
    let sql = format!(
        "SELECT user_id, min(course_section_id) AS section_id FROM enrollments
         WHERE course_id = ?1 AND type = 'StudentEnrollment' AND workflow_state IN ('active', 'completed', 'inactive')
           AND (?2 IS NULL OR user_id IN (SELECT value FROM json_each(?2)))
           AND {}
         GROUP BY user_id ORDER BY user_id",
        has_section_sql("?3", "course_section_id")
    );
    page.fetch(db, &sql, (course, among, limit)).await
}

/// True if the user is or was a student of the course, in the sections of the limit.
pub(crate) async fn is_student(db: &Db, course: CourseId, user: UserId, limit: SectionLimit) -> db::Result<bool> {
    let sql = format!(
        "SELECT 1 AS found FROM enrollments
         WHERE user_id = ?2 AND course_id = ?1 AND type = 'StudentEnrollment'
           AND workflow_state IN ('active', 'completed', 'inactive') AND {} LIMIT 1",
        has_section_sql("?3", "course_section_id")
    );
    db.affects(&sql, (course, user, limit)).await
}

/// True if all users are or were students of the sections of the limit.
pub(crate) async fn are_students(db: &Db, course: CourseId, users: &[UserId], limit: SectionLimit) -> db::Result<bool> {
    let users = Json(Value::from(users.iter().map(|id| id.0).collect::<Vec<_>>()));
    let sql = format!(
        "SELECT 1 AS found FROM json_each(?2) named WHERE NOT {} LIMIT 1",
        has_student_sql("?3", "named.value", "?1")
    );
    Ok(!db.affects(&sql, (course, users, limit)).await?)
}

/// The users of a tenant who have these ids of an institution, each a kind and a value. Who is not there is left out.
pub(crate) async fn with_aliases(
    db: &Db,
    tenant: AccountId,
    aliases: Vec<(String, String)>,
) -> db::Result<Vec<UserId>> {
    let sql = format!(
        "SELECT u.id FROM (SELECT {} AS user_id FROM json_each(?2) named) found
         JOIN users u ON u.id = found.user_id AND u.workflow_state <> 'deleted'",
        user_with_alias_sql("?1", "named.value ->> 0", "named.value ->> 1")
    );
    let found: Vec<IdRow<UserId>> = db.fetch_all(&sql, (tenant, Json(aliases))).await?;
    Ok(found.into_iter().map(|user| user.id).collect())
}

/// True if the user watches over the student in the course.
pub(crate) async fn observes(db: &Db, course: CourseId, user: UserId, student: UserId) -> db::Result<bool> {
    let sql = "SELECT 1 AS found FROM enrollments
               WHERE user_id = ?2 AND course_id = ?1 AND associated_user_id = ?3 AND type = 'ObserverEnrollment'
                 AND workflow_state = 'active' LIMIT 1";
    db.affects(sql, (course, user, student)).await
}

/// The students whom the user watches over in the course.
pub(crate) async fn observed(db: &Db, course: CourseId, user: UserId) -> db::Result<Vec<UserId>> {
    let sql = "SELECT DISTINCT associated_user_id AS id FROM enrollments
               WHERE user_id = ?2 AND course_id = ?1 AND type = 'ObserverEnrollment' AND workflow_state = 'active'
                 AND associated_user_id IS NOT NULL";
    let observed: Vec<IdRow<UserId>> = db.fetch_all(sql, (course, user)).await?;
    Ok(observed.into_iter().map(|observed| observed.id).collect())
}
