//! The sessions of a new quiz that are handed in, of which statistics and reports are made.

use std::borrow::Cow;

use quiz_reports::limits::BATCH_BYTES;
use quiz_reports::students::student_sql;
use serde::Deserialize;
use shared::auth::SectionLimit;
use shared::auth::section_limit::has_student_sql;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, QuizSessionId};
use shared::needs::{OfCourse, nested_list};
use shared::{Db, Result};

use crate::model::items::AskedQuestion;
use crate::model::statistics::{ScoredSession, SessionScore};
use crate::store::sessions::questions_sql;

/// A new quiz, as graders look at it.
#[derive(Deserialize)]
pub(crate) struct AnalyzedQuiz {
    pub(crate) id: AssignmentId,
    pub(crate) points_possible: Option<f64>,
    /// True if a student has handed in more than one session.
    pub(crate) has_several_attempts: bool,
}

impl OfCourse for AnalyzedQuiz {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        let sql = "SELECT a.id, a.points_possible, EXISTS (
                 SELECT 1 FROM quiz_sessions s
                 WHERE s.assignment_id = a.id AND s.is_preview = 0 AND s.state = 'submitted' AND s.attempt > 1
             ) AS has_several_attempts
             FROM assignments a JOIN new_quizzes n ON n.assignment_id = a.id
             WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'";
        Ok(sql.into())
    }
}

/// The sessions that are counted.
pub(crate) struct Scope {
    pub(crate) quiz: AssignmentId,
    /// All sessions of each student, or the last one.
    pub(crate) all_versions: bool,
    /// The sections whose students' sessions are counted.
    pub(crate) section_limit: SectionLimit,
}

/// The sessions `s` of the scope: `?1` is the quiz, `?2` whether all sessions of a student count, `?3` the sections.
fn counted() -> String {
    format!(
        "FROM quiz_sessions s
         WHERE s.assignment_id = ?1 AND s.is_preview = 0 AND s.state = 'submitted' AND {}
           AND (?2 OR s.attempt = (SELECT max(l.attempt) FROM quiz_sessions l
                                   WHERE l.assignment_id = s.assignment_id AND l.user_id = s.user_id
                                     AND l.is_preview = 0 AND l.state = 'submitted'))",
        has_student_sql("?3", "s.user_id", "s.course_id")
    )
}

/// The bytes of a session's items and answers.
const BYTES: &str = "length(CAST(s.items AS BLOB)) + (
    SELECT CAST(total(length(CAST(w.response AS BLOB)) + length(CAST(w.parts AS BLOB))) AS INTEGER)
    FROM quiz_session_answers w WHERE w.session_id = s.id)";

/// The scores of the sessions, so many at most.
pub(crate) async fn scores(db: &Db, scope: &Scope, most: i64) -> db::Result<Vec<SessionScore>> {
    db.fetch_all(&scores_sql("?4"), (scope.quiz, scope.all_versions, scope.section_limit.clone(), most)).await
}

fn scores_sql(most: &str) -> String {
    format!("SELECT s.id, s.score, {BYTES} AS bytes {} ORDER BY s.id LIMIT {most}", counted())
}

/// All that statistics of few sessions are made of.
#[derive(Deserialize)]
pub(crate) struct Beginning {
    /// The scores of the sessions, so many at most.
    pub(crate) scores: Json<Vec<SessionScore>>,
    /// The questions that any of them asks.
    pub(crate) questions: Json<Vec<AskedQuestion>>,
    /// The first sessions, as [`sessions_after`] has the next.
    pub(crate) sessions: Json<Vec<ScoredSession>>,
}

/// The beginning of the sessions of the scope.
pub(crate) async fn beginning(db: &Db, scope: &Scope, most: i64) -> Result<Beginning> {
    let sql = format!(
        "SELECT {} AS scores, {} AS questions, {} AS sessions",
        nested_list::<SessionScore>(&scores_sql("?7"))?,
        asked_sql(),
        nested_list::<ScoredSession>(&sessions_sql(WithStudents::No))?,
    );
    let (limit, first) = (scope.section_limit.clone(), QuizSessionId(0));
    Ok(db.fetch_one(&sql, (scope.quiz, scope.all_versions, limit, first, BATCH, BATCH_BYTES, most)).await?)
}

/// The questions that any session of the scope asks.
pub(crate) async fn questions(db: &Db, scope: &Scope) -> db::Result<Vec<AskedQuestion>> {
    #[derive(Deserialize)]
    struct QuestionsRow {
        questions: Json<Vec<AskedQuestion>>,
    }
    let sql = format!("SELECT {} AS questions", asked_sql());
    let row: QuestionsRow = db.fetch_one(&sql, (scope.quiz, scope.all_versions, scope.section_limit.clone())).await?;
    Ok(row.questions.0)
}

fn asked_sql() -> String {
    let asked = format!(
        "q.id IN (SELECT part.value ->> 'question' FROM (SELECT s.items {}) taken, json_each(taken.items) part)",
        counted()
    );
    questions_sql(&asked)
}

/// The number of sessions that are read at a time.
const BATCH: i64 = 200;

/// What is read of the student of a session.
#[derive(Clone, Copy)]
pub(crate) enum WithStudents {
    /// The name, the ids and the sections.
    Yes,
    /// Nothing.
    No,
}

/// The next sessions behind the one of that id: none where it is the last.
pub(crate) async fn sessions_after(
    db: &Db,
    scope: &Scope,
    session: QuizSessionId,
    students: WithStudents,
) -> db::Result<Vec<ScoredSession>> {
    let limit = scope.section_limit.clone();
    let binds = (scope.quiz, scope.all_versions, limit, session, BATCH, BATCH_BYTES);
    db.fetch_all(&sessions_sql(students), binds).await
}

fn sessions_sql(students: WithStudents) -> String {
    let student = match students {
        WithStudents::Yes => student_sql("s.user_id", "s.course_id", "?3"),
        WithStudents::No => "NULL".to_owned(),
    };
    format!(
        "SELECT s.id, s.attempt, s.user_id, {student} AS student, s.items, s.score, s.points_possible, s.started_at,
                s.submitted_at,
                (SELECT json_group_array(json_object('item_id', w.item_id, 'response', json(w.response),
                                                     'points', w.points, 'parts', json(w.parts)))
                 FROM quiz_session_answers w WHERE w.session_id = s.id) AS answers
         FROM (SELECT next.*, sum(next.own) OVER (ORDER BY next.id) AS bytes
               FROM (SELECT s.id, {BYTES} AS own {} AND s.id > ?4 ORDER BY s.id LIMIT ?5) next) part
         JOIN quiz_sessions s ON s.id = part.id
         WHERE part.bytes - part.own < ?6 ORDER BY s.id",
        counted()
    )
}
