//! Attempts at new quizzes.

use serde::Deserialize;
use serde_json::Value;
use shared::auth::CourseAccess;
use shared::auth::section_limit::has_student_sql;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, UserId};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp};

use crate::model::attempts::Attempt;

/// The attempts of a user; or of everybody, in the sections of the course that the reader is limited to.
pub(crate) async fn page(
    db: &Db,
    course: &CourseAccess,
    quiz: AssignmentId,
    whose: Option<UserId>,
    page: &Page,
) -> Result<Paged<Attempt>> {
    let sql = format!(
        "SELECT id, attempt, user_id, created_at, responses FROM quiz_attempts
         WHERE assignment_id = ?1 AND (?2 IS NULL OR user_id = ?2) AND {}",
        has_student_sql("?3", "quiz_attempts.user_id", "?4")
    );
    let limit = course.section_limit().filter(|_| whose.is_none());
    page.fetch_keyset(db, &sql, (quiz, whose, limit, course.id), Key::ascending(&["id"])).await
}

/// The limits of a student's attempts at a quiz, however many it allows: so many, and so many bytes of responses in all of
/// them.
const MAX_ATTEMPTS: i64 = 250;
const MAX_RESPONSE_BYTES: i64 = 8 * 1024 * 1024;

pub(crate) async fn count(db: &Db, quiz: AssignmentId, user: UserId) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct Row {
        count: i64,
    }
    let sql = "SELECT count(*) AS count FROM quiz_attempts WHERE assignment_id = ?1 AND user_id = ?2";
    let row: Row = db.fetch_one(sql, (quiz, user)).await?;
    Ok(row.count)
}

/// Counts the user's attempts and adds the next in one statement; none where `most` are there already, or no more are kept.
pub(crate) async fn insert(
    db: &Db,
    quiz: AssignmentId,
    user: UserId,
    responses: Value,
    most: Option<i64>,
    now: Timestamp,
) -> db::Result<Option<Attempt>> {
    db.fetch(
        "INSERT INTO quiz_attempts (assignment_id, user_id, attempt, responses, created_at)
         SELECT ?1, ?2, 1 + ifnull(latest, 0), ?3, ?4
         FROM (
             SELECT count(*) AS made, max(attempt) AS latest, total(length(CAST(responses AS BLOB))) AS bytes
             FROM quiz_attempts WHERE assignment_id = ?1 AND user_id = ?2
         )
         WHERE made < min(ifnull(?5, ?6), ?6) AND bytes + length(CAST(?3 AS BLOB)) <= ?7
         RETURNING id, attempt, user_id, created_at, responses",
        (quiz, user, Json(responses), now, most, MAX_ATTEMPTS, MAX_RESPONSE_BYTES),
    )
    .await
}
