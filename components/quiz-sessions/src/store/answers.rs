//! Answers of sessions.

use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::QuizSessionId;
use shared::{Db, Timestamp};

use crate::model::answers::{AnswerRow, NewAnswer};
use crate::model::items::AskedQuestion;
use crate::store::sessions::{answers_sql, questions_sql};

/// What an answer is held against: the questions of some items of a session, and what is saved.
#[derive(Deserialize)]
pub(crate) struct Asked {
    pub(crate) questions: Json<Vec<AskedQuestion>>,
    /// The answers to these items.
    pub(crate) answers: Json<Vec<AnswerRow>>,
    /// The number of answers to other items.
    pub(crate) other_count: i64,
    /// The bytes of these.
    pub(crate) other_bytes: usize,
}

/// The questions of these items, with the answers of the session.
pub(crate) async fn asked(db: &Db, session: QuizSessionId, items: &[&str]) -> db::Result<Option<Asked>> {
    let questions = questions_sql(
        "q.id IN (SELECT part.value ->> 'question' FROM json_each(s.items) part
                  WHERE part.value ->> 'id' IN (SELECT value FROM json_each(?2)))",
    );
    let answers = answers_sql("w.session_id = s.id AND w.item_id IN (SELECT value FROM json_each(?2))")?;
    let others = |figure: &str| {
        format!(
            "(SELECT {figure} FROM quiz_session_answers w
              WHERE w.session_id = s.id AND w.response IS NOT NULL AND w.item_id NOT IN (SELECT value FROM json_each(?2)))"
        )
    };
    let sql = format!(
        "SELECT {questions} AS questions, {answers} AS answers, {} AS other_count, {} AS other_bytes
         FROM quiz_sessions s WHERE s.id = ?1",
        others("count(*)"),
        others("CAST(total(length(CAST(w.response AS BLOB))) AS INTEGER)"),
    );
    db.fetch(&sql, (session, Json(items))).await
}

/// The answers of a session to these items.
pub(crate) async fn saved(db: &Db, session: QuizSessionId, items: &[&str]) -> db::Result<Vec<AnswerRow>> {
    let sql = "SELECT w.item_id, w.version, w.response, w.flagged, w.saved_at, w.points, w.parts,
                      w.grader_id, w.graded_at, w.comment
               FROM quiz_session_answers w
               WHERE w.session_id = ?1 AND w.item_id IN (SELECT value FROM json_each(?2)) ORDER BY w.item_id";
    db.fetch_all(sql, (session, Json(items))).await
}

/// Saves answers, all or none: none where one was changed since, the session does not run any more or ended before that
/// moment, or it is not at that position, where that matters. One statement, so that nobody comes between.
pub(crate) async fn save(
    db: &Db,
    session: QuizSessionId,
    answers: &[NewAnswer],
    ended_before: Timestamp,
    position: Option<i64>,
    now: Timestamp,
) -> db::Result<bool> {
    db.affects(
        "INSERT INTO quiz_session_answers (session_id, item_id, version, response, flagged, saved_at)
         SELECT ?1, given.value ->> 'item_id', 1 + (given.value ->> 'version'), given.value ->> 'response',
                given.value ->> 'flagged', ?3
         FROM json_each(?2) given
         WHERE EXISTS (
                 SELECT 1 FROM quiz_sessions s
                 WHERE s.id = ?1 AND s.state = 'taking' AND (s.end_at IS NULL OR s.end_at > ?4)
                   AND (?5 IS NULL OR s.position = ?5))
           AND NOT EXISTS (
                 SELECT 1 FROM json_each(?2) known
                 LEFT JOIN quiz_session_answers w ON w.session_id = ?1 AND w.item_id = known.value ->> 'item_id'
                 WHERE ifnull(w.version, 0) <> known.value ->> 'version')
         ON CONFLICT (session_id, item_id) DO UPDATE SET
             version = excluded.version, response = excluded.response, flagged = excluded.flagged,
             saved_at = excluded.saved_at
         RETURNING item_id",
        (session, Json(answers), now, ended_before, position),
    )
    .await
}
