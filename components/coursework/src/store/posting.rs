//! Posting grades, and hiding them.

use ::submissions::posting::posts_manually;
use ::submissions::store::select;
use shared::auth::SectionLimit;
use shared::auth::section_limit::has_student_sql;
use shared::db::{self, IdRow, Json};
use shared::ids::{AssignmentId, CourseId, SectionId, SubmissionId};
use shared::{Db, Timestamp};

use crate::store::submissions::Row;

/// What becomes of grades.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Posting {
    Posted {
        /// True if it becomes of those alone that are given.
        graded_only: bool,
    },
    Hidden,
}

impl Posting {
    /// True if it becomes of grades that are given later, too.
    pub(crate) fn is_for_all(self) -> bool {
        self == Self::Posted { graded_only: false }
    }
}

/// True if all are sections of the course.
pub(crate) async fn are_sections_of(db: &Db, course: CourseId, sections: &[SectionId]) -> db::Result<bool> {
    if sections.is_empty() {
        return Ok(true);
    }
    let sql = "SELECT 1 AS stranger FROM json_each(?2) one
               WHERE NOT EXISTS (SELECT 1 FROM course_sections s
                                 WHERE s.id = one.value AND s.course_id = ?1 AND s.workflow_state <> 'deleted') LIMIT 1";
    Ok(!db.affects(sql, (course, Json(sections))).await?)
}

/// The submissions of which it becomes so, and that are otherwise: of students of the limit's sections and of the other ones that
/// are named.
pub(crate) async fn to_change(
    db: &Db,
    assignment: AssignmentId,
    posting: Posting,
    limit: SectionLimit,
    sections: Option<&[SectionId]>,
) -> db::Result<Vec<SubmissionId>> {
    let is_unposted = format!("(s.is_hidden OR (s.posted_at IS NULL AND {}))", posts_manually("a"));
    let is_changed = match posting {
        Posting::Posted { graded_only: false } => is_unposted,
        Posting::Posted { graded_only: true } => format!("s.graded_at IS NOT NULL AND {is_unposted}"),
        Posting::Hidden => format!("(s.graded_at IS NOT NULL OR s.posted_at IS NOT NULL) AND NOT {is_unposted}"),
    };
    let sql = format!(
        "SELECT s.id FROM submissions s JOIN assignments a ON a.id = s.assignment_id
         WHERE s.assignment_id = ?1 AND {is_changed} AND {}
           AND (?3 IS NULL OR EXISTS (
               SELECT 1 FROM enrollments e
               WHERE e.user_id = s.user_id AND e.course_id = s.course_id AND e.type = 'StudentEnrollment'
                 AND e.workflow_state IN ('active', 'completed', 'inactive')
                 AND e.course_section_id IN (SELECT value FROM json_each(?3))))
         ORDER BY s.id",
        has_student_sql("?2", "s.user_id", "s.course_id")
    );
    let ids: Vec<IdRow<SubmissionId>> = db.fetch_all(&sql, (assignment, limit, sections.map(Json))).await?;
    Ok(ids.into_iter().map(|row| row.id).collect())
}

/// Posts or hides what these submissions have. Grades that are given later follow the assignment.
pub(crate) async fn set(db: &Db, ids: &[SubmissionId], posting: Posting, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE submissions
               SET posted_at = iif(?2, ?3, NULL), is_hidden = NOT ?2 AND graded_at IS NOT NULL, updated_at = ?3
               WHERE id IN (SELECT value FROM json_each(?1))";
    db.execute(sql, (Json(ids), posting != Posting::Hidden, now)).await
}

/// These submissions as they are now.
pub(crate) async fn rows(db: &Db, ids: &[SubmissionId]) -> db::Result<Vec<Row>> {
    let sql = format!("{} WHERE s.id IN (SELECT value FROM json_each(?1)) ORDER BY s.id", select());
    db.fetch_all(&sql, (Json(ids),)).await
}
