//! Those who are told: users by name, or all of a kind, whom the statement finds itself.

use std::borrow::Cow;

use serde_json::{Value, json};
use types::ids::{AccountId, AssignmentId, CourseId, SectionId, UserId};

use crate::auth::Right;

/// Those who are told. Of a course that is not open students and observers are told nothing.
#[derive(Debug, Clone, Copy)]
pub enum Recipients<'a> {
    /// These users.
    Users(&'a [UserId]),
    /// Each of these users, with a text of its own.
    Each(&'a [Item]),
    /// One user of a course, as long as that one takes part in it and it is open.
    Participant {
        /// The course.
        course: CourseId,
        /// The user.
        user: UserId,
    },
    /// Users of a course, as long as they take part in it and it is open.
    Named {
        /// The course.
        course: CourseId,
        /// The users.
        users: &'a [UserId],
    },
    /// The students of an open course, and who observes.
    Students {
        /// The course.
        course: CourseId,
    },
    /// The students of an open course who have not handed anything in for an assignment of it.
    StudentsWithoutWork {
        /// The course.
        course: CourseId,
        /// The assignment.
        assignment: AssignmentId,
    },
    /// All who take part in an open course.
    Participants {
        /// The course.
        course: CourseId,
    },
    /// Those who teach a student of an open course: those who are kept to their own sections only if the student is in one.
    Teachers {
        /// The course.
        course: CourseId,
        /// The student.
        student: UserId,
    },
    /// The students of an open course, and who observes, whose enrollments are in a state.
    Enrolled {
        /// The course.
        course: CourseId,
        /// `active` or `invited`.
        state: &'static str,
    },
    /// Those who are enrolled in a section, where the course is open, or else where the enrollment is that of staff.
    Enrollee {
        /// The section.
        section: SectionId,
        /// The user.
        user: UserId,
    },
    /// Those who administer an account.
    Administrators {
        /// The account.
        account: AccountId,
    },
}

/// The notification of one user.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Item {
    /// Who.
    pub user: UserId,
    /// One line, or what is made one.
    pub subject: String,
    /// Plain text.
    pub body: String,
}

/// Active enrollments `e` in an open course, of sections that are there.
const ACTIVE_IN_OPEN_COURSE: &str = "SELECT DISTINCT e.user_id, ?7, ?8
     FROM enrollments e
     JOIN courses k ON k.id = e.course_id AND k.workflow_state = 'available'
     JOIN course_sections s ON s.id = e.course_section_id AND s.workflow_state = 'active'
     WHERE e.course_id = ?1 ->> 'course' AND e.workflow_state = 'active'";

const USERS: &str = "SELECT named.value, ?7, ?8 FROM json_each(?1) AS named";
const EACH: &str =
    "SELECT named.value ->> 'user', named.value ->> 'subject', named.value ->> 'body' FROM json_each(?1) AS named";
const ADMINISTRATORS: &str = "SELECT user_id, ?7, ?8 FROM account_admins WHERE account_id = ?1 ->> 'account'";

fn participant() -> String {
    format!("{ACTIVE_IN_OPEN_COURSE} AND e.user_id = ?1 ->> 'user'")
}

fn named() -> String {
    format!("{ACTIVE_IN_OPEN_COURSE} AND e.user_id IN (SELECT named.value FROM json_each(?1, '$.users') AS named)")
}

fn students() -> String {
    format!("{ACTIVE_IN_OPEN_COURSE} AND e.type IN {}", Right::ReadAsStaff.other_roles_sql())
}

fn students_without_work() -> String {
    format!(
        "{ACTIVE_IN_OPEN_COURSE} AND e.type = 'StudentEnrollment' AND NOT EXISTS (
             SELECT 1 FROM submissions w
             WHERE w.assignment_id = ?1 ->> 'assignment' AND w.user_id = e.user_id
               AND (w.submitted_at IS NOT NULL OR w.graded_at IS NOT NULL))"
    )
}

fn teachers() -> String {
    format!(
        "{ACTIVE_IN_OPEN_COURSE} AND e.type IN {}
           AND (NOT e.limit_privileges_to_course_section OR EXISTS (
               SELECT 1 FROM enrollments own
               WHERE own.user_id = ?1 ->> 'student' AND own.course_id = e.course_id
                 AND own.course_section_id = e.course_section_id AND own.type = 'StudentEnrollment'
                 AND own.workflow_state IN ('active', 'invited', 'completed')))",
        Right::ManageGrades.roles_sql()
    )
}

fn enrolled() -> String {
    format!(
        "SELECT DISTINCT e.user_id, ?7, ?8
         FROM enrollments e
         JOIN courses k ON k.id = e.course_id AND k.workflow_state = 'available'
         WHERE e.course_id = ?1 ->> 'course' AND e.workflow_state = ?1 ->> 'state' AND e.type IN {}",
        Right::ReadAsStaff.other_roles_sql()
    )
}

fn enrollee() -> String {
    format!(
        "SELECT DISTINCT e.user_id, ?7, ?8
         FROM enrollments e
         JOIN courses k ON k.id = e.course_id
         WHERE e.course_section_id = ?1 ->> 'section' AND e.user_id = ?1 ->> 'user'
           AND e.workflow_state IN ('active', 'invited')
           AND (k.workflow_state = 'available' OR k.workflow_state = 'unpublished' AND e.type IN {})",
        Right::ReadAsStaff.roles_sql()
    )
}

impl Recipients<'_> {
    /// The statement that finds them, with what each is told, and its parameter.
    pub(super) fn found_by(&self) -> (Cow<'static, str>, Value) {
        match *self {
            Self::Users(users) => (USERS.into(), json!(users)),
            Self::Each(items) => (EACH.into(), json!(items)),
            Self::Participant { course, user } => (participant().into(), json!({ "course": course, "user": user })),
            Self::Named { course, users } => (named().into(), json!({ "course": course, "users": users })),
            Self::Students { course } => (students().into(), json!({ "course": course })),
            Self::StudentsWithoutWork { course, assignment } => {
                (students_without_work().into(), json!({ "course": course, "assignment": assignment }))
            }
            Self::Participants { course } => (ACTIVE_IN_OPEN_COURSE.into(), json!({ "course": course })),
            Self::Teachers { course, student } => (teachers().into(), json!({ "course": course, "student": student })),
            Self::Enrolled { course, state } => (enrolled().into(), json!({ "course": course, "state": state })),
            Self::Enrollee { section, user } => (enrollee().into(), json!({ "section": section, "user": user })),
            Self::Administrators { account } => (ADMINISTRATORS.into(), json!({ "account": account })),
        }
    }
}
