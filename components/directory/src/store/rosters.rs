//! The SQL of a course's users.

use serde::Deserialize;
use shared::auth::{CourseAccess, Right};
use shared::db;
use shared::ids::{CourseId, SectionId, UserId};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp};

use crate::model::enrollments::{Role, State};
use crate::model::filters::AnyOf;
use crate::model::users;
use crate::store::users::USER;

/// A user of a course: the columns of [`users::Row`], which stand here again because lists are read by the names of fields.
#[derive(Deserialize)]
pub(crate) struct Row {
    id: UserId,
    name: String,
    created_at: Timestamp,
    sortable_name: String,
    short_name: String,
    email: Option<String>,
    locale: Option<String>,
    time_zone: Option<String>,
    login_id: Option<String>,
    sis_user_id: Option<String>,
    integration_id: Option<String>,
    /// Whether the user has taken part in the course, and was not only invited.
    pub(crate) took_part: bool,
}

impl Row {
    /// The id of the user.
    pub(crate) fn id(&self) -> UserId {
        self.id
    }

    /// The user.
    pub(crate) fn into_user(self) -> users::Row {
        users::Row {
            id: self.id,
            name: self.name,
            created_at: self.created_at,
            sortable_name: self.sortable_name,
            short_name: self.short_name,
            email: self.email,
            locale: self.locale,
            time_zone: self.time_zone,
            login_id: self.login_id,
            sis_user_id: self.sis_user_id,
            integration_id: self.integration_id,
        }
    }
}

/// Whether the user has taken part in the course `?1`.
pub(super) const TOOK_PART: &str = "EXISTS (
    SELECT 1 FROM enrollments part
    WHERE part.user_id = users.id AND part.course_id = ?1 AND part.workflow_state IN ('active', 'inactive', 'completed'))";

/// Which users of a course are listed.
pub(crate) struct Which {
    pub(crate) roles: AnyOf<Role>,
    pub(crate) states: AnyOf<State>,
    pub(crate) users: AnyOf<UserId>,
    pub(crate) term: Option<String>,
    pub(crate) sections: AnyOf<SectionId>,
}

/// What only the staff see is searched for the staff only, and as far as they see it.
pub(crate) async fn users(db: &Db, course: &CourseAccess, which: Which, page: &Page) -> Result<Paged<Row>> {
    let sql = format!(
        "SELECT {USER}, {TOOK_PART} AS took_part FROM users
         WHERE workflow_state <> 'deleted' AND id IN (
                   SELECT e.user_id FROM enrollments e
                   WHERE e.course_id = ?1 AND e.workflow_state IN (SELECT value FROM json_each(?2))
                     AND (?3 IS NULL OR e.type IN (SELECT value FROM json_each(?3)))
                     AND (?7 IS NULL OR e.course_section_id IN (SELECT value FROM json_each(?7)))
               )
           AND (?4 IS NULL OR id IN (SELECT value FROM json_each(?4)))
           AND (?5 IS NULL OR instr(lower(name), lower(?5)) OR instr(lower(sortable_name), lower(?5))
                OR instr(lower(short_name), lower(?5)) OR CAST(id AS TEXT) = ?5
                OR (?6 AND (?8 OR {TOOK_PART})
                    AND instr(lower((SELECT e.email FROM user_emails e WHERE e.user_id = users.id)), lower(?5)))
                OR (?6 AND (?8 OR {TOOK_PART}) AND EXISTS (
                        SELECT 1 FROM pseudonyms p
                        WHERE p.user_id = users.id AND p.workflow_state = 'active'
                          AND (instr(lower(p.unique_id), lower(?5)) OR instr(lower(p.sis_user_id), lower(?5))))))"
    );
    let Which { roles, states, users, term, sections } = which;
    let binds = (course.id, states, roles, users, term, course.can(Right::ReadAsStaff), sections, course.admin);
    page.fetch_keyset(db, &sql, binds, Key::ascending(&["id"])).await
}

/// The user, if somebody who takes part in the course, or took part: in one of the sections, where some are named.
pub(crate) async fn user(db: &Db, course: CourseId, sections: AnyOf<SectionId>, id: UserId) -> db::Result<Option<Row>> {
    let sql = format!(
        "SELECT {USER}, {TOOK_PART} AS took_part FROM users
         WHERE id = ?2 AND workflow_state <> 'deleted' AND EXISTS (
             SELECT 1 FROM enrollments e
             WHERE e.user_id = ?2 AND e.course_id = ?1 AND e.workflow_state NOT IN ('rejected', 'deleted')
               AND (?3 IS NULL OR e.course_section_id IN (SELECT value FROM json_each(?3))))"
    );
    db.fetch(&sql, (course, id, sections)).await
}
