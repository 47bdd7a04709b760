//! Banks of questions for classic quizzes.

use shared::db;
use shared::ids::{AccountId, CourseId, QuestionBankId, UserId};
use shared::pagination::Page;
use shared::{Db, Paged, Result, Timestamp};

use crate::model::question_banks::QuestionBank;

const COLUMNS: &str = "id, title, course_id, account_id, user_id, workflow_state, created_at, updated_at,
    (SELECT count(*) FROM quiz_questions q
     WHERE q.question_bank_id = question_banks.id AND q.workflow_state = 'active') AS assessment_question_count";

/// The banks that a user may have, deleted ones among them, because anybody may make some.
const MAX_OWN_BANKS: i64 = 100;

/// Whose a bank is, and the tenant.
#[derive(Clone, Copy)]
pub(crate) enum Owner {
    Course(CourseId, AccountId),
    Account(AccountId, AccountId),
    User(UserId, AccountId),
}

impl Owner {
    fn column(self) -> &'static str {
        match self {
            Self::Course(..) => "course_id",
            Self::Account(..) => "account_id",
            Self::User(..) => "user_id",
        }
    }

    fn id(self) -> i64 {
        match self {
            Self::Course(id, _) => id.0,
            Self::Account(id, _) => id.0,
            Self::User(id, _) => id.0,
        }
    }

    fn root_account(self) -> AccountId {
        match self {
            Self::Course(_, root) | Self::Account(_, root) | Self::User(_, root) => root,
        }
    }
}

pub(crate) async fn page(db: &Db, owner: Owner, page: &Page) -> Result<Paged<QuestionBank>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM question_banks WHERE {} = ?1 AND workflow_state = 'active' ORDER BY id",
        owner.column()
    );
    page.fetch(db, &sql, (owner.id(),)).await
}

pub(crate) async fn bank(db: &Db, owner: Owner, id: QuestionBankId) -> db::Result<Option<QuestionBank>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM question_banks WHERE id = ?1 AND {} = ?2 AND workflow_state = 'active'",
        owner.column()
    );
    db.fetch(&sql, (id, owner.id())).await
}

/// A new bank; none where the owner is a user who has as many as anybody may have.
pub(crate) async fn insert(db: &Db, owner: Owner, title: String, now: Timestamp) -> db::Result<Option<QuestionBank>> {
    let column = owner.column();
    let sql = format!(
        "INSERT INTO question_banks (root_account_id, {column}, title, created_at, updated_at)
         SELECT ?1, ?2, ?3, ?4, ?4
         WHERE '{column}' <> 'user_id' OR (SELECT count(*) FROM question_banks WHERE user_id = ?2) < ?5
         RETURNING {COLUMNS}"
    );
    db.fetch(&sql, (owner.root_account(), owner.id(), title, now, MAX_OWN_BANKS)).await
}

pub(crate) async fn update(
    db: &Db,
    owner: Owner,
    id: QuestionBankId,
    title: Option<String>,
    now: Timestamp,
) -> db::Result<Option<QuestionBank>> {
    let sql = format!(
        "UPDATE question_banks SET title = ifnull(?3, title), updated_at = ?4
         WHERE id = ?1 AND {} = ?2 AND workflow_state = 'active' RETURNING {COLUMNS}",
        owner.column()
    );
    db.fetch(&sql, (id, owner.id(), title, now)).await
}

/// Marks the bank as deleted; groups that drew from it keep their questions.
pub(crate) async fn delete(
    db: &Db,
    owner: Owner,
    id: QuestionBankId,
    now: Timestamp,
) -> db::Result<Option<QuestionBank>> {
    let sql = format!(
        "UPDATE question_banks SET workflow_state = 'deleted', updated_at = ?3
         WHERE id = ?1 AND {} = ?2 AND workflow_state = 'active' RETURNING {COLUMNS}",
        owner.column()
    );
    db.fetch(&sql, (id, owner.id(), now)).await
}
