//! The end of a session: it is scored, and becomes an attempt.

use serde::Deserialize;
use serde_json::Value;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, QuizSessionId, UserId};
use shared::{Db, Timestamp};

use crate::model::scores::Marks;

/// Ends a session that runs, if its answers are those that were scored; false otherwise.
pub(crate) async fn submit(db: &Db, id: QuizSessionId, marks: &Marks, submitted_at: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE quiz_sessions SET state = 'submitted', submitted_at = ?2, score = ?3, is_scored = ?4
               WHERE id = ?1 AND state = 'taking' AND ?5 = (
                   SELECT CAST(total(w.version) AS INTEGER) FROM quiz_session_answers w WHERE w.session_id = ?1)
               RETURNING id";
    db.affects(sql, (id, submitted_at, marks.score, marks.is_scored, marks.versions)).await
}

/// Keeps what each answer is worth, with a row for each question that was not answered.
pub(crate) async fn set_marks(db: &Db, id: QuizSessionId, marks: &Marks) -> db::Result<()> {
    db.execute(
        "INSERT INTO quiz_session_answers (session_id, item_id, version, points, parts)
         SELECT ?1, mark.value ->> 'item_id', 0, mark.value ->> 'points', mark.value ->> 'parts'
         FROM json_each(?2) mark WHERE TRUE
         ON CONFLICT (session_id, item_id) DO UPDATE SET points = excluded.points, parts = excluded.parts",
        (id, Json(&marks.marks)),
    )
    .await
}

/// The attempt that a session becomes.
#[derive(Deserialize)]
pub(crate) struct NewAttempt {
    pub(crate) id: i64,
    pub(crate) attempt: i64,
}

/// Makes an attempt of the responses, behind those that there are.
pub(crate) async fn insert_attempt(
    db: &Db,
    quiz: AssignmentId,
    user: UserId,
    responses: &Value,
    now: Timestamp,
) -> db::Result<NewAttempt> {
    db.fetch_one(
        "INSERT INTO quiz_attempts (assignment_id, user_id, attempt, responses, created_at)
         SELECT ?1, ?2, 1 + ifnull(max(attempt), 0), ?3, ?4 FROM quiz_attempts WHERE assignment_id = ?1 AND user_id = ?2
         RETURNING id, attempt",
        (quiz, user, Json(responses), now),
    )
    .await
}

/// Notes which attempt a session has become.
pub(crate) async fn set_attempt(db: &Db, id: QuizSessionId, attempt: &NewAttempt) -> db::Result<()> {
    let sql = "UPDATE quiz_sessions SET quiz_attempt_id = ?2, attempt = ?3 WHERE id = ?1";
    db.execute(sql, (id, attempt.id, attempt.attempt)).await
}
