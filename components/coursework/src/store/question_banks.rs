//! Banks of questions for classic quizzes.

use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use shared::auth::{AccountAccess, CourseAccess};
use shared::db::{self, Json};
use shared::ids::{AccountId, QuestionBankId, UserId};
use shared::needs::{Judgement, Lookup, MatchedPath, Record, Unjudged, may};
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp};

use crate::model::question_banks::QuestionBank;

const COLUMNS: &str = "id, title, course_id, account_id, user_id, workflow_state, created_at, updated_at,
    (SELECT count(*) FROM quiz_questions q
     WHERE q.question_bank_id = question_banks.id AND q.workflow_state = 'active') AS assessment_question_count";

/// The banks that a user may have, deleted ones among them, because anybody may make some.
const MAX_OWN_BANKS: i64 = 100;

/// The owner of banks: a course, an account, or the caller. A right to the owner is one to its banks.
pub(crate) trait BankOwner: Record {
    /// The right to see the banks.
    type Read: Judgement<Self>;
    /// The right to make, change and delete them.
    type Write: Judgement<Self>;

    /// The column of a bank that names its owner.
    const COLUMN: &'static str;

    fn id(&self) -> i64;

    /// The tenant.
    fn root_account(&self) -> AccountId;
}

impl BankOwner for CourseAccess {
    type Read = may::ReadAsStaff;
    type Write = may::ManageAssignments;

    const COLUMN: &'static str = "course_id";

    fn id(&self) -> i64 {
        self.id.0
    }

    fn root_account(&self) -> AccountId {
        self.root_account
    }
}

impl BankOwner for AccountAccess {
    type Read = may::Administer;
    type Write = may::Administer;

    const COLUMN: &'static str = "account_id";

    fn id(&self) -> i64 {
        self.id.0
    }

    fn root_account(&self) -> AccountId {
        self.root_account
    }
}

/// The caller, whose banks are nobody else's.
#[derive(Deserialize)]
pub(crate) struct CallerAsOwner {
    id: UserId,
    root_account: AccountId,
}

impl Record for CallerAsOwner {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Lookup::new("SELECT caller.user_id AS id, caller.root_account_id AS root_account", ()))
    }
}

impl BankOwner for CallerAsOwner {
    type Read = Unjudged;
    type Write = Unjudged;

    const COLUMN: &'static str = "user_id";

    fn id(&self) -> i64 {
        self.id.0
    }

    fn root_account(&self) -> AccountId {
        self.root_account
    }
}

/// The bank that a path names, with its owner.
#[derive(Deserialize)]
#[serde(bound = "")]
pub(crate) struct OwnedBank<O: DeserializeOwned> {
    pub(crate) owner: Json<O>,
    pub(crate) bank: Json<QuestionBank>,
}

impl<O: BankOwner> Record for OwnedBank<O> {
    const IDS: &'static [&'static str] = &["question_banks"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: QuestionBankId = path.id("question_banks")?;
        let (owner, mut values) = O::lookup(path)?.into_parts();
        let bank = format!(
            "SELECT {COLUMNS} FROM question_banks WHERE id = ?1 AND {} = owner.id AND workflow_state = 'active'",
            O::COLUMN
        );
        let bank = Lookup::new(bank, (id,)).expression(&db::json_object::<QuestionBank>()?, &mut values);
        let object = db::json_object::<O>()?;
        // With a limit SQLite makes the row once, instead of the bank once for each time that it is mentioned.
        let sql = format!(
            "SELECT * FROM (SELECT {object} AS owner, {bank} AS bank FROM ({owner}) owner LIMIT 1)
             WHERE bank IS NOT NULL"
        );
        Ok(Lookup::new(sql, values))
    }
}

/// See the bank.
pub(crate) struct ReadBank;

impl<O: BankOwner> Judgement<OwnedBank<O>> for ReadBank {
    const WHO: &'static str = <O::Read as Judgement<O>>::WHO;

    fn judge(bank: &OwnedBank<O>) -> Result<()> {
        O::Read::judge(&bank.owner.0)
    }
}

/// Change the bank and its questions.
pub(crate) struct ChangeBank;

impl<O: BankOwner> Judgement<OwnedBank<O>> for ChangeBank {
    const WHO: &'static str = <O::Write as Judgement<O>>::WHO;

    fn judge(bank: &OwnedBank<O>) -> Result<()> {
        O::Write::judge(&bank.owner.0)
    }
}

/// The banks of the owner that is needed.
pub(crate) struct BanksOfOwner<O>(PhantomData<O>);

impl<O: BankOwner> List for BanksOfOwner<O> {
    type Row = QuestionBank;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let sql = format!(
            "SELECT {COLUMNS} FROM question_banks
             WHERE {} = caller.needed ->> 'id' AND workflow_state = 'active' ORDER BY id",
            O::COLUMN
        );
        Ok(Lookup::new(sql, ()))
    }
}

/// A new bank; none where the owner is a user who has as many as anybody may have.
pub(crate) async fn insert<O: BankOwner>(
    db: &Db,
    owner: &O,
    title: String,
    now: Timestamp,
) -> db::Result<Option<QuestionBank>> {
    let column = O::COLUMN;
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
    id: QuestionBankId,
    title: Option<String>,
    now: Timestamp,
) -> db::Result<Option<QuestionBank>> {
    let sql = format!(
        "UPDATE question_banks SET title = ifnull(?2, title), updated_at = ?3
         WHERE id = ?1 AND workflow_state = 'active' RETURNING {COLUMNS}"
    );
    db.fetch(&sql, (id, title, now)).await
}

/// Marks the bank as deleted; groups that drew from it keep their questions.
pub(crate) async fn delete(db: &Db, id: QuestionBankId, now: Timestamp) -> db::Result<Option<QuestionBank>> {
    let sql = format!(
        "UPDATE question_banks SET workflow_state = 'deleted', updated_at = ?2
         WHERE id = ?1 AND workflow_state = 'active' RETURNING {COLUMNS}"
    );
    db.fetch(&sql, (id, now)).await
}
