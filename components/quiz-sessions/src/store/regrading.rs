//! The steps of a regrade: the attempts that are due, and what they have afterwards.

use questions::question::StoredQuestion;
use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::{AccountId, AssignmentId, CourseId, QuizRegradeId, QuizSessionId, UserId};
use shared::{Db, Timestamp};
use submissions::quiz_settings::QuizSettings;

use crate::model::regrades::RegradeOption;
use crate::model::regrading::{DueAttempt, NewPoints};
use crate::model::scores::AttemptScore;

/// Some attempts that are due, of one regrade.
#[derive(Deserialize)]
pub(crate) struct Step {
    pub(crate) id: QuizRegradeId,
    pub(crate) root_account_id: AccountId,
    pub(crate) account_id: AccountId,
    pub(crate) course_id: CourseId,
    pub(crate) assignment_id: AssignmentId,
    pub(crate) title: String,
    pub(crate) quiz_settings: Json<QuizSettings>,
    pub(crate) item_id: String,
    /// Who has asked for it.
    pub(crate) user_id: UserId,
    pub(crate) option: RegradeOption,
    /// The question with the key that the regrade has given it.
    pub(crate) question: Json<StoredQuestion>,
    pub(crate) previous_scoring_algorithm: String,
    pub(crate) previous_scoring_data: Json,
    pub(crate) attempts: Json<Vec<DueAttempt>>,
}

/// The next attempts that are due, so many at most: of an earlier regrade first, because a later one builds on it.
pub(crate) async fn next(db: &Db, most: i64) -> db::Result<Option<Step>> {
    db.fetch(
        "SELECT r.id, c.root_account_id, c.account_id, a.course_id, r.assignment_id, a.name AS title, n.quiz_settings,
                r.item_id, r.user_id, r.option, r.previous_scoring_algorithm, r.previous_scoring_data,
                json_object(
                    'title', q.title, 'item_body', q.item_body, 'calculator_type', q.calculator_type,
                    'feedback', json(q.feedback), 'interaction_type_slug', q.interaction_type_slug,
                    'interaction_data', json(q.interaction_data), 'properties', json(q.properties),
                    'scoring_data', json(r.scoring_data), 'answer_feedback', json(q.answer_feedback),
                    'scoring_algorithm', r.scoring_algorithm) AS question,
                (SELECT json_group_array(json_object(
                     'session_id', s.id, 'user_id', s.user_id,
                     'item', (SELECT json(part.value) FROM json_each(s.items) part
                              WHERE part.value ->> 'id' = r.item_id),
                     'response', w.response, 'points', w.points,
                     'is_by_person', json(iif(w.grader_id IS NULL, 'false', 'true'))))
                 FROM (SELECT d.session_id FROM quiz_regrade_attempts d
                       WHERE d.state = 'due' AND d.regrade_id = r.id ORDER BY d.session_id LIMIT ?1) due
                 JOIN quiz_sessions s ON s.id = due.session_id
                 LEFT JOIN quiz_session_answers w ON w.session_id = s.id AND w.item_id = r.item_id) AS attempts
         FROM quiz_regrades r
         JOIN question_items q ON q.id = r.question_item_id
         JOIN assignments a ON a.id = r.assignment_id
         JOIN new_quizzes n ON n.assignment_id = a.id
         JOIN courses c ON c.id = a.course_id
         WHERE r.id = (SELECT min(first.regrade_id) FROM quiz_regrade_attempts first WHERE first.state = 'due')",
        (most,),
    )
    .await
}

/// Notes that these attempts are regraded, with what they have now: all, or none where somebody else has regraded one of them,
/// which is false. `db` is in a transaction.
pub(crate) async fn claim(db: &Db, step: &Step, sessions: &[QuizSessionId], now: Timestamp) -> db::Result<bool> {
    let answer = "FROM quiz_session_answers w WHERE w.session_id = quiz_regrade_attempts.session_id AND w.item_id = ?4";
    let sql = format!(
        "UPDATE quiz_regrade_attempts
         SET state = 'done', regraded_at = ?3, points_before = (SELECT w.points {answer}),
             is_by_person = EXISTS (SELECT 1 {answer} AND w.grader_id IS NOT NULL),
             score_before = (SELECT s.score FROM quiz_sessions s WHERE s.id = quiz_regrade_attempts.session_id)
         WHERE regrade_id = ?1 AND session_id IN (SELECT value FROM json_each(?2)) AND state = 'due'
           AND json_array_length(?2) = (
               SELECT count(*) FROM quiz_regrade_attempts w
               WHERE w.regrade_id = ?1 AND w.session_id IN (SELECT value FROM json_each(?2)) AND w.state = 'due')
         RETURNING session_id"
    );
    db.affects(&sql, (step.id, Json(sessions), now, step.item_id.as_str())).await
}

/// Gives answers other points, unless a person has given some; then adds up the scores of these sessions. `db` is in a
/// transaction.
pub(crate) async fn set_points(
    db: &Db,
    item: &str,
    points: &[NewPoints],
    sessions: &[QuizSessionId],
) -> db::Result<()> {
    db.execute(
        "UPDATE quiz_session_answers
         SET points = given.value ->> 'points', parts = ifnull(given.value ->> 'parts', quiz_session_answers.parts)
         FROM json_each(?1) given
         WHERE quiz_session_answers.session_id = given.value ->> 'session_id' AND quiz_session_answers.item_id = ?2
           AND quiz_session_answers.grader_id IS NULL",
        (Json(points), item),
    )
    .await?;
    // Of an answer that waits, the pieces that need no person count.
    db.execute(
        "UPDATE quiz_sessions
         SET score = (SELECT round(quiz_sessions.fudge_points
                                   + total(ifnull(w.points, (SELECT total(part.value ->> 'points')
                                                             FROM json_each(w.parts) part))), 2)
                      FROM quiz_session_answers w WHERE w.session_id = quiz_sessions.id),
             grading_version = grading_version + 1,
             is_scored = NOT EXISTS (SELECT 1 FROM quiz_session_answers w
                                     WHERE w.session_id = quiz_sessions.id AND w.points IS NULL)
         WHERE id IN (SELECT value FROM json_each(?1))",
        (Json(sessions),),
    )
    .await
}

/// An attempt before and after it was regraded.
#[derive(Deserialize)]
pub(crate) struct Change {
    pub(crate) session_id: QuizSessionId,
    pub(crate) points_before: Option<f64>,
    pub(crate) points_after: Option<f64>,
    pub(crate) score_before: Option<f64>,
    pub(crate) score_after: Option<f64>,
}

impl Change {
    /// True if the attempt has something else than before.
    pub(crate) fn is_one(&self) -> bool {
        self.points_before != self.points_after || self.score_before != self.score_after
    }
}

/// Notes what these attempts have afterwards. `db` is in a transaction.
pub(crate) async fn set_outcome(db: &Db, step: &Step, sessions: &[QuizSessionId]) -> db::Result<Vec<Change>> {
    db.execute(
        "UPDATE quiz_regrade_attempts
         SET points_after = (SELECT w.points FROM quiz_session_answers w
                             WHERE w.session_id = quiz_regrade_attempts.session_id AND w.item_id = ?3),
             score_after = (SELECT s.score FROM quiz_sessions s WHERE s.id = quiz_regrade_attempts.session_id)
         WHERE regrade_id = ?1 AND session_id IN (SELECT value FROM json_each(?2))",
        (step.id, Json(sessions), step.item_id.as_str()),
    )
    .await?;
    let sql = "SELECT w.session_id, w.points_before, w.points_after, w.score_before, w.score_after
               FROM quiz_regrade_attempts w
               WHERE w.regrade_id = ?1 AND w.session_id IN (SELECT value FROM json_each(?2))";
    db.fetch_all(sql, (step.id, Json(sessions))).await
}

/// What a step has done.
pub(crate) struct Done {
    pub(crate) regraded: i64,
    pub(crate) changed: i64,
    pub(crate) points_gained: f64,
}

#[derive(Deserialize)]
struct Progress {
    is_complete: bool,
}

/// Adds a step to the regrade: true if nothing is due any more. `db` is in a transaction.
pub(crate) async fn advance(db: &Db, id: QuizRegradeId, done: &Done, now: Timestamp) -> db::Result<bool> {
    let progress: Progress = db
        .fetch_one(
            "UPDATE quiz_regrades
             SET regraded_count = regraded_count + ?2, attempt_count = max(attempt_count, regraded_count + ?2),
                 changed_count = changed_count + ?3, points_change = points_change + ?4,
                 completed_at = iif(EXISTS (SELECT 1 FROM quiz_regrade_attempts w
                                            WHERE w.regrade_id = ?1 AND w.state = 'due'), NULL, ?5)
             WHERE id = ?1 RETURNING completed_at IS NOT NULL AS is_complete",
            (id, done.regraded, done.changed, done.points_gained, now),
        )
        .await?;
    Ok(progress.is_complete)
}

/// An attempt of a student.
#[derive(Deserialize)]
pub(crate) struct ScoredAttempt {
    pub(crate) user_id: UserId,
    pub(crate) session_id: QuizSessionId,
    attempt: i64,
    score: f64,
    points_possible: f64,
    is_scored: bool,
}

impl ScoredAttempt {
    pub(crate) fn score(&self) -> AttemptScore {
        let Self { attempt, score, points_possible, is_scored, .. } = *self;
        AttemptScore { attempt, score, points_possible, is_scored }
    }
}

/// All attempts of these students that came from sessions, each student's in their order.
pub(crate) async fn attempts_of(db: &Db, quiz: AssignmentId, users: &[UserId]) -> db::Result<Vec<ScoredAttempt>> {
    let sql = "SELECT s.user_id, s.id AS session_id, s.attempt, s.score, s.points_possible, s.is_scored
               FROM quiz_sessions s
               WHERE s.assignment_id = ?1 AND s.user_id IN (SELECT value FROM json_each(?2))
                 AND s.is_preview = 0 AND s.state = 'submitted'
               ORDER BY s.user_id, s.attempt";
    db.fetch_all(sql, (quiz, Json(users))).await
}
