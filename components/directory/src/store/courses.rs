//! The SQL of courses.

use std::borrow::Cow;

use serde::Deserialize;
use shared::auth::{AccountAccess, Caller, CourseAccess, Right};
use shared::course_events::CourseSnapshot;
use shared::courses::LIVING_TERM;
use shared::db::{self, Changes, IdRow, Json, OnUnique};
use shared::error::OrNotFound;
use shared::ids::{AccountId, CourseId, EnrollmentTermId, IdOrAlias, UserId};
use shared::needs::{self, HasCourse, Lookup, MatchedPath, OfCourse, Record, nested};
use shared::pagination::{Key, Page};
use shared::params::SearchTerm;
use shared::prefetch::{List, Pages};
use shared::{Db, Error, Paged, Result, Timestamp, accounts_above, accounts_below};
use uuid::Uuid;

use crate::model::checks::already_taken;
use crate::model::courses::{Course, CourseSort, CourseState, Include, Parts, UserFilter};
use crate::model::enrollments::{Role, State};
use crate::model::filters::{AnyOf, Direction, Named};

/// The columns of a course: with the enrollments of a user, and with the parts that the second names, a list of JSON.
macro_rules! course {
    ($user:literal, $parts:literal) => {
        concat!(
            "id, account_id, root_account_id, name, course_code, sis_course_id, uuid, start_at, end_at,
    is_public, public_description, syllabus_body, license, default_view, time_zone, workflow_state, created_at,
    enrollment_term_id,
    (SELECT json_group_array(json_object('type', lower(replace(e.type, 'Enrollment', '')), 'role', e.type,
                                         'enrollment_state', e.workflow_state, 'user_id', e.user_id))
     FROM enrollments e
     WHERE e.user_id = ",
            $user,
            " AND e.course_id = courses.id AND e.workflow_state NOT IN ('rejected', 'deleted')) AS enrollments,
    iif(instr(",
            $parts,
            ", '\"total_students\"'), (SELECT count(DISTINCT e.user_id) FROM enrollments e
             WHERE e.course_id = courses.id AND e.type = 'StudentEnrollment'
               AND e.workflow_state IN ('active', 'invited')), NULL) AS total_students,
    iif(instr(",
            $parts,
            ", '\"account\"'), (SELECT json_object('id', a.id, 'name', a.name)
             FROM accounts a WHERE a.id = courses.account_id), NULL) AS account,
    iif(instr(",
            $parts,
            ", '\"term\"'), (SELECT json_object('id', t.id, 'name', t.name, 'start_at', t.start_at, 'end_at', t.end_at,
                                                'created_at', t.created_at, 'workflow_state', t.workflow_state)
             FROM enrollment_terms t WHERE t.id = courses.enrollment_term_id), NULL) AS term,
    iif(instr(",
            $parts,
            ", '\"concluded\"'), workflow_state = 'completed', NULL) AS concluded,
    iif(instr(",
            $parts,
            ", '\"post_manually\"'), post_manually, NULL) AS post_manually,
    iif(instr(",
            $parts,
            ", '\"sections\"'), (
             SELECT json_group_array(json_object('id', s.id, 'name', s.name, 'start_at', s.start_at, 'end_at', s.end_at,
                                                 'enrollment_role', e.type))
             FROM enrollments e JOIN course_sections s ON s.id = e.course_section_id
             WHERE e.user_id = ",
            $user,
            " AND e.course_id = courses.id AND e.workflow_state NOT IN ('rejected', 'deleted')), NULL) AS sections,
    iif(instr(",
            $parts,
            ", '\"teachers\"'), (
             SELECT json_group_array(json_object('id', u.id, 'display_name', u.short_name))
             FROM users u WHERE u.workflow_state <> 'deleted' AND u.id IN (
                 SELECT e.user_id FROM enrollments e
                 WHERE e.course_id = courses.id AND e.type = 'TeacherEnrollment'
                   AND e.workflow_state = 'active')), NULL) AS teachers"
        )
    };
}

/// The order in which the courses of a user are listed.
const BY_ID: Pages = Pages::Keyset(Key::ascending(&["id"]));

/// `?1` is the user whose enrollments are shown, `?2` the parts.
const COURSE: &str = course!("?1", "?2");

/// The course that is needed, as the caller sees it.
impl Record for Course {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        const SQL: &str = concat!(
            "SELECT ",
            course!("caller.user_id", "?1"),
            " FROM courses WHERE id = caller.needed ->> 'id' AND workflow_state <> 'deleted'"
        );
        Ok(Lookup::new(SQL, (Parts::named(&path.query::<Include>()?.include),)))
    }
}

/// A course in the account that a path names, or in one below it.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct CourseOfAccount(CourseAccess);

impl HasCourse for CourseOfAccount {
    fn course(&self) -> &CourseAccess {
        &self.0
    }
}

impl Record for CourseOfAccount {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (course, mut values) = CourseAccess::lookup(path)?.into_parts();
        let account = AccountAccess::lookup(path)?.expression("id", &mut values);
        let above = accounts_above!("course.account");
        Ok(Lookup::new(format!("SELECT * FROM ({course} LIMIT 1) course WHERE {account} IN {above}"), values))
    }
}

/// A course as the page of its settings shows it, with what the caller may do in it.
#[derive(Deserialize)]
pub(crate) struct CourseSettings {
    pub(crate) access: Json<CourseAccess>,
    pub(crate) course: Json<Course>,
    pub(crate) known: Json<KnownCourse>,
}

impl CourseSettings {
    /// The course with that id, as the caller sees it; 404 where there is none.
    pub(crate) async fn find(db: &Db, caller: &Caller, id: CourseId) -> Result<Self> {
        needs::find(db, caller, Self::by_id(id)?).await
    }

    fn by_id(id: CourseId) -> Result<Lookup> {
        const COURSE: &str = concat!("SELECT ", course!("caller.user_id", "'[]'"), " FROM courses WHERE id = ?1");
        let (access, course) = (nested::<CourseAccess>(&CourseAccess::by_id("?1"))?, nested::<Course>(COURSE)?);
        let known = nested::<KnownCourse>(&known_sql("?1")?)?;
        let sql = format!(
            "SELECT * FROM (SELECT {access} AS access, {course} AS course, {known} AS known LIMIT 1)
             WHERE access IS NOT NULL"
        );
        Ok(Lookup::new(sql, (id,)))
    }
}

impl Record for CourseSettings {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Self::by_id(path.id("courses")?)
    }
}

/// A course to be changed.
#[derive(Deserialize, Clone)]
pub(crate) struct KnownCourse {
    /// The fields on which the change is judged, as the text that [`update`] holds against the row as it is then.
    state: String,
}

impl KnownCourse {
    /// The fields on which the change is judged.
    pub(crate) fn snapshot(&self) -> db::Result<CourseSnapshot> {
        db::decode_text(&self.state)
    }
}

impl OfCourse for KnownCourse {
    const WORDS: &'static [&'static str] = &[];

    fn sql() -> Result<Cow<'static, str>> {
        known_sql("course.id").map(Cow::Owned)
    }
}

/// The state of a row of `courses`: see [`KnownCourse`].
fn state_sql() -> Result<String> {
    Ok(format!("({} || '')", nested::<CourseSnapshot>(&format!("SELECT {}", CourseSnapshot::COLUMNS))?))
}

/// The statement that finds a [`KnownCourse`] by an expression of its id.
fn known_sql(id: &str) -> Result<String> {
    Ok(format!("SELECT {} AS state FROM courses WHERE id = {id}", state_sql()?))
}

/// The course as it is now, to be changed; nothing where the account or the term that the changes name is gone.
pub(crate) async fn known(db: &Db, id: CourseId, changes: &Changes) -> Result<Option<KnownCourse>> {
    let sql = format!("{} AND {}", known_sql("?1")?, has_places(2));
    Ok(db.fetch(&sql, (id, changes.clone())).await?)
}

/// A course as a change has left it.
#[derive(Deserialize)]
pub(crate) struct ChangedCourse {
    pub(crate) course: Json<Course>,
    pub(crate) snapshot: Json<CourseSnapshot>,
}

/// The parts of a course that are shown beside its own columns.
#[derive(Clone)]
pub(crate) struct Shown {
    /// Whose enrollments.
    pub(crate) of: UserId,
    pub(crate) parts: Parts,
}

/// Which courses of an account are listed.
pub(crate) struct OfAccount {
    pub(crate) search_term: Option<SearchTerm>,
    pub(crate) enrollment_term: Option<EnrollmentTermId>,
    pub(crate) states: AnyOf<CourseState>,
    pub(crate) with_enrollments: Option<bool>,
    pub(crate) roles: AnyOf<Role>,
    pub(crate) is_public: Option<bool>,
    pub(crate) teachers: AnyOf<UserId>,
    /// Those that begin at this moment or before it, or whenever.
    pub(crate) starts_before: Option<Timestamp>,
    /// Those that end at this moment or after it, or never.
    pub(crate) ends_after: Option<Timestamp>,
    /// True if the search term is looked for in the names of the teachers.
    pub(crate) by_teacher: bool,
    /// Somebody has an enrollment in one of these states.
    pub(crate) enrollment_states: AnyOf<State>,
    /// Those in these accounts or below them.
    pub(crate) subaccounts: Named<AccountId>,
    /// By id unless given.
    pub(crate) sort: Option<CourseSort>,
    pub(crate) order: Direction,
}

/// A deleted course, and where it comes back to.
#[derive(Deserialize, Clone, Copy)]
pub(crate) struct Deleted {
    pub(crate) id: CourseId,
    pub(crate) account_id: AccountId,
}

pub(crate) async fn course(db: &Db, shown: Shown, id: CourseId) -> db::Result<Option<Course>> {
    let sql = format!("SELECT {COURSE} FROM courses WHERE id = ?3 AND workflow_state <> 'deleted'");
    db.fetch(&sql, (shown.of, shown.parts, id)).await
}

/// The courses of the caller.
pub(crate) struct CoursesOfCaller;

/// Those of the user who is needed.
pub(crate) struct CoursesOfUser;

impl List for CoursesOfCaller {
    type Row = Course;
    const PAGES: Pages = BY_ID;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        of_user(course!("caller.user_id", "?1"), "caller.user_id", path)
    }
}

impl List for CoursesOfUser {
    type Row = Course;
    const PAGES: Pages = BY_ID;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        of_user(course!("(caller.needed ->> 'id')", "?1"), "(caller.needed ->> 'id')", path)
    }
}

/// The courses of a user, in those columns. Unless states are asked for, students and observers find only those that are available.
fn of_user(columns: &str, user: &str, path: MatchedPath<'_>) -> Result<Lookup> {
    let filter = path.query::<UserFilter>()?;
    let sql = format!(
        "SELECT {columns} FROM courses WHERE id IN (
             SELECT c.id FROM enrollments e JOIN courses c ON c.id = e.course_id
             WHERE e.user_id = {user} AND c.workflow_state <> 'deleted'
               AND e.workflow_state IN (SELECT value FROM json_each(?2))
               AND (?3 IS NULL OR e.type IN (SELECT value FROM json_each(?3)))
               AND iif(?4 IS NULL,
                       c.workflow_state = 'available' OR e.type IN {},
                       c.workflow_state IN (SELECT value FROM json_each(?4)))
         )",
        Right::ReadAsStaff.roles_sql()
    );
    let (parts, states) = (Parts::named(&filter.include), Json(filter.enrollment_states()));
    let roles = filter.enrollment_type.or(filter.enrollment_role.iter().copied());
    Ok(Lookup::new(sql, (parts, states, roles, filter.state)))
}

/// The courses of an account `?4`, and of those below it, in an order, by the conditions `?5` to `?16`.
fn of_account_sql(which: &OfAccount) -> String {
    const BELOW: &str = accounts_below!("?4");
    const ABOVE: &str = accounts_above!("courses.account_id");
    // As the indexes of this order have it.
    let sort_key = match which.sort {
        Some(CourseSort::CourseName) => ", lower(name) AS sort_key",
        Some(CourseSort::SisCourseId) => ", ifnull(sis_course_id, '') AS sort_key",
        None => "",
    };
    let is_found = is_found_sql(which);
    format!(
        "SELECT {COURSE}{sort_key} FROM courses
         WHERE root_account_id = ?3 AND (?3 = ?4 OR account_id IN {BELOW})
           AND workflow_state IN (SELECT value FROM json_each(?5))
           AND (?6 IS NULL OR {is_found})
           AND (?7 IS NULL OR ?7 = EXISTS (
               SELECT 1 FROM enrollments e
               WHERE e.course_id = courses.id AND e.workflow_state IN ('active', 'invited')))
           AND (?8 IS NULL OR EXISTS (
               SELECT 1 FROM enrollments e
               WHERE e.course_id = courses.id AND e.workflow_state IN ('active', 'invited')
                 AND e.type IN (SELECT value FROM json_each(?8))))
           AND (?9 IS NULL OR is_public = ?9)
           AND (?10 IS NULL OR EXISTS (
               SELECT 1 FROM enrollments e
               WHERE e.course_id = courses.id AND e.type = 'TeacherEnrollment'
                 AND e.workflow_state IN ('active', 'invited')
                 AND e.user_id IN (SELECT value FROM json_each(?10))))
           AND (?11 IS NULL OR start_at IS NULL OR start_at <= ?11)
           AND (?12 IS NULL OR end_at IS NULL OR end_at >= ?12)
           AND (?14 IS NULL OR enrollment_term_id = ?14)
           AND (?15 IS NULL OR EXISTS (
               SELECT 1 FROM enrollments e
               WHERE e.course_id = courses.id AND e.workflow_state IN (SELECT value FROM json_each(?15))))
           AND (?16 IS NULL OR EXISTS (
               SELECT 1 FROM accounts a
               WHERE a.id IN {ABOVE} AND (
                   a.id IN (SELECT value FROM json_each(?16, '$.ids'))
                   OR (a.workflow_state <> 'deleted' AND a.sis_account_id IN (
                           SELECT value ->> 1 FROM json_each(?16, '$.aliases') WHERE value ->> 0 = 'sis_account_id')))))"
    )
}

/// True if the course, or who teaches it, has the term `?6` in its name, or the course is what it names, `?13`.
fn is_found_sql(which: &OfAccount) -> String {
    let contained = |texts: &[&str]| SearchTerm::contained_sql(which.search_term.as_ref(), texts, "?6");
    match which.by_teacher {
        true => format!(
            "EXISTS (
                 SELECT 1 FROM enrollments e JOIN users u ON u.id = e.user_id
                 WHERE e.course_id = courses.id AND e.type = 'TeacherEnrollment'
                   AND e.workflow_state IN ('active', 'invited') AND {})",
            contained(&["u.name"])
        ),
        false => {
            format!("({} OR CAST(id AS TEXT) = ?13 OR sis_course_id = ?13)", contained(&["name", "course_code"]))
        }
    }
}

pub(crate) async fn of_account(
    db: &Db,
    shown: Shown,
    account: &AccountAccess,
    which: OfAccount,
    page: &Page,
) -> Result<Paged<Course>> {
    let term = which.search_term.as_ref();
    let sql = of_account_sql(&which);
    let key = which.order.key(which.sort.is_some());
    let binds = (
        shown.of,
        shown.parts,
        account.root_account,
        account.id,
        which.states,
        term,
        which.with_enrollments,
        which.roles,
        which.is_public,
        which.teachers,
        which.starts_before,
        which.ends_after,
        term.map(SearchTerm::text),
        which.enrollment_term,
        which.enrollment_states,
        which.subaccounts,
    );
    page.fetch_keyset(db, &sql, binds, key).await
}

/// The condition that the account and the term that changes name are there, the changes being that parameter: somebody may
/// have deleted them since they were looked up.
fn has_places(changes: usize) -> String {
    format!(
        "NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = ?{changes} ->> 'account_id' AND a.workflow_state = 'deleted')
         AND NOT EXISTS (SELECT 1 FROM enrollment_terms t
                         WHERE t.id = ?{changes} ->> 'enrollment_term_id' AND t.workflow_state = 'deleted')"
    )
}

/// A course comes with a section of its name, and with its first teacher where the caller wants to be that. 404 where the
/// account or the term is gone.
pub(crate) async fn insert(
    db: &Db,
    account: AccountId,
    new: Changes,
    caller: UserId,
    enroll: bool,
    now: Timestamp,
) -> Result<Course> {
    db.transaction(async |db| {
        let sql = format!(
            "INSERT INTO courses
                 (account_id, root_account_id, name, course_code, sis_course_id, uuid, start_at, end_at, is_public,
                  public_description, syllabus_body, license, default_view, time_zone, workflow_state,
                  created_at, updated_at, enrollment_term_id, post_manually)
             SELECT id, root_account_id, ?2 ->> 'name', ifnull(?2 ->> 'course_code', ?2 ->> 'name'),
                    ?2 ->> 'sis_course_id', ?3, ?2 ->> 'start_at', ?2 ->> 'end_at', ifnull(?2 ->> 'is_public', 0),
                    ?2 ->> 'public_description', ?2 ->> 'syllabus_body', ?2 ->> 'license',
                    ifnull(?2 ->> 'default_view', 'modules'), ?2 ->> 'time_zone', ?2 ->> 'workflow_state', ?4, ?4,
                    ?2 ->> 'enrollment_term_id', ifnull(?2 ->> 'post_manually', 0)
             FROM accounts WHERE id = ?1 AND workflow_state = 'active' AND {}
             RETURNING id",
            has_places(2)
        );
        let made: Option<IdRow<CourseId>> = db
            .fetch(&sql, (account, new, Uuid::new_v4().to_string(), now))
            .await
            .on_unique("courses.root_account_id, courses.sis_course_id", || already_taken("sis_course_id"))?;
        let made = made.or_not_found()?;
        let section = "INSERT INTO course_sections
                 (root_account_id, course_id, name, default_section, created_at, updated_at)
             SELECT root_account_id, id, name, 1, ?2, ?2 FROM courses WHERE id = ?1";
        db.execute(section, (made.id, now)).await?;
        if enroll {
            let teacher = "INSERT INTO enrollments
                     (root_account_id, course_id, course_section_id, user_id, type, workflow_state, created_at, updated_at)
                 SELECT root_account_id, course_id, id, ?2, 'TeacherEnrollment', 'active', ?3, ?3
                 FROM course_sections WHERE course_id = ?1";
            db.execute(teacher, (made.id, caller, now)).await?;
        }
        let shown = Shown { of: caller, parts: Parts::default() };
        course(db, shown, made.id).await?.ok_or_else(|| Error::from(db::Error::NoRow))
    })
    .await
}

/// Changes a course, where it is still in the state in which it was read, and what the changes name is there; nothing
/// otherwise.
pub(crate) async fn update(
    db: &Db,
    caller: UserId,
    id: CourseId,
    known: &KnownCourse,
    changes: Changes,
    now: Timestamp,
) -> Result<Option<ChangedCourse>> {
    let required =
        ["account_id", "name", "course_code", "is_public", "default_view", "post_manually", "workflow_state"];
    let nullable =
        ["sis_course_id", "start_at", "end_at", "public_description", "syllabus_body", "license", "time_zone"];
    let assignments = Changes::assignments(4, &required, &nullable);
    let write = format!(
        "UPDATE courses
         SET {assignments},
             enrollment_term_id = iif(
                 json_type(?4, '$.enrollment_term_id') IS NULL, enrollment_term_id,
                 ifnull(?4 ->> 'enrollment_term_id',
                        (SELECT t.id FROM enrollment_terms t
                         WHERE t.root_account_id = courses.root_account_id AND t.is_default = 1))),
             updated_at = ?5
         WHERE id = ?3 AND workflow_state <> 'deleted' AND {} = ?6 AND {}",
        state_sql()?,
        has_places(4)
    );
    let course = nested::<Course>(&format!("SELECT {COURSE}"))?;
    let snapshot = nested::<CourseSnapshot>(&format!("SELECT {}", CourseSnapshot::COLUMNS))?;
    let changed = format!("SELECT {course} AS course, {snapshot} AS snapshot");
    db.write_and_read(&write, &changed, (caller, Parts::default(), id, changes, now, known.state.as_str()))
        .await
        .on_unique("courses.root_account_id, courses.sis_course_id", || already_taken("sis_course_id"))
}

/// The deleted course that is named, with its account, or the nearest one above that is not deleted. Of several that had the same
/// SIS id, the last one that was deleted.
pub(crate) async fn deleted(db: &Db, caller: &Caller, named: &IdOrAlias<CourseId>) -> db::Result<Option<Deleted>> {
    let (which, id, value) = match named {
        IdOrAlias::Id(id) => ("id = ?1", Some(*id), None),
        IdOrAlias::Other(prefix, value) => match prefix.as_str() {
            "uuid" => ("uuid = ?2", None, Some(value.as_str())),
            "sis_course_id" => ("sis_course_id = ?2 AND root_account_id = ?3", None, Some(value.as_str())),
            _ => return Ok(None),
        },
        IdOrAlias::Own => return Ok(None),
    };
    let sql = format!(
        "SELECT id, account_id FROM (
             SELECT id, updated_at, (
                 SELECT a.id FROM {} up JOIN accounts a ON a.id = up.id
                 WHERE a.workflow_state = 'active' ORDER BY up.distance LIMIT 1
             ) AS account_id
             FROM courses
             WHERE {which} AND workflow_state = 'deleted' AND (?4 IS NULL OR root_account_id = ?4)
         ) WHERE account_id IS NOT NULL ORDER BY updated_at DESC, id DESC LIMIT 1",
        accounts_above!("courses.account_id", "id, distance")
    );
    db.fetch(&sql, (id, value, caller.root_account, caller.tenant())).await
}

/// Brings a deleted course back to the account that was found for it, in the default term where its own is deleted.
pub(crate) async fn undelete(db: &Db, caller: UserId, deleted: Deleted, now: Timestamp) -> Result<Option<Course>> {
    let sql = format!(
        "UPDATE courses
         SET workflow_state = 'unpublished', account_id = ?5, enrollment_term_id = {LIVING_TERM}, updated_at = ?4
         WHERE id = ?3 AND workflow_state = 'deleted'
           AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = ?5 AND a.workflow_state = 'active')
         RETURNING {COURSE}"
    );
    db.fetch(&sql, (caller, Parts::default(), deleted.id, now, deleted.account_id))
        .await
        .on_unique("courses.root_account_id, courses.sis_course_id", || already_taken("sis_course_id"))
}
