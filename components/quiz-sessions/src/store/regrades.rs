//! Regrades: begun, listed and read.

use std::borrow::Cow;

use questions::question::StoredQuestion;
use serde::Deserialize;
use shared::auth::CourseAccess;
use shared::auth::section_limit::has_student_sql;
use shared::db::{self, IdRow, Json};
use shared::ids::{AssignmentId, ItemId, QuestionItemId, QuizRegradeId, UserId};
use shared::needs::OfCourse;
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp};
use submissions::posting::is_anonymous;

use crate::model::regrades::{RegradeOption, RegradeRow, RegradedAttempt};

/// A new quiz, known by its assignment.
#[derive(Deserialize)]
pub(crate) struct RegradedQuiz {
    pub(crate) id: AssignmentId,
}

impl OfCourse for RegradedQuiz {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        let sql = "SELECT a.id FROM assignments a JOIN new_quizzes n ON n.assignment_id = a.id
            WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'";
        Ok(sql.into())
    }
}

const COLUMNS: &str = "r.id, r.item_id, r.user_id, r.option, r.previous_scoring_algorithm, r.previous_scoring_data,
    r.scoring_algorithm, r.scoring_data, r.attempt_count, r.regraded_count, r.changed_count, r.points_change,
    r.created_at, r.completed_at";

impl OfCourse for RegradeRow {
    const WORDS: &'static [&'static str] = &["quizzes", "regrades"];

    fn sql() -> Result<Cow<'static, str>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM quiz_regrades r JOIN assignments a ON a.id = r.assignment_id
             WHERE r.id = ?2 AND a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'"
        );
        Ok(sql.into())
    }
}

/// An item of a quiz, with what a regrade depends on.
#[derive(Deserialize)]
pub(crate) struct RegradedItem {
    /// Null of a stimulus, and of what is drawn from a bank.
    pub(crate) question_item_id: Option<QuestionItemId>,
    pub(crate) question: Option<Json<StoredQuestion>>,
    /// The regrades of the quiz.
    pub(crate) regrade_count: i64,
    /// True if one of them has attempts that are due.
    pub(crate) is_regraded: bool,
}

/// An item of the quiz.
pub(crate) async fn item(db: &Db, quiz: AssignmentId, item: ItemId) -> db::Result<Option<RegradedItem>> {
    let regrades = |figure: &str, condition: &str| {
        format!("(SELECT {figure} FROM quiz_regrades r WHERE r.assignment_id = ?1 {condition})")
    };
    let sql = format!(
        "SELECT i.question_item_id,
                (SELECT json_object(
                     'title', q.title, 'item_body', q.item_body, 'calculator_type', q.calculator_type,
                     'feedback', json(q.feedback), 'interaction_type_slug', q.interaction_type_slug,
                     'interaction_data', json(q.interaction_data), 'properties', json(q.properties),
                     'scoring_data', json(q.scoring_data), 'answer_feedback', json(q.answer_feedback),
                     'scoring_algorithm', q.scoring_algorithm)
                 FROM question_items q WHERE q.id = i.question_item_id) AS question,
                {} AS regrade_count, {} > 0 AS is_regraded
         FROM quiz_items i WHERE i.id = ?2 AND i.assignment_id = ?1",
        regrades("count(*)", ""),
        regrades("count(*)", "AND r.completed_at IS NULL"),
    );
    db.fetch(&sql, (quiz, item)).await
}

/// Corrects the key of a question.
pub(crate) async fn set_key(db: &Db, id: QuestionItemId, question: &StoredQuestion, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE question_items SET properties = ?2, scoring_data = ?3, scoring_algorithm = ?4, updated_at = ?5
               WHERE id = ?1";
    let StoredQuestion { properties, scoring_data, scoring_algorithm, .. } = question;
    db.execute(sql, (id, properties.clone(), scoring_data.clone(), scoring_algorithm.clone(), now)).await
}

/// A regrade that begins.
pub(crate) struct NewRegrade<'a> {
    pub(crate) quiz: AssignmentId,
    pub(crate) item: ItemId,
    pub(crate) question: QuestionItemId,
    pub(crate) user: UserId,
    pub(crate) option: RegradeOption,
    pub(crate) previous: &'a StoredQuestion,
    pub(crate) current: &'a StoredQuestion,
}

/// Begins a regrade of all attempts at the quiz, and of those that run. Without any to regrade it is complete at once. `db` is
/// in a transaction.
pub(crate) async fn insert(db: &Db, new: NewRegrade<'_>, now: Timestamp) -> db::Result<RegradeRow> {
    let made: IdRow<QuizRegradeId> = db
        .fetch_one(
            "INSERT INTO quiz_regrades
                 (assignment_id, item_id, question_item_id, user_id, option, previous_scoring_algorithm,
                  previous_scoring_data, scoring_algorithm, scoring_data, attempt_count, created_at)
             VALUES (?1, CAST(?2 AS TEXT), ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, ?10) RETURNING id",
            (
                new.quiz,
                new.item,
                new.question,
                new.user,
                new.option.name(),
                new.previous.scoring_algorithm.clone(),
                new.previous.scoring_data.clone(),
                new.current.scoring_algorithm.clone(),
                new.current.scoring_data.clone(),
                now,
            ),
        )
        .await?;
    if new.option != RegradeOption::NoRegrade {
        db.execute(
            "INSERT INTO quiz_regrade_attempts (regrade_id, session_id, state)
             SELECT ?1, s.id, iif(s.state = 'submitted', 'due', 'waiting') FROM quiz_sessions s
             WHERE s.assignment_id = ?2 AND s.is_preview = 0",
            (made.id, new.quiz),
        )
        .await?;
    }
    let sql = format!(
        "UPDATE quiz_regrades AS r
         SET attempt_count = due.count, completed_at = iif(due.count = 0, ?2, NULL)
         FROM (SELECT count(*) AS count FROM quiz_regrade_attempts w WHERE w.regrade_id = ?1 AND w.state = 'due') due
         WHERE r.id = ?1 RETURNING {}",
        COLUMNS.replace("r.", "")
    );
    db.fetch_one(&sql, (made.id, now)).await
}

/// The regrades of a quiz, the newest first.
pub(crate) async fn page(db: &Db, quiz: AssignmentId, page: &Page) -> Result<Paged<RegradeRow>> {
    let sql = format!("SELECT {COLUMNS} FROM quiz_regrades r WHERE r.assignment_id = ?1");
    page.fetch_keyset(db, &sql, (quiz,), Key::descending(&["id"])).await
}

/// What a regrade has done so far, to attempts of students in the sections that the reader is limited to.
pub(crate) async fn attempts(
    db: &Db,
    course: &CourseAccess,
    regrade: QuizRegradeId,
    page: &Page,
) -> Result<Paged<RegradedAttempt>> {
    let is_in_sections = has_student_sql("?2", "s.user_id", "?3");
    let is_anonymous = is_anonymous("s.assignment_id", "s.user_id");
    let sql = format!(
        "SELECT w.session_id, iif({is_anonymous}, NULL, s.user_id) AS user_id, s.attempt, w.points_before, w.points_after, w.score_before, w.score_after,
                w.is_by_person, w.regraded_at
         FROM quiz_regrade_attempts w JOIN quiz_sessions s ON s.id = w.session_id
         WHERE w.regrade_id = ?1 AND w.state = 'done' AND {is_in_sections}"
    );
    let key = Key::ascending(&["session_id"]);
    page.fetch_keyset(db, &sql, (regrade, course.section_limit(), course.id), key).await
}
