//! The SQL of enrollments.

use serde::Deserialize;
use shared::auth::section_limit::has_section_sql;
use shared::auth::{CourseAccess, Right, SectionLimit, is_staff_of_needed_sql};
use shared::db::{self, Bind, Binds, BuiltJson, BuiltRow, Json, Value};
use shared::ids::{AccountId, CourseId, EnrollmentId, EnrollmentTermId, SectionId, UserId};
use shared::needs::{Lookup, MatchedPath};
use shared::pagination::{BuiltPage, Key, Page};
use shared::prefetch::{List, Pages};
use shared::{Db, Error, Result, Timestamp, accounts_above};

use crate::model::enrollments::{Enrollment, Filter, Role, RoleFilter, SisFilter, State};
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

/// The form in which enrollments are answered.
pub(crate) struct View {
    reader: Reader,
    address: String,
}

impl View {
    /// The form for a reader, with addresses in this service.
    pub(crate) fn new(reader: Reader, base_url: &str) -> Self {
        Self { reader, address: db::begun_text(base_url) }
    }
}

/// The SIS ids of a course, or nothing of them, for a [`Reader`].
macro_rules! course_ids {
    ($reader:literal, $course:literal) => {
        concat!(
            "iif(",
            $reader,
            ", (SELECT concat(',\"sis_course_id\":', json_quote(c.sis_course_id), ',\"sis_account_id\":', json_quote(a.sis_account_id))
           FROM courses c JOIN accounts a ON a.id = c.account_id WHERE c.id = ",
            $course,
            "), ',\"sis_course_id\":null,\"sis_account_id\":null')"
        )
    };
}

/// An enrollment as it is answered to a [`Reader`] ([`Enrollment`]), with addresses that begin so ([`begun_text`](db::begun_text)), and with the SIS ids
/// of its course, whose members are an expression. The row is one of that table.
macro_rules! enrollment {
    ($row:literal, $reader:literal, $address:literal, $course_ids:expr) => {
        concat!(
            "concat('{\"id\":', id, ',\"root_account_id\":', root_account_id, ',\"course_id\":', course_id,
    ',\"course_section_id\":', course_section_id, ',\"user_id\":', user_id,
    ',\"associated_user_id\":', ifnull(associated_user_id, 'null'), ',\"type\":\"', type, '\",\"role\":\"', type,
    '\",\"enrollment_state\":\"', workflow_state, '\",\"created_at\":\"', created_at, '\",\"updated_at\":\"', updated_at,
    '\",\"html_url\":', ",
            $address,
            ", '/courses/', course_id, '/users/', user_id,
    '\",\"limit_privileges_to_course_section\":', iif(limit_privileges_to_course_section, 'true', 'false'), ",
            $course_ids,
            ",
    iif(",
            $reader,
            ", (SELECT concat(',\"sis_section_id\":', json_quote(s.sis_section_id),
                         ',\"section_integration_id\":', json_quote(s.integration_id))
           FROM course_sections s WHERE s.id = ",
            $row,
            ".course_section_id),
        ',\"sis_section_id\":null,\"section_integration_id\":null'),
    ',\"sis_user_id\":', json_quote(iif(",
            $reader,
            " > (workflow_state IN ('invited', 'rejected')), (SELECT u.kept_sis_user_id FROM users u WHERE u.id = ",
            $row,
            ".user_id), NULL)),
    ',\"course_integration_id\":null,\"last_activity_at\":null,\"last_attended_at\":null,\"total_activity_time\":0',
    iif(type = 'StudentEnrollment', concat(
        ',\"grades\":{\"html_url\":', ",
            $address,
            ", '/courses/', course_id, '/grades/', user_id,
        '\",\"current_score\":null,\"current_grade\":null,\"final_score\":null,\"final_grade\":null}'), ''),
    ',\"user\":',
    (SELECT concat('{\"id\":', u.id, ',\"name\":', json_quote(u.name), ',\"sortable_name\":', json_quote(u.sortable_name),
                   ',\"short_name\":', json_quote(u.short_name), iif(",
            $reader,
            " > (",
            $row,
            ".workflow_state IN ('invited', 'rejected')) AND u.kept_login_id IS NOT NULL,
             ',\"login_id\":' || json_quote(u.kept_login_id), NULL), '}')
     FROM users u WHERE u.id = ",
            $row,
            ".user_id), '}') AS record"
        )
    };
}

/// `?1` is the [`Reader`], `?2` the beginning of addresses.
const ENROLLMENT: &str = enrollment!("enrollments", "?1", "?2", course_ids!("?1", "enrollments.course_id"));

/// Whose enrollments are listed.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    Course(CourseId),
    Section(SectionId),
    User(UserId),
}

/// The enrollments of a list.
pub(crate) struct EnrollmentFilter {
    pub(crate) roles: AnyOf<RoleFilter>,
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

/// An enrollment to be changed.
#[derive(Deserialize)]
pub(crate) struct KnownEnrollment {
    pub(crate) id: EnrollmentId,
    pub(crate) course_section_id: SectionId,
    pub(crate) user_id: UserId,
    pub(crate) user_name: String,
    pub(crate) r#type: Role,
}

/// An enrollment of a user of a list.
#[derive(Deserialize)]
pub(crate) struct EnrollmentOfUser {
    pub(crate) user_id: UserId,
    pub(crate) record: BuiltJson<Enrollment>,
}

pub(crate) async fn enrollments(
    db: &Db,
    view: View,
    scope: Scope,
    which: EnrollmentFilter,
    page: &Page,
) -> Result<BuiltPage<Enrollment>> {
    let (scope, id) = match scope {
        Scope::Course(course) => ("course_id = ?3", course.0),
        // The course is named for its index.
        Scope::Section(section) => (
            "course_id = (SELECT s.course_id FROM course_sections s WHERE s.id = ?3) AND course_section_id = ?3",
            section.0,
        ),
        Scope::User(user) => (
            "user_id = ?3
             AND EXISTS (SELECT 1 FROM courses c WHERE c.id = enrollments.course_id AND c.workflow_state <> 'deleted')",
            user.0,
        ),
    };
    let sql = format!(
        "SELECT id, {ENROLLMENT} FROM enrollments
         WHERE {scope} AND workflow_state IN (SELECT value FROM json_each(?4))
           AND (?5 IS NULL OR type IN (SELECT value FROM json_each(?5))) AND (?6 IS NULL OR user_id = ?6)
           AND (?12 IS NULL OR (SELECT c.enrollment_term_id FROM courses c WHERE c.id = enrollments.course_id) = ?12)
           AND {} AND {}",
        has_section_sql("?7", "course_section_id"),
        has_sis_ids_sql("?1", ["?8", "?9", "?10", "?11"])
    );
    let View { reader, address } = view;
    let EnrollmentFilter { roles, states, user, term, sis, section_limit } = which;
    let SisFilter { accounts, courses, sections, users } = sis;
    let binds =
        (reader, address, id, Json(states), roles, user, section_limit, accounts, courses, sections, users, term);
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
    type Row = BuiltRow<Enrollment>;
    const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));
    const HAS_ADDRESSES: bool = true;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        const RECORD: &str = enrollment!("page", "reader.level", "?7", "reader.course_ids");
        const COURSE_IDS: &str = course_ids!("level", "caller.needed ->> 'id'");
        let filter: Filter = path.query()?;
        if filter.names_record() {
            return Err(Error::not_found());
        }
        let is_staff = is_staff_of_needed_sql();
        let level = format!("(CASE WHEN caller.needed ->> 'admin' THEN 2 WHEN {is_staff} THEN 1 ELSE 0 END)");
        let has_sis_ids = has_sis_ids_sql(&level, ["?3", "?4", "?5", "?6"]);
        let has_section = has_section_sql("(caller.needed ->> 'section_limit')", "course_section_id");
        let sql = format!(
            "SELECT * FROM enrollments
             WHERE course_id = caller.needed ->> 'id' AND workflow_state IN (SELECT value FROM json_each(?1))
               AND (?2 IS NULL OR type IN (SELECT value FROM json_each(?2)))
               AND (caller.needed ->> 'admin' OR {has_section})
               AND {has_sis_ids}"
        );
        // The limit has SQLite work out once what is the same of all.
        let shown = format!(
            "SELECT id, {RECORD}
             FROM (SELECT level, {COURSE_IDS} AS course_ids
                   FROM (SELECT {level} AS level) LIMIT 1) reader
             CROSS JOIN page"
        );
        let SisFilter { accounts, courses, sections, users } = filter.sis();
        let address = db::begun_text(path.base_url()?);
        let binds = (Json(filter.states()), filter.roles(), accounts, courses, sections, users, address);
        Ok(Lookup::new(sql, binds).shown_by(shown))
    }
}

/// The live enrollments of some users in a course, in the sections that the reader is limited to.
pub(crate) async fn of_users(
    db: &Db,
    view: View,
    course: &CourseAccess,
    users: Vec<UserId>,
) -> db::Result<Vec<EnrollmentOfUser>> {
    let sql = format!(
        "SELECT user_id, {ENROLLMENT} FROM enrollments
         WHERE user_id IN (SELECT value FROM json_each(?4)) AND course_id = ?3
           AND workflow_state NOT IN ('rejected', 'deleted')
           AND {}
         ORDER BY id",
        has_section_sql("?5", "course_section_id")
    );
    db.fetch_all(&sql, (view.reader, view.address, course.id, Json(users), course.section_limit())).await
}

/// An enrollment of the course, to be changed.
pub(crate) async fn known(db: &Db, course: CourseId, id: EnrollmentId) -> db::Result<Option<KnownEnrollment>> {
    let sql = "SELECT id, course_section_id, user_id, type,
             (SELECT u.name FROM users u WHERE u.id = enrollments.user_id) AS user_name
         FROM enrollments WHERE id = ?1 AND course_id = ?2 AND workflow_state <> 'deleted'";
    db.fetch(sql, (id, course)).await
}

/// An enrollment in a course of the account or of one under it.
pub(crate) async fn of_account(
    db: &Db,
    view: View,
    account: AccountId,
    id: EnrollmentId,
) -> db::Result<Option<BuiltJson<Enrollment>>> {
    const ABOVE: &str = accounts_above!(
        "(SELECT c.account_id FROM courses c JOIN enrollments e ON e.course_id = c.id
          WHERE e.id = ?3 AND c.workflow_state <> 'deleted')"
    );
    let sql =
        format!("SELECT {ENROLLMENT} FROM enrollments WHERE id = ?3 AND ?4 IN {ABOVE} AND workflow_state <> 'deleted'");
    fetch(db, &sql, (view.reader, view.address, id, account)).await
}

/// The enrollment that a statement answers.
async fn fetch(db: &Db, sql: &str, binds: impl Binds) -> db::Result<Option<BuiltJson<Enrollment>>> {
    let row: Option<BuiltRow<Enrollment>> = db.fetch(sql, binds).await?;
    Ok(row.map(BuiltRow::into_record))
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
    view: View,
    new: NewEnrollment,
    now: Timestamp,
) -> db::Result<Option<BuiltJson<Enrollment>>> {
    let same = "same.course_section_id = ?3 AND same.user_id = ?4 AND same.type = ?6
                AND ifnull(same.associated_user_id, 0) = ifnull(?5, 0)";
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
         SELECT {ended}, s.root_account_id, s.course_id, s.id, u.id, ?5, ?6, ifnull(?7, 'invited'), ifnull(?8, 0), ?9, ?9
         FROM course_sections s JOIN users u ON u.root_account_id = s.root_account_id
         WHERE s.id = ?3 AND s.workflow_state = 'active' AND u.id = ?4 AND u.workflow_state <> 'deleted'
         ON CONFLICT (course_section_id, user_id, type, ifnull(associated_user_id, 0)) WHERE workflow_state <> 'deleted'
         DO UPDATE SET
             workflow_state = CASE
                 WHEN ?7 IS NOT NULL THEN ?7
                 WHEN workflow_state IN ('completed', 'rejected', 'inactive') THEN 'invited'
                 ELSE workflow_state
             END,
             limit_privileges_to_course_section = ifnull(?8, limit_privileges_to_course_section),
             updated_at = ?9
         ON CONFLICT (id) DO UPDATE SET
             course_id = excluded.course_id, workflow_state = excluded.workflow_state,
             limit_privileges_to_course_section = excluded.limit_privileges_to_course_section, updated_at = ?9
         RETURNING {ENROLLMENT}"
    );
    let NewEnrollment { section, user, observed, role, state, limited } = new;
    let state = state.map(State::name);
    fetch(db, &sql, (view.reader, view.address, section, user, observed, role.name(), state, limited, now)).await
}

/// Nothing, if the enrollment is gone, or is not in the state it must be in.
pub(crate) async fn set_state(
    db: &Db,
    view: View,
    id: EnrollmentId,
    from: Option<&[State]>,
    to: State,
    now: Timestamp,
) -> db::Result<Option<BuiltJson<Enrollment>>> {
    let sql = format!(
        "UPDATE enrollments SET workflow_state = ?5, updated_at = ?6
         WHERE id = ?3 AND workflow_state <> 'deleted' AND (?4 IS NULL OR workflow_state IN (SELECT value FROM json_each(?4)))
         RETURNING {ENROLLMENT}"
    );
    let from = from.map(|states| Json(states.to_vec()));
    fetch(db, &sql, (view.reader, view.address, id, from, to.name(), now)).await
}

/// Answers an invitation; false, if there is none any more.
pub(crate) async fn answer(db: &Db, id: EnrollmentId, answer: State, now: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE enrollments SET workflow_state = ?2, updated_at = ?3
         WHERE id = ?1 AND workflow_state = 'invited'
         RETURNING id";
    db.affects(sql, (id, answer.name(), now)).await
}
