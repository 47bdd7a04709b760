//! Attempts at new quizzes.

use ::submissions::attempts::Attempt;
use ::submissions::posting::is_anonymous;
use shared::auth::CourseAccess;
use shared::auth::section_limit::has_student_sql;
use shared::ids::{AssignmentId, UserId};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result};

/// The attempts of a user; or of everybody, in the sections of the course that the reader is limited to.
pub(crate) async fn page(
    db: &Db,
    course: &CourseAccess,
    quiz: AssignmentId,
    whose: Option<UserId>,
    page: &Page,
) -> Result<Paged<Attempt>> {
    let sql = format!(
        "SELECT id, attempt, iif(?2 IS NULL AND {}, NULL, user_id) AS user_id, created_at, responses FROM quiz_attempts
         WHERE assignment_id = ?1 AND (?2 IS NULL OR user_id = ?2) AND {}",
        is_anonymous("quiz_attempts.assignment_id", "quiz_attempts.user_id"),
        has_student_sql("?3", "quiz_attempts.user_id", "?4")
    );
    let limit = course.section_limit().filter(|_| whose.is_none());
    page.fetch_keyset(db, &sql, (quiz, whose, limit, course.id), Key::ascending(&["id"])).await
}
