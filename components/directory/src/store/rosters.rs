//! The SQL of a course's users.

use shared::auth::{CourseAccess, Right};
use shared::db;
use shared::ids::{CourseId, SectionId, UserId};
use shared::page::{Key, Page};
use shared::{Db, Paged};

use super::users::{Row, USER};
use crate::enrollments::{Role, State};
use crate::filters::AnyOf;

/// Which users of a course are listed.
pub(crate) struct Which {
    pub(crate) roles: AnyOf<Role>,
    pub(crate) states: AnyOf<State>,
    pub(crate) users: AnyOf<UserId>,
    pub(crate) term: Option<String>,
    pub(crate) sections: AnyOf<SectionId>,
}

/// What only the staff see is searched for the staff only.
pub(crate) async fn users(db: &Db, course: &CourseAccess, which: Which, page: &Page) -> db::Result<Paged<Row>> {
    let sql = format!(
        "SELECT {USER} FROM users
         WHERE workflow_state <> 'deleted' AND id IN (
                   SELECT e.user_id FROM enrollments e
                   WHERE e.course_id = ?1 AND e.workflow_state IN (SELECT value FROM json_each(?2))
                     AND (?3 IS NULL OR e.type IN (SELECT value FROM json_each(?3)))
                     AND (?7 IS NULL OR e.course_section_id IN (SELECT value FROM json_each(?7)))
               )
           AND (?4 IS NULL OR id IN (SELECT value FROM json_each(?4)))
           AND (?5 IS NULL OR instr(lower(name), lower(?5)) OR instr(lower(sortable_name), lower(?5))
                OR instr(lower(short_name), lower(?5)) OR CAST(id AS TEXT) = ?5
                OR (?6 AND instr(lower((SELECT e.email FROM user_emails e WHERE e.user_id = users.id)), lower(?5)))
                OR (?6 AND EXISTS (
                        SELECT 1 FROM pseudonyms p
                        WHERE p.user_id = users.id AND p.workflow_state = 'active'
                          AND (instr(lower(p.unique_id), lower(?5)) OR instr(lower(p.sis_user_id), lower(?5))))))"
    );
    let Which { roles, states, users, term, sections } = which;
    let binds = (course.id, states, roles, users, term, course.can(Right::ReadAsStaff), sections);
    db.keyset(&sql, binds, Key::ascending(&["id"]), page).await
}

/// The user, if somebody who takes part in the course, or took part: in one of the sections, where some are named.
pub(crate) async fn user(db: &Db, course: CourseId, sections: AnyOf<SectionId>, id: UserId) -> db::Result<Option<Row>> {
    let sql = format!(
        "SELECT {USER} FROM users
         WHERE id = ?1 AND workflow_state <> 'deleted' AND EXISTS (
             SELECT 1 FROM enrollments e
             WHERE e.user_id = ?1 AND e.course_id = ?2 AND e.workflow_state NOT IN ('rejected', 'deleted')
               AND (?3 IS NULL OR e.course_section_id IN (SELECT value FROM json_each(?3))))"
    );
    db.fetch(&sql, (id, course, sections)).await
}
