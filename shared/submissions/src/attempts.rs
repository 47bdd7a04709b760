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

/// True if a user takes a quiz in a session, as an expression of SQL. Both are given as expressions.
pub fn is_taken(quiz: &str, user: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM quiz_sessions running
                 WHERE running.assignment_id = {quiz} AND running.user_id = {user} AND running.is_preview = 0
                   AND running.state = 'taking')"
    )
}

/// What a user has made of a quiz until now.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Progress {
    /// The attempts that are made.
    pub count: i64,
    /// True if the user takes the quiz now.
    pub is_taken: bool,
}

impl Progress {
    /// True if the last of so many attempts is made, and none is made now; `None`: they have no end.
    pub fn has_none_left(self, most: Option<i64>) -> bool {
        !self.is_taken && most.is_some_and(|most| self.count >= most)
    }
}

/// The progress of a user with a quiz.
pub async fn progress(db: &Db, quiz: AssignmentId, user: UserId) -> db::Result<Progress> {
    let is_taken = is_taken("?1", "?2");
    let sql = format!(
        "SELECT count(*) AS count, {is_taken} AS is_taken FROM quiz_attempts WHERE assignment_id = ?1 AND user_id = ?2"
    );
    db.fetch_one(&sql, (quiz, user)).await
}

/// Counts the user's attempts and adds the next in one statement; none where `most` are there already, no more are kept, or the
/// user takes the quiz in a session, which is the next.
pub async fn insert(
    db: &Db,
    quiz: AssignmentId,
    user: UserId,
    responses: Value,
    most: Option<i64>,
    now: Timestamp,
) -> db::Result<Option<Attempt>> {
    let is_taken = is_taken("?1", "?2");
    let sql = format!(
        "INSERT INTO quiz_attempts (assignment_id, user_id, attempt, responses, created_at)
         SELECT ?1, ?2, 1 + ifnull(latest, 0), ?3, ?4
         FROM (
             SELECT count(*) AS made, max(attempt) AS latest, total(length(CAST(responses AS BLOB))) AS bytes
             FROM quiz_attempts WHERE assignment_id = ?1 AND user_id = ?2
         )
         WHERE made < min(ifnull(?5, ?6), ?6) AND bytes + length(CAST(?3 AS BLOB)) <= ?7 AND NOT {is_taken}
         RETURNING id, attempt, user_id, created_at, responses"
    );
    db.fetch(&sql, (quiz, user, Json(responses), now, most, MAX_ATTEMPTS, MAX_RESPONSE_BYTES)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_left_while_one_is_made() {
        let made = |count, is_taken| Progress { count, is_taken };
        assert!(made(2, false).has_none_left(Some(2)) && made(3, false).has_none_left(Some(2)));
        assert!(!made(1, false).has_none_left(Some(2)) && !made(9, false).has_none_left(None));
        assert!(!made(2, true).has_none_left(Some(2)));
    }
}
