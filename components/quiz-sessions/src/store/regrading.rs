//! The steps of a regrade: the attempts that are due, and what they have afterwards.

use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::{AccountId, AssignmentId, CourseId, QuestionItemId, QuizRegradeId, QuizSessionId, UserId};
use shared::{Db, Timestamp};
use submissions::grading::rounded_of_sql;
use submissions::kept_attempts::AttemptScore;
use submissions::quiz_settings::QuizSettings;
use submissions::regrades::RegradeOption;
use submissions::regrades::store::Outcome;

use crate::model::items::AskedQuestion;
use crate::model::regrading::{DueAttempt, KeyOf, NewPoints};
use crate::store::sessions::questions_sql;

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
    /// All that the bank of the item gives.
    pub(crate) is_whole_bank: bool,
    /// Who has asked for it.
    pub(crate) user_id: UserId,
    pub(crate) option: RegradeOption,
    previous_scoring_algorithm: Option<String>,
    previous_scoring_data: Option<Json>,
    scoring_algorithm: Option<String>,
    scoring_data: Option<Json>,
    /// What the item is worth from now on; null: the same.
    pub(crate) points_possible: Option<f64>,
    /// True if whoever began it knows already that it is done: these attempts ran then.
    pub(crate) was_complete: bool,
    pub(crate) attempts: Json<Vec<DueAttempt>>,
}

impl Step {
    /// What was right before, and what is now; `None`: what is stored of the questions.
    pub(crate) fn keys(&self) -> Option<[KeyOf; 2]> {
        let key = |algorithm: &Option<String>, data: &Option<Json>| {
            let (scoring_algorithm, scoring_data) = algorithm.clone().zip(data.clone())?;
            Some(KeyOf { scoring_algorithm, scoring_data })
        };
        let previous = key(&self.previous_scoring_algorithm, &self.previous_scoring_data)?;
        Some([previous, key(&self.scoring_algorithm, &self.scoring_data)?])
    }
}

/// True if that id of an item of a session is one of those that are regraded, as an expression of these three.
fn is_regraded(id: &str, item: &str, is_whole_bank: &str) -> String {
    format!("({id} = {item} OR ({is_whole_bank} AND substr({id}, 1, length({item}) + 1) = {item} || '-'))")
}

/// The next attempts of a regrade that are due, so many at most.
pub(crate) async fn step(db: &Db, id: QuizRegradeId, most: i64) -> db::Result<Option<Step>> {
    let is_regraded = is_regraded("(part.value ->> 'id')", "r.item_id", "r.question_item_id IS NULL");
    let sql = format!(
        "SELECT r.id, c.root_account_id, c.account_id, a.course_id, r.assignment_id, a.name AS title, n.quiz_settings,
                r.item_id, r.question_item_id IS NULL AS is_whole_bank, r.user_id, r.option,
                r.previous_scoring_algorithm, r.previous_scoring_data, r.scoring_algorithm, r.scoring_data,
                r.points_possible, r.completed_at IS NOT NULL AS was_complete,
                (SELECT json_group_array(json_object(
                     'id', due.id, 'session_id', s.id, 'user_id', s.user_id,
                     'answers', json((
                         SELECT json_group_array(json_object(
                             'item', json(part.value), 'response', w.response, 'points', w.points,
                             'is_by_person', json(iif(w.grader_id IS NULL, 'false', 'true'))))
                         FROM json_each(s.items) part
                         LEFT JOIN quiz_session_answers w ON w.session_id = s.id AND w.item_id = part.value ->> 'id'
                         WHERE {is_regraded}))))
                 FROM (SELECT d.id, d.session_id FROM quiz_regrade_attempts d
                       WHERE d.state = 'due' AND d.session_id IS NOT NULL AND d.regrade_id = r.id
                       ORDER BY d.id LIMIT ?1) due
                 JOIN quiz_sessions s ON s.id = due.session_id) AS attempts
         FROM quiz_regrades r
         JOIN assignments a ON a.id = r.assignment_id
         JOIN new_quizzes n ON n.assignment_id = a.id
         JOIN courses c ON c.id = a.course_id
         WHERE r.id = ?2"
    );
    db.fetch(&sql, (most, id)).await
}

/// Questions, as they are stored.
pub(crate) async fn questions(db: &Db, ids: &[QuestionItemId]) -> db::Result<Vec<AskedQuestion>> {
    #[derive(Deserialize)]
    struct Questions {
        questions: Json<Vec<AskedQuestion>>,
    }
    let sql = format!("SELECT {} AS questions", questions_sql("q.id IN (SELECT value FROM json_each(?1))"));
    let row: Questions = db.fetch_one(&sql, (Json(ids),)).await?;
    Ok(row.questions.0)
}

/// Notes that the attempts of a step are regraded, with what they have now: all, or none where somebody else has regraded one of
/// them, which is false. `db` is in a transaction.
pub(crate) async fn claim(db: &Db, step: &Step, now: Timestamp) -> db::Result<bool> {
    let ids: Vec<_> = step.attempts.0.iter().map(|attempt| attempt.id).collect();
    let answers = format!(
        "FROM quiz_session_answers w WHERE w.session_id = quiz_regrade_attempts.session_id AND {}",
        is_regraded("w.item_id", "?4", "?5")
    );
    let sql = format!(
        "UPDATE quiz_regrade_attempts
         SET state = 'done', regraded_at = ?3, points_before = (SELECT sum(w.points) {answers}),
             is_by_person = EXISTS (SELECT 1 {answers} AND w.grader_id IS NOT NULL),
             score_before = (SELECT s.score FROM quiz_sessions s WHERE s.id = quiz_regrade_attempts.session_id)
         WHERE id IN (SELECT value FROM json_each(?2)) AND state = 'due'
           AND json_array_length(?2) = (
               SELECT count(*) FROM quiz_regrade_attempts w
               WHERE w.regrade_id = ?1 AND w.id IN (SELECT value FROM json_each(?2)) AND w.state = 'due')
         RETURNING id"
    );
    db.affects(&sql, (step.id, Json(ids), now, step.item_id.as_str(), step.is_whole_bank)).await
}

/// Says what the item of a step is worth in these sessions. `db` is in a transaction.
pub(crate) async fn set_item_points(db: &Db, step: &Step, points: f64, sessions: &[QuizSessionId]) -> db::Result<()> {
    let items = format!(
        "(SELECT json_group_array(json(iif({}, json_set(part.value, '$.points', ?2), part.value)))
          FROM json_each(quiz_sessions.items) part)",
        is_regraded("(part.value ->> 'id')", "?3", "?4")
    );
    let sql = format!("UPDATE quiz_sessions SET items = {items} WHERE id IN (SELECT value FROM json_each(?1))");
    db.execute(&sql, (Json(sessions), points, step.item_id.as_str(), step.is_whole_bank)).await?;
    // Sums of decimals have no more digits than these.
    db.execute(
        "UPDATE quiz_sessions
         SET points_possible = (SELECT round(total(part.value ->> 'points'), 6) FROM json_each(quiz_sessions.items) part)
         WHERE id IN (SELECT value FROM json_each(?1))",
        (Json(sessions),),
    )
    .await
}

/// Gives answers other points, unless a person has given some; then adds up the scores of these sessions. `db` is in a
/// transaction.
pub(crate) async fn set_points(db: &Db, points: &[NewPoints], sessions: &[QuizSessionId]) -> db::Result<()> {
    db.execute(
        "UPDATE quiz_session_answers
         SET points = given.value ->> 'points', parts = ifnull(given.value ->> 'parts', quiz_session_answers.parts)
         FROM json_each(?1) given
         WHERE quiz_session_answers.session_id = given.value ->> 'session_id'
           AND quiz_session_answers.item_id = given.value ->> 'item_id' AND quiz_session_answers.grader_id IS NULL",
        (Json(points),),
    )
    .await?;
    // Of an answer that waits, the pieces that need no person count.
    let score = rounded_of_sql(
        "quiz_sessions.fudge_points + (
             SELECT total(ifnull(w.points, (SELECT total(part.value ->> 'points') FROM json_each(w.parts) part)))
             FROM quiz_session_answers w WHERE w.session_id = quiz_sessions.id)",
        "quiz_sessions.points_possible",
    );
    let sql = format!(
        "UPDATE quiz_sessions
         SET score = {score}, grading_version = grading_version + 1,
             is_scored = NOT EXISTS (SELECT 1 FROM quiz_session_answers w
                                     WHERE w.session_id = quiz_sessions.id AND w.points IS NULL)
         WHERE id IN (SELECT value FROM json_each(?1))"
    );
    db.execute(&sql, (Json(sessions),)).await
}

/// Notes what the attempts of a step have afterwards. `db` is in a transaction.
pub(crate) async fn set_outcome(db: &Db, step: &Step) -> db::Result<Vec<Outcome>> {
    let ids: Vec<_> = step.attempts.0.iter().map(|attempt| attempt.id).collect();
    let sql = format!(
        "UPDATE quiz_regrade_attempts
         SET points_after = (SELECT sum(w.points) FROM quiz_session_answers w
                             WHERE w.session_id = quiz_regrade_attempts.session_id AND {}),
             score_after = (SELECT s.score FROM quiz_sessions s WHERE s.id = quiz_regrade_attempts.session_id)
         WHERE id IN (SELECT value FROM json_each(?1))",
        is_regraded("w.item_id", "?2", "?3")
    );
    db.execute(&sql, (Json(&ids), step.item_id.as_str(), step.is_whole_bank)).await?;
    let sql = "SELECT w.id, w.points_before, w.points_after, w.score_before, w.score_after, w.is_by_person
               FROM quiz_regrade_attempts w WHERE w.id IN (SELECT value FROM json_each(?1))";
    db.fetch_all(sql, (Json(ids),)).await
}

/// An attempt of a student.
#[derive(PartialEq, Deserialize)]
pub(crate) struct ScoredAttempt {
    pub(crate) user_id: UserId,
    pub(crate) session_id: QuizSessionId,
    attempt: i64,
    score: f64,
    points_possible: f64,
    is_scored: bool,
    submitted_at: Timestamp,
}

impl ScoredAttempt {
    pub(crate) fn score(&self) -> AttemptScore {
        let Self { attempt, score, points_possible, is_scored, submitted_at, .. } = *self;
        AttemptScore { attempt, score, points_possible, is_scored, submitted_at }
    }
}

/// All attempts of these students that came from sessions, each student's in their order.
pub(crate) async fn attempts_of(db: &Db, quiz: AssignmentId, users: &[UserId]) -> db::Result<Vec<ScoredAttempt>> {
    let sql = "SELECT s.user_id, s.id AS session_id, s.attempt, s.score, s.points_possible, s.is_scored, s.submitted_at
               FROM quiz_sessions s
               WHERE s.assignment_id = ?1 AND s.user_id IN (SELECT value FROM json_each(?2))
                 AND s.is_preview = 0 AND s.state = 'submitted'
               ORDER BY s.user_id, s.attempt";
    db.fetch_all(sql, (quiz, Json(users))).await
}
