//! Attempts at new quizzes.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, UserId};
use shared::{Db, JsonSchema, Timestamp};

/// The answer of a student.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    pub id: i64,
    /// 1 is the student's first.
    pub attempt: i64,
    /// Null to graders while the work is graded anonymously.
    pub user_id: Option<UserId>,
    pub created_at: Timestamp,
    /// Null to students where the quiz does not show them.
    pub responses: Option<Json>,
}

/// The limits of a student's attempts at a quiz, however many it allows: so many, and so many bytes of responses in all of
/// them.
const MAX_ATTEMPTS: i64 = 250;
const MAX_RESPONSE_BYTES: i64 = 8 * 1024 * 1024;

/// The number of attempts of a user at a quiz.
pub async fn count(db: &Db, quiz: AssignmentId, user: UserId) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct Row {
        count: i64,
    }
    let sql = "SELECT count(*) AS count FROM quiz_attempts WHERE assignment_id = ?1 AND user_id = ?2";
    let row: Row = db.fetch_one(sql, (quiz, user)).await?;
    Ok(row.count)
}

/// Counts the user's attempts and adds the next in one statement; none where `most` are there already, or no more are kept.
pub async fn insert(
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
