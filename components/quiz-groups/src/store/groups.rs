//! The SQL of the area.

use serde::Deserialize;
use shared::auth::{self, CourseAccess};
use shared::db::{self, Changes};
use shared::ids::{GroupId, QuestionBankId, QuizId, UserId};
use shared::{Db, Patch, Timestamp, accounts_above};

use crate::model::groups::{QuizGroup, QuizGroups};

/// The fields of a group that are set or changed.
pub(crate) struct Change {
    pub(crate) name: Patch<String>,
    pub(crate) pick_count: Patch<f64>,
    pub(crate) question_points: Patch<f64>,
}

/// The bank, if it is one of the course, of the accounts above it, or of the caller, and the caller may read it; a bank that
/// is not is no error. Whoever sees the group afterwards may not read the bank for that.
pub(crate) async fn readable_bank(
    db: &Db,
    bank: Option<QuestionBankId>,
    course: &CourseAccess,
    caller: UserId,
) -> db::Result<Option<QuestionBankId>> {
    #[derive(Deserialize)]
    struct Bank {
        id: QuestionBankId,
    }
    let Some(bank) = bank else { return Ok(None) };
    let bank: Option<Bank> = db
        .fetch(
            concat!(
                "SELECT id FROM question_banks
             WHERE id = ?1 AND root_account_id = ?5 AND workflow_state = 'active'
               AND (course_id = ?2 OR user_id = ?4 OR account_id IN ",
                accounts_above!("?3"),
                ")"
            ),
            (bank, course.id, course.account, caller, course.root_account),
        )
        .await?;
    let Some(Bank { id }) = bank else { return Ok(None) };
    Ok(auth::readable_question_banks(db, caller, &[id]).await?.first().copied())
}

/// The most groups of a quiz.
const MAX_GROUPS: i64 = 1_000;

/// A new group stands behind all groups and all questions that are in none. None is made where the quiz has as many as it may.
pub(crate) async fn insert(
    db: &Db,
    quiz: QuizId,
    new: Change,
    bank: Option<QuestionBankId>,
    now: Timestamp,
) -> db::Result<Option<QuizGroups>> {
    let group = db::json_object::<QuizGroup>()?;
    let sql = format!(
        "INSERT INTO quiz_groups
             (quiz_id, name, pick_count, question_points, assessment_question_bank_id, position, created_at, updated_at)
         SELECT ?1, ?2, CAST(ifnull(?3, 0) AS INTEGER), ?4, ?5, 1 + max(
             (SELECT ifnull(max(position), 0) FROM quiz_groups WHERE quiz_id = ?1),
             (SELECT ifnull(max(position), 0) FROM quiz_questions
              WHERE quiz_id = ?1 AND quiz_group_id IS NULL AND workflow_state = 'active')
         ), ?6, ?6
         WHERE (SELECT count(*) FROM quiz_groups WHERE quiz_id = ?1) < {MAX_GROUPS}
         RETURNING json_array({group}) AS quiz_groups"
    );
    db.fetch(
        &sql,
        (quiz, new.name.into_option(), new.pick_count.into_option(), new.question_points.into_option(), bank, now),
    )
    .await
}

pub(crate) async fn update(
    db: &Db,
    quiz: QuizId,
    id: GroupId,
    change: Change,
    now: Timestamp,
) -> db::Result<Option<QuizGroups>> {
    let group = db::json_object::<QuizGroup>()?;
    let assignments = Changes::assignments(3, &[], &["name", "question_points"]);
    let sql = format!(
        "UPDATE quiz_groups
         SET {assignments},
             pick_count = CAST(ifnull(?3 ->> 'pick_count', pick_count) AS INTEGER), updated_at = ?4
         WHERE quiz_id = ?1 AND id = ?2
         RETURNING json_array({group}) AS quiz_groups"
    );
    let pick_count = match change.pick_count {
        Patch::Null => Patch::Value(0.0),
        pick_count => pick_count,
    };
    let changes = Changes::default()
        .set("name", change.name)
        .set("pick_count", pick_count)
        .set("question_points", change.question_points);
    db.fetch(&sql, (quiz, id, changes, now)).await
}

/// Removes the group; its questions are marked as deleted.
pub(crate) async fn delete(db: &Db, quiz: QuizId, id: GroupId) -> db::Result<bool> {
    db.affects("DELETE FROM quiz_groups WHERE quiz_id = ?1 AND id = ?2 RETURNING id", (quiz, id)).await
}
