//! The end of courses and their return, whichever area does it.

use database::{Db, Json};
use types::clock::Timestamp;
use types::ids::CourseId;

/// The term of a row of `courses` that is brought back: its own, or the default term where that is deleted.
pub const LIVING_TERM: &str = "ifnull(
    (SELECT t.id FROM enrollment_terms t WHERE t.id = courses.enrollment_term_id AND t.workflow_state <> 'deleted'),
    (SELECT t.id FROM enrollment_terms t WHERE t.root_account_id = courses.root_account_id AND t.is_default = 1))";

/// Sections that were taught in courses that are gone go back to those to which they belong, with their enrollments.
/// `db` is in a transaction.
pub async fn return_sections(db: &Db, courses: &[CourseId], now: Timestamp) -> database::Result<()> {
    let enrollments = "UPDATE enrollments SET course_id = s.nonxlist_course_id, updated_at = ?2
         FROM course_sections s
         WHERE s.course_id IN (SELECT value FROM json_each(?1)) AND s.nonxlist_course_id IS NOT NULL
           AND s.workflow_state = 'active'
           AND enrollments.course_id = s.course_id AND enrollments.course_section_id = s.id";
    db.execute(enrollments, (Json(courses), now)).await?;
    let sections = "UPDATE course_sections
         SET course_id = nonxlist_course_id, nonxlist_course_id = NULL, default_section = 0, updated_at = ?2
         WHERE course_id IN (SELECT value FROM json_each(?1)) AND nonxlist_course_id IS NOT NULL
           AND workflow_state = 'active'";
    db.execute(sections, (Json(courses), now)).await
}
