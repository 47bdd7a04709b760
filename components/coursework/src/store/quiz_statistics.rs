//! The completed attempts at a classic quiz of which statistics are made.

use shared::auth::SectionLimit;
use shared::auth::section_limit::has_student_sql;
use shared::db;
use shared::ids::{QuizId, QuizSubmissionId};
use shared::{Db, Result};

use crate::model::quiz_statistics::{AttemptScore, CompletedAttempt};

/// The attempts that are counted.
pub(crate) struct Scope {
    pub(crate) quiz: QuizId,
    /// All attempts of each student, or the last one.
    pub(crate) all_versions: bool,
    /// The sections whose students' attempts are counted.
    pub(crate) section_limit: SectionLimit,
}

/// The attempts `v` of the scope: `?1` is the quiz, `?2` whether all attempts of a student count, `?3` the sections.
fn counted() -> String {
    format!(
        "FROM quiz_submissions s JOIN quiz_submission_versions v ON v.quiz_submission_id = s.id
         WHERE s.quiz_id = ?1 AND {}
           AND (?2 OR v.attempt = (SELECT max(last.attempt) FROM quiz_submission_versions last
                                   WHERE last.quiz_submission_id = s.id))",
        has_student_sql("?3", "s.user_id", "s.course_id")
    )
}

/// The scores of the attempts, so many at most.
pub(crate) async fn scores(db: &Db, scope: &Scope, most: i64) -> db::Result<Vec<AttemptScore>> {
    let sql = format!(
        "SELECT s.id, v.attempt, s.user_id, v.score,
                length(CAST(v.questions AS BLOB)) + length(CAST(v.answers AS BLOB)) AS bytes
         {} ORDER BY s.id, v.attempt LIMIT ?4",
        counted()
    );
    db.fetch_all(&sql, (scope.quiz, scope.all_versions, scope.section_limit.clone(), most)).await
}

/// The attempts behind the one of that submission and number, so many at most.
pub(crate) async fn attempts_after(
    db: &Db,
    scope: &Scope,
    (submission, attempt): (QuizSubmissionId, i64),
    most: i64,
) -> db::Result<Vec<CompletedAttempt>> {
    let sql = format!(
        "SELECT s.id, v.attempt, v.questions, v.answers, v.score, v.started_at, v.finished_at
         {} AND (s.id > ?4 OR (s.id = ?4 AND v.attempt > ?5)) ORDER BY s.id, v.attempt LIMIT ?6",
        counted()
    );
    db.fetch_all(&sql, (scope.quiz, scope.all_versions, scope.section_limit.clone(), submission, attempt, most)).await
}

/// True if a student has completed more than one attempt at the quiz.
pub(crate) async fn has_several_attempts(db: &Db, quiz: QuizId) -> Result<bool> {
    let sql = "SELECT 1 AS found FROM quiz_submissions s
               JOIN quiz_submission_versions v ON v.quiz_submission_id = s.id
               WHERE s.quiz_id = ?1 AND v.attempt > 1 LIMIT 1";
    Ok(db.affects(sql, (quiz,)).await?)
}
