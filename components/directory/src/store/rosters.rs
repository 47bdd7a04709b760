//! The SQL of a course's users.

use serde::Deserialize;
use shared::auth::section_limit::{self, has_section_sql};
use shared::auth::{self, CourseAccess, Right};
use shared::db::{self, Json};
use shared::error::OrNotFound;
use shared::ids::{SectionId, UserId};
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::pagination::Page;
use shared::params::SearchTerm;
use shared::{Db, Error, Paged, Result};

use crate::model::enrollments::{RoleFilter, RosterSort, State};
use crate::model::filters::{AnyOf, Direction, Named};
use crate::model::users;
use crate::store::user_search::UserSearch;
use crate::store::users::USER;

/// A user of a course, or of a group of one.
#[derive(Deserialize)]
pub(crate) struct Participant {
    pub(crate) user: Json<users::Row>,
    /// True if the user has taken part in the course, and was not only invited.
    pub(crate) took_part: bool,
}

/// A student of a section.
#[derive(Deserialize)]
pub(crate) struct SectionStudent {
    pub(crate) section_id: SectionId,
    pub(crate) participant: Json<Participant>,
}

/// The users for whom the condition holds, with their ids as the key of a list: participants of the course, which is a value
/// or a column.
pub(super) fn participants(course: &str, condition: &str) -> db::Result<String> {
    participants_with("", course, condition)
}

/// The same with a further column: `, name AS sort_key`.
fn participants_with(column: &str, course: &str, condition: &str) -> db::Result<String> {
    let (user, took_part) = (db::json_object::<users::Row>()?, took_part(course));
    Ok(format!(
        "SELECT id, {user} AS user, took_part{column} FROM (
             SELECT {USER}, {took_part} AS took_part FROM users WHERE workflow_state <> 'deleted' AND {condition})"
    ))
}

/// True if the user has taken part in the course.
fn took_part(course: &str) -> String {
    format!(
        "EXISTS (
             SELECT 1 FROM enrollments part WHERE part.user_id = users.id AND part.course_id = {course}
               AND part.workflow_state IN ('active', 'inactive', 'completed'))"
    )
}

/// The users of a course that are listed.
pub(crate) struct RosterFilter {
    pub(crate) roles: AnyOf<RoleFilter>,
    pub(crate) states: AnyOf<State>,
    pub(crate) users: Named<UserId>,
    pub(crate) sections: AnyOf<SectionId>,
    pub(crate) term: Option<SearchTerm>,
    /// By id unless given.
    pub(crate) sort: Option<RosterSort>,
}

/// Who is limited to sections sees those in them. The fields that only the staff see are searched for the staff only, and
/// as far as they see it.
pub(crate) async fn users(
    db: &Db,
    course: &CourseAccess,
    which: RosterFilter,
    page: &Page,
) -> Result<Paged<Participant>> {
    let (took_part, has_section) = (took_part("?1"), has_section_sql("?7", "e.course_section_id"));
    let tenant = "(SELECT c.root_account_id FROM courses c WHERE c.id = ?1)";
    let aliased = auth::user_with_alias_sql(tenant, "named.value ->> 0", "named.value ->> 1");
    let RosterFilter { roles, states, users, sections, term, sort } = which;
    let term = term.as_ref();
    let UserSearch { is_named, has_email, has_login } = UserSearch::sql(term, "?5");
    let condition = format!(
        "id IN (
             SELECT e.user_id FROM enrollments e
             WHERE e.course_id = ?1 AND e.workflow_state IN (SELECT value FROM json_each(?2))
               AND (?3 IS NULL OR e.type IN (SELECT value FROM json_each(?3)))
               AND {has_section}
               AND (?9 IS NULL OR e.course_section_id IN (SELECT value FROM json_each(?9)))
         )
           AND (?4 IS NULL OR id IN (SELECT value FROM json_each(?4, '$.ids'))
                OR (?6 AND (?8 OR {took_part}) AND id IN (
                        SELECT {aliased} FROM json_each(?4, '$.aliases') named)))
           AND (?5 IS NULL OR {is_named} OR CAST(id AS TEXT) = ?10
                OR (?6 AND (?8 OR {took_part}) AND {has_email})
                OR (?6 AND (?8 OR {took_part}) AND {has_login}))"
    );
    let sort_key = sort.map(|sort| format!(", {} AS sort_key", sort_key(sort))).unwrap_or_default();
    let sql = participants_with(&sort_key, "?1", &condition)?;
    let is_staff = course.can(Right::ReadAsStaff);
    let (is_admin, id) = (course.admin, term.map(SearchTerm::text));
    let binds = (course.id, states, roles, users, term, is_staff, course.section_limit(), is_admin, sections, id);
    page.fetch_keyset(db, &sql, binds, Direction::Asc.key(sort.is_some())).await
}

/// The value by which a user of a course stands in the list. Where it is a field that the reader is not told, it is blank, so
/// that the order tells nothing of it. A course has as many users as fit into it, so that they are put in order without an index.
fn sort_key(sort: RosterSort) -> &'static str {
    match sort {
        RosterSort::Username => "lower(sortable_name)",
        RosterSort::Email => "ifnull(iif(?6 AND (?8 OR took_part), lower(email), NULL), '')",
        RosterSort::SisId => "ifnull(iif(?6 AND (?8 OR took_part), sis_user_id, NULL), '')",
    }
}

/// A participant of the course that is needed, in the sections that the reader is limited to.
impl Record for Participant {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        const COURSE: &str = "(caller.needed ->> 'id')";
        let mut values = Vec::new();
        let user = auth::user_id_sql(&path.behind("users")?.or_not_found()?, &mut values)?;
        let condition = format!(
            "id = {user} AND (caller.site_admin OR root_account_id = caller.root_account_id) AND EXISTS (
                 SELECT 1 FROM enrollments e
                 WHERE e.user_id = users.id AND e.course_id = {COURSE} AND e.workflow_state NOT IN ('rejected', 'deleted')
                   AND {})",
            has_section_sql(&section_limit::of_needed_sql("caller.needed"), "e.course_section_id")
        );
        Ok(Lookup::new(participants(COURSE, &condition)?, values))
    }
}

/// The students of sections of the course, active and invited, in the sections that the reader is limited to: so many at most.
pub(crate) async fn students_of_sections(
    db: &Db,
    course: &CourseAccess,
    sections: Vec<SectionId>,
    most: usize,
) -> Result<Vec<SectionStudent>> {
    let participant = nested::<Participant>(&participants("?1", "id = enrolled.user_id")?)?;
    let sql = format!(
        "SELECT section_id, participant FROM (
             SELECT section_id, user_id, {participant} AS participant FROM (
                 SELECT DISTINCT course_section_id AS section_id, user_id FROM enrollments
                 WHERE course_id = ?1 AND course_section_id IN (SELECT value FROM json_each(?2))
                   AND type = 'StudentEnrollment' AND workflow_state IN ('active', 'invited') AND {}
                 ORDER BY course_section_id, user_id LIMIT ?4) enrolled)
         WHERE participant IS NOT NULL ORDER BY section_id, user_id",
        has_section_sql("?3", "course_section_id")
    );
    let most = i64::try_from(most).map_err(Error::internal)?;
    Ok(db.fetch_all(&sql, (course.id, Json(sections), course.section_limit(), most)).await?)
}
