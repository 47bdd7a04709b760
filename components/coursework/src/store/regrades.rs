//! Regrades of classic quizzes, and their steps: the attempts that are due, and what they have afterwards.

use std::borrow::Cow;

use ::submissions::quiz_options::{QuizOptions, QuizType, ScoringPolicy};
use ::submissions::regrades::store::COLUMNS;
use ::submissions::regrades::{RegradeOption, RegradeRow};
use serde::{Deserialize, Serialize};
use shared::db::{self, Json};
use shared::ids::{AccountId, AssignmentId, CourseId, QuizId, QuizRegradeId, QuizSubmissionId, UserId};
use shared::needs::OfCourse;
use shared::{Db, Result, Timestamp};

use crate::model::quiz_scoring::AskedQuestion;
use crate::model::quiz_submissions::Answers;
use crate::model::regrades::QuestionKey;
use crate::store::quiz_statistics::BYTES;
use crate::store::quiz_submissions::{kept_at_sql, kept_sql};

/// A regrade of a classic quiz.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct RegradeOfQuiz(pub(crate) RegradeRow);

impl OfCourse for RegradeOfQuiz {
    const WORDS: &'static [&'static str] = &["quizzes", "regrades"];

    fn sql() -> Result<Cow<'static, str>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM quiz_regrades JOIN quizzes z ON z.id = quiz_regrades.quiz_id
             WHERE quiz_regrades.id = ?2 AND z.id = ?1 AND z.course_id = course.id AND z.workflow_state <> 'deleted'"
        );
        Ok(sql.into())
    }
}

/// A regrade that is worked on, and where it is.
#[derive(Deserialize)]
pub(crate) struct RegradeAtWork {
    pub(crate) id: QuizRegradeId,
    pub(crate) root_account_id: AccountId,
    pub(crate) account_id: AccountId,
    pub(crate) course_id: CourseId,
    pub(crate) quiz_id: QuizId,
    pub(crate) assignment_id: Option<AssignmentId>,
    pub(crate) title: String,
    pub(crate) quiz_type: QuizType,
    pub(crate) settings: Json<QuizOptions>,
    /// The question.
    pub(crate) item_id: String,
    /// Who has asked for it.
    pub(crate) user_id: UserId,
    pub(crate) option: RegradeOption,
    pub(crate) scoring_data: Json<QuestionKey>,
    pub(crate) points_possible: Option<f64>,
    /// True if whoever began it knows already that it is done: what is due ran then.
    pub(crate) was_complete: bool,
}

/// A regrade, to be worked on.
pub(crate) async fn at_work(db: &Db, id: QuizRegradeId) -> db::Result<Option<RegradeAtWork>> {
    db.fetch(
        "SELECT r.id, c.root_account_id, c.account_id, z.course_id, r.quiz_id, z.assignment_id, z.title, z.quiz_type, z.settings, r.item_id,
                r.user_id, r.option, r.scoring_data, r.points_possible, r.completed_at IS NOT NULL AS was_complete
         FROM quiz_regrades r JOIN quizzes z ON z.id = r.quiz_id JOIN courses c ON c.id = z.course_id WHERE r.id = ?1",
        (id,),
    )
    .await
}

/// An attempt that is to be regraded.
#[derive(Deserialize)]
pub(crate) struct DueAttempt {
    /// The row in the regrade.
    pub(crate) id: i64,
    pub(crate) quiz_submission_id: QuizSubmissionId,
    pub(crate) attempt: i64,
    pub(crate) user_id: UserId,
    pub(crate) questions: Json<Vec<AskedQuestion>>,
    pub(crate) answers: Json<Answers>,
    pub(crate) score: f64,
    /// What the quiz keeps of all attempts of the student.
    pub(crate) kept_score: Option<f64>,
}

/// The number of attempts that are regraded at a time, and the bytes of their questions and answers: one is regraded whatever it
/// has.
const BATCH: i64 = 20;
const BATCH_BYTES: i64 = 4 * 1024 * 1024;

/// The next attempts of a regrade that are due. `db` is in the transaction that regrades them.
pub(crate) async fn due(db: &Db, id: QuizRegradeId) -> db::Result<Vec<DueAttempt>> {
    let sql = format!(
        "SELECT part.id, part.quiz_submission_id, part.attempt, part.user_id, v.questions, v.answers, v.score, part.kept_score
         FROM (SELECT next.*, sum(next.own) OVER (ORDER BY next.id) AS bytes
               FROM (SELECT d.id, d.quiz_submission_id, d.attempt, s.user_id, s.kept_score, {BYTES} AS own
                     FROM quiz_regrade_attempts d
                     JOIN quiz_submissions s ON s.id = d.quiz_submission_id
                     JOIN quiz_submission_versions v ON v.quiz_submission_id = d.quiz_submission_id AND v.attempt = d.attempt
                     WHERE d.regrade_id = ?1 AND d.state = 'due' AND d.quiz_submission_id IS NOT NULL
                     ORDER BY d.id LIMIT ?2) next) part
         JOIN quiz_submission_versions v ON v.quiz_submission_id = part.quiz_submission_id AND v.attempt = part.attempt
         WHERE part.bytes - part.own < ?3 ORDER BY part.id"
    );
    db.fetch_all(&sql, (id, BATCH, BATCH_BYTES)).await
}

/// An attempt that was scored anew.
#[derive(Serialize)]
pub(crate) struct RescoredAttempt {
    pub(crate) quiz_submission_id: QuizSubmissionId,
    pub(crate) attempt: i64,
    pub(crate) questions: Vec<AskedQuestion>,
    pub(crate) answers: Answers,
    pub(crate) score: f64,
    pub(crate) points_possible: f64,
}

/// Keeps what attempts were asked, and what they have now. `db` is in a transaction.
pub(crate) async fn set_rescored(db: &Db, attempts: &[&RescoredAttempt], now: Timestamp) -> db::Result<()> {
    const BEFORE: &str =
        "iif(score IS given.value ->> 'score', score_before_regrade, ifnull(score_before_regrade, score))";
    let versions = format!(
        "UPDATE quiz_submission_versions
         SET questions = given.value -> 'questions', answers = given.value -> 'answers',
             score = given.value ->> 'score', score_before_regrade = {BEFORE}
         FROM json_each(?1) given
         WHERE quiz_submission_versions.quiz_submission_id = given.value ->> 'quiz_submission_id'
           AND quiz_submission_versions.attempt = given.value ->> 'attempt'"
    );
    db.execute(&versions, (Json(attempts),)).await?;
    let latest = format!(
        "UPDATE quiz_submissions
         SET questions = given.value -> 'questions', answers = given.value -> 'answers',
             score = given.value ->> 'score', quiz_points_possible = given.value ->> 'points_possible',
             score_before_regrade = {BEFORE}, updated_at = ?2
         FROM json_each(?1) given
         WHERE quiz_submissions.id = given.value ->> 'quiz_submission_id'
           AND quiz_submissions.attempt = given.value ->> 'attempt' AND quiz_submissions.workflow_state <> 'untaken'"
    );
    db.execute(&latest, (Json(attempts), now)).await
}

/// What a quiz keeps of a student's attempts.
#[derive(Deserialize)]
pub(crate) struct Kept {
    pub(crate) id: QuizSubmissionId,
    pub(crate) kept_score: f64,
    /// When the attempt was handed in that it is of.
    pub(crate) kept_submitted_at: Timestamp,
    /// The end of the last attempt that is handed in.
    pub(crate) finished_at: Timestamp,
}

/// Chooses the scores that are kept of these students' attempts. `db` is in a transaction.
pub(crate) async fn keep(
    db: &Db,
    ids: &[QuizSubmissionId],
    policy: ScoringPolicy,
    now: Timestamp,
) -> db::Result<Vec<Kept>> {
    let sql = format!(
        "UPDATE quiz_submissions SET kept_score = {}, updated_at = ?2 WHERE id IN (SELECT value FROM json_each(?1))",
        kept_sql(policy, "quiz_submissions.id")
    );
    db.execute(&sql, (Json(ids), now)).await?;
    let sql = format!(
        "SELECT s.id, s.kept_score, {} AS kept_submitted_at, {} AS finished_at
         FROM quiz_submissions s WHERE s.id IN (SELECT value FROM json_each(?1))",
        kept_at_sql(policy, "s.id"),
        kept_at_sql(ScoringPolicy::Latest, "s.id")
    );
    db.fetch_all(&sql, (Json(ids),)).await
}
