//! Those who are limited to their own sections of a course: they see and change nothing of the others.
//!
//! A user who is active in the course by nothing but enrollments that limit their privileges to the section is limited to
//! these sections; whoever administers the course is not. [`CourseAccess::section_limit`](super::CourseAccess::section_limit)
//! has the sections, and statements which judge several courses find them with [`section_limit!`](crate::section_limit).

use database::Json;
use types::ids::SectionId;

/// The sections that somebody is limited to; none, where there is no limit.
pub type SectionLimit = Option<Json<Vec<SectionId>>>;

/// The sections of the course that the user is limited to, as a list in JSON, or null where there is no limit; both are
/// expressions of the statement around it. Administrators are for that statement to leave out.
#[macro_export]
macro_rules! section_limit {
    ($user:literal, $course:literal) => {
        concat!(
            "(SELECT iif(min(own.limit_privileges_to_course_section), json_group_array(DISTINCT own.course_section_id), NULL)
              FROM enrollments own
              WHERE own.user_id = ",
            $user,
            " AND own.course_id = ",
            $course,
            " AND own.workflow_state = 'active')"
        )
    };
}

/// The sections that the caller is limited to in a course that is needed, as [`CourseAccess::section_limit`](super::CourseAccess::section_limit)
/// has them: a list in JSON, or null where there is no limit. `{course}` is the course in JSON, an expression such as
/// `caller.needed`.
pub fn of_needed_sql(course: &str) -> String {
    format!("iif({course} ->> 'admin', NULL, {course} ->> 'section_limit')")
}

/// True if a limit, which is a list in JSON or null, has the section, or if there is none.
pub fn has_section_sql(limit: &str, section: &str) -> String {
    format!("({limit} IS NULL OR {section} IN (SELECT value FROM json_each({limit})))")
}

/// True if a user belongs to a section of the limit, as whatever, or if there is no limit.
pub fn has_member_sql(limit: &str, user: &str, course: &str) -> String {
    has_enrollment_sql(limit, user, course, "part.workflow_state NOT IN ('rejected', 'deleted')")
}

/// True if a user is or was a student of a section of the limit, or if there is no limit.
pub fn has_student_sql(limit: &str, user: &str, course: &str) -> String {
    let took_part = "part.type = 'StudentEnrollment' AND part.workflow_state IN ('active', 'completed', 'inactive')";
    has_enrollment_sql(limit, user, course, took_part)
}

fn has_enrollment_sql(limit: &str, user: &str, course: &str, condition: &str) -> String {
    format!(
        "({limit} IS NULL OR EXISTS (
             SELECT 1 FROM enrollments part
             WHERE part.user_id = {user} AND part.course_id = {course} AND {condition}
               AND part.course_section_id IN (SELECT value FROM json_each({limit}))))"
    )
}
