//! The SQL of enrollments.

use serde::Deserialize;
use shared::auth::section_limit::has_section_sql;
use shared::auth::{CourseAccess, Right, SectionLimit, is_staff_of_needed_sql};
use shared::db::{self, Bind, BuiltJson, Json, Value};
use shared::ids::{AccountId, CourseId, EnrollmentId, EnrollmentTermId, SectionId, UserId};
use shared::needs::{Lookup, MatchedPath};
use shared::pagination::{Key, Page};
use shared::prefetch::{List, Pages};
use shared::{Db, Error, Paged, Result, Timestamp, accounts_above};

use crate::model::enrollments::{Enrollment, Filter, Role, SisFilter, State};
use crate::model::filters::AnyOf;

/// The part of enrollments that a reader is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Names.
    Member,
    /// SIS ids and logins too, of those who have taken part: who was only invited has not agreed to that.
    Staff,
    /// All of it.
    Administrator,
}

impl Reader {
    /// As what the caller reads the enrollments of a course.
    pub(crate) fn of(course: &CourseAccess) -> Self {
        match course.can(Right::ReadAsStaff) {
            _ if course.admin => Self::Administrator,
            true => Self::Staff,
            false => Self::Member,
        }
    }
}

impl Bind for Reader {
    fn value(self) -> Value {
        match self {
            Self::Member => 0.value(),
            Self::Staff => 1.value(),
            Self::Administrator => 2.value(),
        }
    }
}

/// The columns of an enrollment as a [`Reader`] is told them.
macro_rules! enrollment {
    ($reader:literal) => {
        concat!(
            "id, root_account_id, course_id, course_section_id, user_id, associated_user_id,
    type, type AS role, workflow_state AS enrollment_state, limit_privileges_to_course_section, created_at, updated_at,
    iif(",
            $reader,
            ", (SELECT c.sis_course_id FROM courses c WHERE c.id = enrollments.course_id), NULL) AS sis_course_id,
    iif(",
            $reader,
            ", (SELECT s.sis_section_id FROM course_sections s
             WHERE s.id = enrollments.course_section_id), NULL) AS sis_section_id,
    iif(",
            $reader,
            " > (workflow_state IN ('invited', 'rejected')), (SELECT p.sis_user_id FROM pseudonyms p
             WHERE p.user_id = enrollments.user_id AND p.workflow_state = 'active' AND p.sis_user_id IS NOT NULL
             ORDER BY p.id LIMIT 1), NULL) AS sis_user_id,
    (SELECT concat('{\"id\":', u.id, ',\"name\":', json_quote(u.name), ',\"sortable_name\":', json_quote(u.sortable_name),
                   ',\"short_name\":', json_quote(u.short_name), iif(",
            $reader,
            " > (enrollments.workflow_state IN ('invited', 'rejected')),
             (SELECT ',\"login_id\":' || json_quote(p.unique_id) FROM pseudonyms p
              WHERE p.user_id = u.id AND p.workflow_state = 'active' ORDER BY p.id LIMIT 1), NULL), '}')
     FROM users u WHERE u.id = enrollments.user_id) AS user"
        )
    };
}

/// `?1` is the [`Reader`].
const ENROLLMENT: &str = enrollment!("?1");

/// Whose enrollments are listed.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    Course(CourseId),
    Section(SectionId),
    User(UserId),
}

/// The enrollments of a list.
pub(crate) struct EnrollmentFilter {
    pub(crate) roles: AnyOf<Role>,
    pub(crate) states: Vec<State>,
    pub(crate) user: Option<UserId>,
    pub(crate) term: Option<EnrollmentTermId>,
    pub(crate) sis: SisFilter,
    /// The sections that the reader is limited to.
    pub(crate) section_limit: SectionLimit,
}

/// An enrollment that is made, or made over.
pub(crate) struct NewEnrollment {
    pub(crate) section: SectionId,
    pub(crate) user: UserId,
    pub(crate) observed: Option<UserId>,
    pub(crate) role: Role,
    pub(crate) state: Option<State>,
    pub(crate) limited: Option<bool>,
}

pub(crate) async fn enrollments(
    db: &Db,
    reader: Reader,
    scope: Scope,
    which: EnrollmentFilter,
    page: &Page,
) -> Result<Paged<BuiltJson<Enrollment>>> {
    let (scope, id) = match scope {
        Scope::Course(course) => ("course_id = ?2", course.0),
        // The course is named for its index.
        Scope::Section(section) => (
            "course_id = (SELECT s.course_id FROM course_sections s WHERE s.id = ?2) AND course_section_id = ?2",
            section.0,
        ),
        Scope::User(user) => (
            "user_id = ?2
             AND EXISTS (SELECT 1 FROM courses c WHERE c.id = enrollments.course_id AND c.workflow_state <> 'deleted')",
            user.0,
        ),
    };
    let sql = format!(
        "SELECT {ENROLLMENT} FROM enrollments
         WHERE {scope} AND workflow_state IN (SELECT value FROM json_each(?3))
           AND (?4 IS NULL OR type IN (SELECT value FROM json_each(?4))) AND (?5 IS NULL OR user_id = ?5)
           AND (?11 IS NULL OR (SELECT c.enrollment_term_id FROM courses c WHERE c.id = enrollments.course_id) = ?11)
           AND {} AND {}",
        has_section_sql("?6", "course_section_id"),
        has_sis_ids_sql("?1", ["?7", "?8", "?9", "?10"])
    );
    let EnrollmentFilter { roles, states, user, term, sis, section_limit } = which;
    let SisFilter { accounts, courses, sections, users } = sis;
    let binds = (reader, id, Json(states), roles, user, section_limit, accounts, courses, sections, users, term);
    page.fetch_keyset_built(db, &sql, binds, Key::ascending(&["id"])).await
}

/// True of an enrollment with one of the SIS ids of each list that is given: of accounts, courses, sections and users. They
/// are those that the reader is told.
fn has_sis_ids_sql(reader: &str, [accounts, courses, sections, users]: [&str; 4]) -> String {
    format!(
        "({accounts} IS NULL OR {reader} AND EXISTS (
             SELECT 1 FROM courses c JOIN accounts a ON a.id = c.account_id
             WHERE c.id = enrollments.course_id AND a.sis_account_id IN (SELECT value FROM json_each({accounts}))))
         AND ({courses} IS NULL OR {reader} AND EXISTS (
             SELECT 1 FROM courses c
             WHERE c.id = enrollments.course_id AND c.sis_course_id IN (SELECT value FROM json_each({courses}))))
         AND ({sections} IS NULL OR {reader} AND EXISTS (
             SELECT 1 FROM course_sections s
             WHERE s.id = enrollments.course_section_id
               AND s.sis_section_id IN (SELECT value FROM json_each({sections}))))
         AND ({users} IS NULL OR {reader} > (enrollments.workflow_state IN ('invited', 'rejected')) AND EXISTS (
             SELECT 1 FROM pseudonyms p
             WHERE p.user_id = enrollments.user_id AND p.workflow_state = 'active'
               AND p.sis_user_id IN (SELECT value FROM json_each({users}))))"
    )
}

/// The enrollments of the course that is needed, as the caller may see them in it. Those of one user or one
/// term are listed when it is known that there is one: see [`enrollments`].
pub(crate) struct EnrollmentsOfCourse;

impl List for EnrollmentsOfCourse {
    type Row = Enrollment;
    const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        const COLUMNS: &str = enrollment!("reader.level");
        let filter: Filter = path.query()?;
        if filter.names_record() {
            return Err(Error::not_found());
        }
        let is_staff = is_staff_of_needed_sql();
        let has_sis_ids = has_sis_ids_sql("reader.level", ["?3", "?4", "?5", "?6"]);
        let has_section = has_section_sql("(caller.needed ->> 'section_limit')", "course_section_id");
        let sql = format!(
            "SELECT {COLUMNS}
             FROM (SELECT CASE WHEN caller.needed ->> 'admin' THEN 2 WHEN {is_staff} THEN 1 ELSE 0 END
                       AS level) reader, enrollments
             WHERE course_id = caller.needed ->> 'id' AND workflow_state IN (SELECT value FROM json_each(?1))
               AND (?2 IS NULL OR type IN (SELECT value FROM json_each(?2)))
               AND (caller.needed ->> 'admin' OR {has_section})
               AND {has_sis_ids}"
        );
        let SisFilter { accounts, courses, sections, users } = filter.sis();
        Ok(Lookup::new(sql, (Json(filter.states()), filter.roles(), accounts, courses, sections, users)))
    }
}

/// The live enrollments of some users in a course, in the sections that the reader is limited to.
pub(crate) async fn of_users(
    db: &Db,
    reader: Reader,
    course: &CourseAccess,
    users: Vec<UserId>,
) -> db::Result<Vec<Enrollment>> {
    let sql = format!(
        "SELECT {ENROLLMENT} FROM enrollments
         WHERE user_id IN (SELECT value FROM json_each(?3)) AND course_id = ?2
           AND workflow_state NOT IN ('rejected', 'deleted')
           AND {}
         ORDER BY id",
        has_section_sql("?4", "course_section_id")
    );
    db.fetch_all(&sql, (reader, course.id, Json(users), course.section_limit())).await
}

pub(crate) async fn of_course(
    db: &Db,
    reader: Reader,
    course: CourseId,
    id: EnrollmentId,
) -> db::Result<Option<Enrollment>> {
    let sql = format!(
        "SELECT {ENROLLMENT} FROM enrollments WHERE id = ?2 AND course_id = ?3 AND workflow_state <> 'deleted'"
    );
    db.fetch(&sql, (reader, id, course)).await
}

/// An enrollment in a course of the account or of one under it.
pub(crate) async fn of_account(db: &Db, account: AccountId, id: EnrollmentId) -> db::Result<Option<Enrollment>> {
    const ABOVE: &str = accounts_above!(
        "(SELECT c.account_id FROM courses c JOIN enrollments e ON e.course_id = c.id
          WHERE e.id = ?2 AND c.workflow_state <> 'deleted')"
    );
    let sql =
        format!("SELECT {ENROLLMENT} FROM enrollments WHERE id = ?2 AND ?3 IN {ABOVE} AND workflow_state <> 'deleted'");
    db.fetch(&sql, (Reader::Administrator, id, account)).await
}

/// In which state the user is enrolled so already.
pub(crate) async fn state_of(db: &Db, new: &NewEnrollment) -> db::Result<Option<State>> {
    #[derive(Deserialize)]
    struct StateRow {
        workflow_state: State,
    }
    let sql = "SELECT workflow_state FROM enrollments
         WHERE course_section_id = ?1 AND user_id = ?2 AND type = ?3
           AND ifnull(associated_user_id, 0) = ifnull(?4, 0) AND workflow_state <> 'deleted'";
    let found: Option<StateRow> = db.fetch(sql, (new.section, new.user, new.role.name(), new.observed)).await?;
    Ok(found.map(|StateRow { workflow_state }| workflow_state))
}

/// Enrolls a user of the section's tenant; nothing, if the section or the user is not there. Who is enrolled so already
/// is not enrolled twice: a state that is asked for is taken on, and what had ended or was deleted is taken up again.
pub(crate) async fn upsert(
    db: &Db,
    reader: Reader,
    new: NewEnrollment,
    now: Timestamp,
) -> db::Result<Option<Enrollment>> {
    let same = "same.course_section_id = ?2 AND same.user_id = ?3 AND same.type = ?5
                AND ifnull(same.associated_user_id, 0) = ifnull(?4, 0)";
    let ended = format!(
        "iif(
             EXISTS (SELECT 1 FROM enrollments same WHERE {same} AND same.workflow_state <> 'deleted'),
             NULL,
             (SELECT max(same.id) FROM enrollments same WHERE {same} AND same.workflow_state = 'deleted'))"
    );
    let sql = format!(
        "INSERT INTO enrollments
             (id, root_account_id, course_id, course_section_id, user_id, associated_user_id, type, workflow_state,
              limit_privileges_to_course_section, created_at, updated_at)
         SELECT {ended}, s.root_account_id, s.course_id, s.id, u.id, ?4, ?5, ifnull(?6, 'invited'), ifnull(?7, 0), ?8, ?8
         FROM course_sections s JOIN users u ON u.root_account_id = s.root_account_id
         WHERE s.id = ?2 AND s.workflow_state = 'active' AND u.id = ?3 AND u.workflow_state <> 'deleted'
         ON CONFLICT (course_section_id, user_id, type, ifnull(associated_user_id, 0)) WHERE workflow_state <> 'deleted'
         DO UPDATE SET
             workflow_state = CASE
                 WHEN ?6 IS NOT NULL THEN ?6
                 WHEN workflow_state IN ('completed', 'rejected', 'inactive') THEN 'invited'
                 ELSE workflow_state
             END,
             limit_privileges_to_course_section = ifnull(?7, limit_privileges_to_course_section),
             updated_at = ?8
         ON CONFLICT (id) DO UPDATE SET
             course_id = excluded.course_id, workflow_state = excluded.workflow_state,
             limit_privileges_to_course_section = excluded.limit_privileges_to_course_section, updated_at = ?8
         RETURNING {ENROLLMENT}"
    );
    let NewEnrollment { section, user, observed, role, state, limited } = new;
    db.fetch(&sql, (reader, section, user, observed, role.name(), state.map(State::name), limited, now)).await
}

/// Nothing, if the enrollment is gone, or is not in the state it must be in.
pub(crate) async fn set_state(
    db: &Db,
    reader: Reader,
    id: EnrollmentId,
    from: Option<&[State]>,
    to: State,
    now: Timestamp,
) -> db::Result<Option<Enrollment>> {
    let sql = format!(
        "UPDATE enrollments SET workflow_state = ?4, updated_at = ?5
         WHERE id = ?2 AND workflow_state <> 'deleted' AND (?3 IS NULL OR workflow_state IN (SELECT value FROM json_each(?3)))
         RETURNING {ENROLLMENT}"
    );
    db.fetch(&sql, (reader, id, from.map(|states| Json(states.to_vec())), to.name(), now)).await
}
