//! Courses: which one is named, and what the caller may do in it.
//!
//! Rights follow from the caller's active enrollments and from administering the course's account or one above it.
//! The roles' rights are those that the reference system ships with; the words that the contract has for them stand in
//! `docs/contract/README.md`.

use database::{Db, Json};
use serde::Deserialize;
use types::JsonSchema;
use types::ids::{AccountId, CourseId, IdOrAlias, SectionId};
use web::error::{Error, Result};
use web::lookup::{self, Lookup, MatchedPath, Record};

use self::Right::{
    Delete, Manage, ManageAssignments, ManageEnrollments, ManageGrades, ManageGroups, ManageSections, Participate,
    Read, ReadAsStaff, ReadRoster,
};
use super::{Caller, SectionLimit};
use crate::{administers_account, section_limit};

/// A right in a course.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// See the course and what is published in it.
    Read,
    /// See what is not published too.
    ReadAsStaff,
    /// See who is enrolled.
    ReadRoster,
    /// Change the course itself.
    Manage,
    /// Delete the course, and make it anew.
    Delete,
    /// Make, change and delete assignments, quizzes, questions and banks.
    ManageAssignments,
    /// See and give grades.
    ManageGrades,
    /// Make, change and delete sections.
    ManageSections,
    /// Enroll users, and end enrollments.
    ManageEnrollments,
    /// Make, change and delete groups of users.
    ManageGroups,
    /// Take part as a student: answer, submit, attempt.
    Participate,
}

/// A type of enrollment, and what its users may do in a course.
struct Role {
    name: &'static str,
    /// In a course of any state.
    always: &'static [Right],
    /// In a course that students see.
    while_open: &'static [Right],
    /// In a course that has not ended.
    while_available: &'static [Right],
}

/// The types of enrollments and their rights. Statements that judge by themselves take the names from here:
/// [`Right::roles_sql`].
const ROLES: [Role; 5] = [
    Role {
        name: "TeacherEnrollment",
        always: &[
            Read,
            ReadAsStaff,
            ReadRoster,
            Manage,
            Delete,
            ManageAssignments,
            ManageGrades,
            ManageSections,
            ManageEnrollments,
            ManageGroups,
        ],
        while_open: &[],
        while_available: &[],
    },
    Role {
        name: "TaEnrollment",
        always: &[Read, ReadAsStaff, ReadRoster, ManageAssignments, ManageGrades, ManageEnrollments, ManageGroups],
        while_open: &[],
        while_available: &[],
    },
    Role {
        name: "DesignerEnrollment",
        always: &[Read, ReadAsStaff, ReadRoster, Manage, ManageAssignments, ManageSections, ManageGroups],
        while_open: &[],
        while_available: &[],
    },
    Role { name: "StudentEnrollment", always: &[], while_open: &[Read, ReadRoster], while_available: &[Participate] },
    Role { name: "ObserverEnrollment", always: &[], while_open: &[Read], while_available: &[] },
];

impl Right {
    /// The types of enrollments whose users have the right in a course of any state, as the list of a statement:
    /// `type IN {list}`.
    pub fn roles_sql(self) -> String {
        list_sql(|role| role.always.contains(&self))
    }

    /// All other types.
    pub fn other_roles_sql(self) -> String {
        list_sql(|role| !role.always.contains(&self))
    }
}

/// The states of a course that students see.
const OPEN_STATES: [&str; 2] = ["available", "completed"];

/// The states of a course that students see, as the list of a statement: `workflow_state IN {list}`.
pub fn open_states_sql() -> String {
    quoted_list(OPEN_STATES)
}

fn list_sql(is_listed: impl Fn(&Role) -> bool) -> String {
    quoted_list(ROLES.iter().filter(|role| is_listed(role)).map(|role| role.name))
}

fn quoted_list(names: impl IntoIterator<Item = &'static str>) -> String {
    let names: Vec<_> = names.into_iter().map(|name| format!("'{name}'")).collect();
    format!("({})", names.join(", "))
}

/// A course, and what the caller may do in it.
#[derive(Debug, Clone, Deserialize)]
pub struct CourseAccess {
    /// Its id.
    pub id: CourseId,
    /// The tenant it belongs to.
    pub root_account: AccountId,
    /// The account it stands in.
    pub account: AccountId,
    /// Its name.
    pub name: String,
    /// `unpublished`, `available` or `completed`.
    pub workflow_state: String,
    /// True if everybody of the tenant may see it.
    is_public: bool,
    /// True if the caller administers the account or one above it.
    pub admin: bool,
    /// The types of the caller's active enrollments: `TeacherEnrollment`, …
    roles: Json<Vec<String>>,
    /// As the caller's enrollments have it: who administers the course has none.
    section_limit: SectionLimit,
}

impl CourseAccess {
    /// True if the caller has the right.
    pub fn can(&self, right: Right) -> bool {
        self.admin || self.roles.0.iter().any(|role| self.role_can(role, right)) || self.public_can(right)
    }

    /// 403 unless the caller has the right.
    pub fn require(&self, right: Right) -> Result<()> {
        if self.can(right) { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// True if the caller has an active enrollment of that type.
    pub fn is_enrolled_as(&self, role: &str) -> bool {
        self.roles.0.iter().any(|own| own == role)
    }

    /// True if the caller belongs to the course: is enrolled in it, or administers it.
    pub fn is_member(&self) -> bool {
        self.admin || !self.roles.0.is_empty()
    }

    /// The sections that the caller is limited to; none, where there is no limit.
    pub fn section_limit(&self) -> SectionLimit {
        self.section_limit.clone().filter(|_| !self.admin)
    }

    /// 403 where the caller is limited to other sections. No section is the whole course.
    pub fn require_section(&self, section: Option<SectionId>) -> Result<()> {
        require_section(&self.section_limit(), section)
    }

    fn public_can(&self, right: Right) -> bool {
        right == Right::Read && self.is_public && self.is_open()
    }

    /// True if students see it.
    fn is_open(&self) -> bool {
        OPEN_STATES.contains(&self.workflow_state.as_str())
    }

    fn role_can(&self, role: &str, right: Right) -> bool {
        ROLES.iter().find(|known| known.name == role).is_some_and(|role| {
            role.always.contains(&right)
                || (self.is_open() && role.while_open.contains(&right))
                || (self.workflow_state == "available" && role.while_available.contains(&right))
        })
    }
}

/// 403 where the limit has not the section. No section is the whole course.
pub fn require_section(limit: &SectionLimit, section: Option<SectionId>) -> Result<()> {
    let has = |limit: &Json<Vec<SectionId>>| section.is_some_and(|section| limit.0.contains(&section));
    if limit.as_ref().is_none_or(has) { Ok(()) } else { Err(Error::forbidden()) }
}

/// A path to something of a course.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CoursePath {
    #[expect(missing_docs, reason = "the type says in the description how it is named")]
    pub course_id: IdOrAlias<CourseId>,
}

/// The course that is named; 404 where the caller's tenant has none like that.
pub async fn course(db: &Db, caller: &Caller, named: &IdOrAlias<CourseId>) -> Result<CourseAccess> {
    lookup::find(db, caller, lookup(named)?).await
}

impl Record for CourseAccess {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        lookup(&path.behind("courses")?.unwrap_or(IdOrAlias::Own))
    }
}

/// The courses of the caller's tenant, and what the caller may do in them.
const COURSES: &str = concat!(
    "
    SELECT c.id, c.root_account_id AS root_account, c.account_id AS account, c.name, c.workflow_state, c.is_public,
           caller.site_admin OR ",
    administers_account!("caller.user_id", "c.account_id"),
    " AS admin,
           (SELECT json_group_array(DISTINCT type) FROM enrollments
            WHERE user_id = caller.user_id AND course_id = c.id AND workflow_state = 'active') AS roles,
           ",
    section_limit!("caller.user_id", "c.id"),
    " AS section_limit
    FROM courses c
    WHERE c.workflow_state <> 'deleted' AND (caller.site_admin OR c.root_account_id = caller.root_account_id)"
);

impl CourseAccess {
    /// The statement of a lookup that finds a course by an expression of its id.
    pub fn by_id(id: &str) -> String {
        format!("{COURSES} AND c.id = {id}")
    }
}

/// True if the caller has [`Right::ReadAsStaff`] in the course that is needed, for what is prefetched.
pub fn is_staff_of_needed_sql() -> String {
    format!(
        "(caller.needed ->> 'admin' OR EXISTS (
            SELECT 1 FROM json_each(caller.needed ->> 'roles') WHERE value IN {}))",
        ReadAsStaff.roles_sql()
    )
}

fn lookup(named: &IdOrAlias<CourseId>) -> Result<Lookup> {
    let (id, column, value) = match named {
        IdOrAlias::Own => return Err(Error::not_found()),
        IdOrAlias::Id(id) => (Some(*id), "id", None),
        IdOrAlias::Other(prefix, value) => match prefix.as_str() {
            "sis_course_id" => (None, "sis_course_id", Some(value.as_str())),
            "uuid" | "lti_context_id" => (None, "uuid", Some(value.as_str())),
            _ => return Err(Error::not_found()),
        },
    };
    let sql = CourseAccess::by_id(
        "CASE ?2
             WHEN 'id' THEN ?1
             WHEN 'uuid' THEN (SELECT id FROM courses WHERE uuid = ?3)
             ELSE (SELECT id FROM courses
                   WHERE sis_course_id = ?3 AND root_account_id = caller.root_account_id AND workflow_state <> 'deleted')
         END",
    );
    Ok(Lookup::new(sql, (id, column, value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(roles: &[&str], workflow_state: &str) -> CourseAccess {
        CourseAccess {
            id: CourseId(1),
            root_account: AccountId(1),
            account: AccountId(1),
            name: String::new(),
            workflow_state: workflow_state.to_owned(),
            is_public: false,
            admin: false,
            roles: Json(roles.iter().map(ToString::to_string).collect()),
            section_limit: None,
        }
    }

    #[test]
    fn students_see_a_course_only_when_it_is_open() {
        assert!(course(&["StudentEnrollment"], "available").can(Right::Read));
        assert!(!course(&["StudentEnrollment"], "unpublished").can(Right::Read));
        assert!(course(&["TeacherEnrollment"], "unpublished").can(Right::Read));
    }

    #[test]
    fn who_is_limited_to_sections_reaches_these_alone_and_an_administrator_all() {
        let mut course = course(&["TeacherEnrollment"], "available");
        assert!(course.require_section(None).is_ok() && course.require_section(Some(SectionId(8))).is_ok());
        course.section_limit = Some(Json(vec![SectionId(7)]));
        assert!(course.require_section(Some(SectionId(7))).is_ok());
        assert!(course.require_section(Some(SectionId(8))).is_err() && course.require_section(None).is_err());
        course.admin = true;
        assert!(course.require_section(None).is_ok() && course.section_limit().is_none());
    }

    #[test]
    fn each_role_has_its_rights() {
        let can = |role, right| course(&[role], "available").can(right);
        assert!(can("TaEnrollment", Right::ManageAssignments) && !can("TaEnrollment", Right::Manage));
        assert!(can("DesignerEnrollment", Right::ManageAssignments) && !can("DesignerEnrollment", Right::ManageGrades));
        assert!(!can("StudentEnrollment", Right::ManageAssignments) && can("StudentEnrollment", Right::Participate));
        assert!(can("ObserverEnrollment", Right::Read) && !can("ObserverEnrollment", Right::Participate));
        assert!(!course(&[], "available").can(Right::Read));
        assert!(can("TeacherEnrollment", Right::Delete) && !can("DesignerEnrollment", Right::Delete));
        assert!(!can("TeacherEnrollment", Right::Participate) && !can("OwnerEnrollment", Right::Read));
    }

    #[test]
    fn statements_name_those_who_have_the_right_whatever_state_the_course_is_in() {
        let staff = "('TeacherEnrollment', 'TaEnrollment', 'DesignerEnrollment')";
        assert_eq!(Right::ReadAsStaff.roles_sql(), staff);
        assert_eq!(Right::ManageAssignments.roles_sql(), staff);
        assert_eq!(Right::ReadAsStaff.other_roles_sql(), "('StudentEnrollment', 'ObserverEnrollment')");
        for right in [Right::Read, Right::ReadRoster, Right::Manage, Right::ManageGrades, Right::ManageSections] {
            for state in ["unpublished", "available", "completed"] {
                for role in &ROLES {
                    let is_named = right.roles_sql().contains(role.name);
                    assert!(!is_named || course(&[role.name], state).can(right), "{} {right:?} {state}", role.name);
                    assert_ne!(is_named, right.other_roles_sql().contains(role.name), "{} {right:?}", role.name);
                }
            }
        }
    }

    #[test]
    fn an_index_of_those_who_teach_is_used_by_statements_that_name_them() {
        let migration = include_str!("../../../database/migrations/0025_notices.sql");
        assert!(migration.contains(&format!("WHERE type IN {} AND", Right::ManageGrades.roles_sql())));
    }
}
