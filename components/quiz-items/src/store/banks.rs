//! Banks and their entries.

use serde::Deserialize;
use shared::auth::CourseAccess;
use shared::db::{BuiltJson, BuiltRow, IdRow};
use shared::ids::{BankEntryId, BankId, CourseId};
use shared::pagination::{BuiltPage, Page};
use shared::{Db, Result, Timestamp, db};

use crate::model::item::{BankEntryItem, BankItem};
use crate::store::content::{self, Content, Held};
use crate::store::records::{BANK, bank_entry};
use crate::store::sizes::{Written, own_bytes_sql, quizzes_fit_sql};

/// An entry that a quiz may take.
#[derive(Deserialize)]
pub(crate) struct EntryInUse {
    pub(crate) is_question: bool,
}

pub(crate) async fn page(db: &Db, course: CourseId, page: &Page) -> Result<BuiltPage<BankItem>> {
    let sql =
        format!("SELECT {BANK} AS record FROM item_banks b WHERE b.course_id = ?1 AND b.archived = 0 ORDER BY b.id");
    page.fetch_built(db, &sql, (course,)).await
}

pub(crate) async fn bank(db: &Db, course: CourseId, id: BankId) -> db::Result<Option<BuiltJson<BankItem>>> {
    let sql = format!("SELECT {BANK} || '' AS record FROM item_banks b WHERE b.id = ?1 AND b.course_id = ?2");
    Ok(db.fetch::<BuiltRow<_>>(&sql, (id, course)).await?.map(BuiltRow::into_record))
}

pub(crate) async fn insert(
    db: &Db,
    course: &CourseAccess,
    title: &str,
    now: Timestamp,
) -> db::Result<BuiltJson<BankItem>> {
    let sql = format!(
        "INSERT INTO item_banks (root_account_id, course_id, title, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?4) RETURNING (SELECT {BANK} || '' FROM item_banks b WHERE b.id = item_banks.id) AS record"
    );
    Ok(db.fetch_one::<BuiltRow<_>>(&sql, (course.root_account, course.id, title, now)).await?.into_record())
}

pub(crate) async fn update(
    db: &Db,
    course: CourseId,
    id: BankId,
    title: Option<String>,
    archived: Option<bool>,
    now: Timestamp,
) -> db::Result<Option<BuiltJson<BankItem>>> {
    let sql = format!(
        "UPDATE item_banks SET title = ifnull(?3, title), archived = ifnull(?4, archived), updated_at = ?5
         WHERE id = ?1 AND course_id = ?2 RETURNING (SELECT {BANK} || '' FROM item_banks b WHERE b.id = item_banks.id) AS record"
    );
    Ok(db.fetch::<BuiltRow<_>>(&sql, (id, course, title, archived, now)).await?.map(BuiltRow::into_record))
}

/// True if a quiz of the course may take the bank.
pub(crate) async fn is_in_use(db: &Db, course: CourseId, id: BankId) -> db::Result<bool> {
    let sql = "SELECT id FROM item_banks WHERE id = ?1 AND course_id = ?2 AND archived = 0";
    db.affects(sql, (id, course)).await
}

/// The entry, if a quiz of the course may take it.
pub(crate) async fn entry_in_use(db: &Db, course: CourseId, id: BankEntryId) -> db::Result<Option<EntryInUse>> {
    db.fetch(
        "SELECT e.question_item_id IS NOT NULL AS is_question
         FROM bank_entries e JOIN item_banks b ON b.id = e.bank_id
         WHERE e.id = ?1 AND b.course_id = ?2 AND e.archived = 0 AND b.archived = 0",
        (id, course),
    )
    .await
}

pub(crate) async fn entries(db: &Db, bank: BankId, page: &Page) -> Result<BuiltPage<BankEntryItem>> {
    let sql = format!(
        "SELECT {} AS record FROM bank_entries e WHERE e.bank_id = ?1 AND e.archived = 0 ORDER BY e.id",
        bank_entry()
    );
    page.fetch_built(db, &sql, (bank,)).await
}

pub(crate) async fn entry(db: &Db, bank: BankId, id: BankEntryId) -> db::Result<Option<BuiltJson<BankEntryItem>>> {
    let sql = format!("SELECT {} || '' AS record FROM bank_entries e WHERE e.id = ?1 AND e.bank_id = ?2", bank_entry());
    Ok(db.fetch::<BuiltRow<_>>(&sql, (id, bank)).await?.map(BuiltRow::into_record))
}

pub(crate) async fn insert_entry(
    db: &Db,
    bank: BankId,
    content: Content,
    now: Timestamp,
) -> Result<BuiltJson<BankEntryItem>> {
    db.transaction(async |db| {
        let (question, stimulus) = match content {
            Content::Question(new) => (Some(content::insert_question(db, *new, now).await?), None),
            Content::Stimulus(new) => (None, Some(content::insert_stimulus(db, new, now).await?)),
        };
        let made: IdRow<BankEntryId> = db
            .fetch_one(
                "INSERT INTO bank_entries (bank_id, question_item_id, stimulus_id, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?4) RETURNING id",
                (bank, question, stimulus, now),
            )
            .await?;
        written_entry(db, bank, made.id, NOTHING_BEFORE).await
    })
    .await
}

/// The bytes of an entry that quizzes have not drawn until now: it counts whatever it has.
const NOTHING_BEFORE: i64 = -1;

/// The entry as it was written. 422 where a quiz that asks it asks too much, and it has more than so many bytes.
async fn written_entry(db: &Db, bank: BankId, id: BankEntryId, before: i64) -> Result<BuiltJson<BankEntryItem>> {
    let sql = format!(
        "SELECT {} || '' AS record, ({} <= ?3 OR {}) AS fits FROM bank_entries e WHERE e.id = ?1 AND e.bank_id = ?2",
        bank_entry(),
        own_bytes_sql("e"),
        quizzes_fit_sql()
    );
    let written: Written<_> = db.fetch_one(&sql, (id, bank, before)).await?;
    written.fitting("a quiz of the bank")
}

/// The content of the entry.
pub(crate) async fn content(db: &Db, bank: BankId, id: BankEntryId) -> db::Result<Option<Content>> {
    match held_entry(db, bank, id).await? {
        Some(Held { question_item_id: Some(id), .. }) => {
            Ok(content::question(db, id).await?.map(|question| Content::Question(Box::new(question))))
        }
        Some(Held { stimulus_id: Some(id), .. }) => Ok(content::stimulus(db, id).await?.map(Content::Stimulus)),
        _ => Ok(None),
    }
}

/// True if a quiz that has the entry, or its whole bank, has been attempted, or is taken now.
pub(crate) async fn is_attempted(db: &Db, bank: BankId, id: BankEntryId) -> db::Result<bool> {
    db.affects(
        "SELECT i.id FROM quiz_items i
         WHERE (i.bank_entry_id = ?1 OR i.bank_id = ?2) AND (
             EXISTS (SELECT 1 FROM quiz_attempts t WHERE t.assignment_id = i.assignment_id)
             OR EXISTS (SELECT 1 FROM quiz_sessions t WHERE t.assignment_id = i.assignment_id AND t.is_preview = 0))
         LIMIT 1",
        (id, bank),
    )
    .await
}

/// Changes the entry and what it holds; `db` is in a transaction where there is content.
pub(crate) async fn update_entry(
    db: &Db,
    bank: BankId,
    id: BankEntryId,
    content: Option<Content>,
    archived: Option<bool>,
    now: Timestamp,
) -> Result<BuiltJson<BankEntryItem>> {
    let mut before = i64::MAX;
    if let Some(content) = content
        && let Some(held) = held_entry(db, bank, id).await?
    {
        before = held.own_bytes;
        content::update(db, held, content, now).await?;
    }
    if archived == Some(false) {
        before = NOTHING_BEFORE;
    }
    db.execute(
        "UPDATE bank_entries SET archived = ifnull(?3, archived), updated_at = ?4 WHERE id = ?1 AND bank_id = ?2",
        (id, bank, archived, now),
    )
    .await?;
    written_entry(db, bank, id, before).await
}

async fn held_entry(db: &Db, bank: BankId, id: BankEntryId) -> db::Result<Option<Held>> {
    let sql = format!(
        "SELECT question_item_id, stimulus_id, {} AS own_bytes FROM bank_entries WHERE id = ?1 AND bank_id = ?2",
        own_bytes_sql("bank_entries")
    );
    db.fetch(&sql, (id, bank)).await
}
