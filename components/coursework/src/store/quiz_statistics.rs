//! The completed attempts at a classic quiz of which statistics are made.

use quiz_reports::limits::BATCH_BYTES;
use quiz_reports::students::student_sql;
use serde::Deserialize;
use shared::Timestamp;
use shared::auth::SectionLimit;
use shared::auth::section_limit::has_student_sql;
use shared::db::{self, Json};
use shared::ids::{QuizId, QuizSubmissionId};
use shared::needs::nested_list;
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
    db.fetch_all(&scores_sql("?4"), (scope.quiz, scope.all_versions, scope.section_limit.clone(), most)).await
}

fn scores_sql(most: &str) -> String {
    format!("SELECT s.id, v.attempt, v.score, {BYTES} AS bytes {} ORDER BY s.id, v.attempt LIMIT {most}", counted())
}

/// All that statistics of few attempts are made of.
#[derive(Deserialize)]
pub(crate) struct Beginning {
    /// The scores of the attempts, so many at most.
    pub(crate) scores: Json<Vec<AttemptScore>>,
    /// The first attempts, as [`attempts_after`] has the next.
    pub(crate) attempts: Json<Vec<CompletedAttempt>>,
    /// True if a student has completed more than one attempt at the quiz.
    pub(crate) has_several_attempts: bool,
}

/// The beginning of the attempts of the scope.
pub(crate) async fn beginning(db: &Db, scope: &Scope, most: i64) -> Result<Beginning> {
    let sql = format!(
        "SELECT {} AS scores, {} AS attempts, EXISTS (
             SELECT 1 FROM quiz_submissions s JOIN quiz_submission_versions v ON v.quiz_submission_id = s.id
             WHERE s.quiz_id = ?1 AND v.attempt > 1) AS has_several_attempts",
        nested_list::<AttemptScore>(&scores_sql("?8"))?,
        nested_list::<CompletedAttempt>(&attempts_sql(WithStudents::No))?,
    );
    let (limit, first) = (scope.section_limit.clone(), QuizSubmissionId(0));
    Ok(db.fetch_one(&sql, (scope.quiz, scope.all_versions, limit, first, 0, BATCH, BATCH_BYTES, most)).await?)
}

/// The number of attempts.
pub(crate) async fn count(db: &Db, scope: &Scope) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct CountRow {
        count: i64,
    }
    let sql = format!("SELECT count(*) AS count {}", counted());
    let row: CountRow = db.fetch_one(&sql, (scope.quiz, scope.all_versions, scope.section_limit.clone())).await?;
    Ok(row.count)
}

/// The bytes of the questions and answers of an attempt `v`.
pub(super) const BYTES: &str = "length(CAST(v.questions AS BLOB)) + length(CAST(v.answers AS BLOB))";

/// The number of attempts that are read at a time.
const BATCH: i64 = 50;

/// What is read of the student of an attempt.
#[derive(Clone, Copy)]
pub(crate) enum WithStudents {
    /// The name, the ids and the sections.
    Yes,
    /// Nothing.
    No,
}

/// The next attempts behind the one of that submission and number: none where it is the last.
pub(crate) async fn attempts_after(
    db: &Db,
    scope: &Scope,
    (submission, attempt): (QuizSubmissionId, i64),
    students: WithStudents,
) -> db::Result<Vec<CompletedAttempt>> {
    let limit = scope.section_limit.clone();
    let binds = (scope.quiz, scope.all_versions, limit, submission, attempt, BATCH, BATCH_BYTES);
    db.fetch_all(&attempts_sql(students), binds).await
}

fn attempts_sql(students: WithStudents) -> String {
    let student = match students {
        WithStudents::Yes => student_sql("part.user_id", "part.course_id", "?3"),
        WithStudents::No => "NULL".to_owned(),
    };
    format!(
        "SELECT part.id, part.attempt, part.user_id, {student} AS student, v.questions, v.answers, v.score, v.started_at,
                v.finished_at
         FROM (SELECT next.*, sum(next.own) OVER (ORDER BY next.id, next.attempt) AS bytes
               FROM (SELECT s.id, s.user_id, s.course_id, v.attempt, {BYTES} AS own
                     {} AND (s.id > ?4 OR (s.id = ?4 AND v.attempt > ?5)) ORDER BY s.id, v.attempt LIMIT ?6) next) part
         JOIN quiz_submission_versions v ON v.quiz_submission_id = part.id AND v.attempt = part.attempt
         WHERE part.bytes - part.own < ?7 ORDER BY part.id, part.attempt",
        counted()
    )
}

/// When a submission of the quiz was changed last; none where there is none.
pub(crate) async fn changed_at(db: &Db, quiz: QuizId) -> db::Result<Option<Timestamp>> {
    #[derive(Deserialize)]
    struct ChangedRow {
        at: Option<Timestamp>,
    }
    let sql = "SELECT max(s.updated_at) AS at FROM quiz_submissions s WHERE s.quiz_id = ?1";
    let changed: ChangedRow = db.fetch_one(sql, (quiz,)).await?;
    Ok(changed.at)
}
