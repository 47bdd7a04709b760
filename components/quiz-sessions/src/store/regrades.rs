//! What is regraded: a quiz, and an item of it.

use std::borrow::Cow;

use questions::question::StoredQuestion;
use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, BankEntryId, BankId, ItemId, QuestionItemId};
use shared::needs::OfCourse;
use shared::{Db, Result, Timestamp};
use submissions::regrades::RegradeRow;
use submissions::regrades::store::COLUMNS;

use crate::model::regrades::NamedItem;
use crate::store::sessions::question_json;

/// A new quiz, known by its assignment.
#[derive(Deserialize)]
pub(crate) struct QuizToRegrade {
    pub(crate) id: AssignmentId,
}

impl OfCourse for QuizToRegrade {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        let sql = "SELECT a.id FROM assignments a JOIN new_quizzes n ON n.assignment_id = a.id
            WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'";
        Ok(sql.into())
    }
}

/// A regrade of a new quiz.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct RegradeOfQuiz(pub(crate) RegradeRow);

impl OfCourse for RegradeOfQuiz {
    const WORDS: &'static [&'static str] = &["quizzes", "regrades"];

    fn sql() -> Result<Cow<'static, str>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM quiz_regrades JOIN assignments a ON a.id = quiz_regrades.assignment_id
             WHERE quiz_regrades.id = ?2 AND a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'"
        );
        Ok(sql.into())
    }
}

/// An item of a quiz, or a question that its bank gives.
#[derive(Deserialize)]
pub(crate) struct RegradedItem {
    pub(crate) points_possible: f64,
    pub(crate) bank_id: Option<BankId>,
    pub(crate) bank_entry_id: Option<BankEntryId>,
    /// Null of a stimulus, and of all that a bank gives.
    pub(crate) question_item_id: Option<QuestionItemId>,
    pub(crate) question: Option<Json<StoredQuestion>>,
}

/// An item of the quiz. Entries that are archived were perhaps drawn before.
pub(crate) async fn item(db: &Db, quiz: AssignmentId, named: NamedItem) -> db::Result<Option<RegradedItem>> {
    let sql = format!(
        "SELECT i.points_possible, ifnull(e.bank_id, i.bank_id) AS bank_id, e.id AS bank_entry_id, q.id AS question_item_id,
                iif(q.id IS NULL, NULL, {}) AS question
         FROM quiz_items i
         LEFT JOIN bank_entries e ON e.id = ifnull(i.bank_entry_id, ?3) AND (i.bank_id IS NULL OR e.bank_id = i.bank_id)
         LEFT JOIN question_items q ON q.id = ifnull(i.question_item_id, e.question_item_id)
         WHERE i.id = ?2 AND i.assignment_id = ?1
           AND (?3 IS NULL OR (i.bank_id IS NOT NULL AND e.question_item_id IS NOT NULL))",
        question_json("q")
    );
    db.fetch(&sql, (quiz, named.item, named.entry)).await
}

/// Corrects the key of a question.
pub(crate) async fn set_key(db: &Db, id: QuestionItemId, question: &StoredQuestion, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE question_items SET properties = ?2, scoring_data = ?3, scoring_algorithm = ?4, updated_at = ?5
               WHERE id = ?1";
    let StoredQuestion { properties, scoring_data, scoring_algorithm, .. } = question;
    db.execute(sql, (id, properties.clone(), scoring_data.clone(), scoring_algorithm.clone(), now)).await
}

/// Says what an item is worth in sessions that begin from now on.
pub(crate) async fn set_points(db: &Db, item: ItemId, points: f64) -> db::Result<()> {
    db.execute("UPDATE quiz_items SET points_possible = ?2 WHERE id = ?1", (item, points)).await
}
