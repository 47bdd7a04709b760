//! Items of a quiz. Their positions are 1, 2, 3, … without gaps: whatever comes, goes or moves takes the others along, in
//! one transaction and in two steps, because no two may stand at a position even for a moment.

use serde::Deserialize;
use shared::db::{BuiltJson, BuiltRow, IdRow, Json};
use shared::ids::{AssignmentId, BankEntryId, BankId, ItemId, QuestionItemId, StimulusId};
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::prefetch::{List, Pages};
use shared::{Db, Error, Result, Timestamp, db};

use crate::model::item::QuizItem;
use crate::model::stimulus::Stimulus;
use crate::store::content::{self, Content, Held};
use crate::store::records::{BANK, QUESTION, STIMULUS, bank_entry};
use crate::store::sizes::{Written, fits_sql, own_bytes_sql};
use questions::question::StoredQuestion;

/// An item to be made.
pub(crate) struct NewItem {
    /// The last when there is none.
    pub(crate) position: Option<i64>,
    pub(crate) points_possible: f64,
    /// The item of the stimulus it belongs to.
    pub(crate) stimulus: Option<ItemId>,
    pub(crate) entry: NewEntry,
}

/// The content of a new item: a question or stimulus of its own, or what is in a bank.
pub(crate) enum NewEntry {
    Question(Box<StoredQuestion>),
    Stimulus(Stimulus),
    BankEntry(BankEntryId),
    Bank { id: BankId, sample_num: Option<i64> },
}

/// The item that is about to change.
#[derive(Clone, Deserialize)]
pub(crate) struct Current {
    pub(crate) id: ItemId,
    pub(crate) position: i64,
    pub(crate) points_possible: f64,
    pub(crate) stimulus_quiz_entry_id: Option<ItemId>,
    /// True if somebody has attempted the quiz.
    pub(crate) attempted: bool,
    /// True if questions can belong to it, be it a bank's.
    pub(crate) is_stimulus: bool,
    /// How many items are drawn of a bank.
    pub(crate) sample_num: Option<i64>,
    pub(crate) question_item_id: Option<QuestionItemId>,
    pub(crate) stimulus_id: Option<StimulusId>,
    /// Of its own question or stimulus.
    pub(crate) own_bytes: i64,
}

impl Current {
    /// True if as much is asked for as many points.
    pub(crate) fn is_asked_like(&self, other: &Self) -> bool {
        self.points_possible == other.points_possible && self.sample_num == other.sample_num
    }

    /// True if it draws more of its bank than the other one does.
    fn draws_more_than(&self, other: &Self) -> bool {
        let drawn = |item: &Self| item.sample_num.unwrap_or(i64::MAX);
        drawn(self) > drawn(other)
    }

    fn held(&self) -> Held {
        Held { question_item_id: self.question_item_id, stimulus_id: self.stimulus_id, own_bytes: self.own_bytes }
    }
}

/// The condition that `quiz_items` is a stimulus of its own, or of a bank.
const IS_STIMULUS: &str = "(quiz_items.stimulus_id IS NOT NULL OR EXISTS (
    SELECT 1 FROM bank_entries e WHERE e.id = quiz_items.bank_entry_id AND e.stimulus_id IS NOT NULL))";

/// True if somebody has attempted the quiz of that expression, or takes it now. Previews count nowhere.
fn is_attempted_sql(quiz: &str) -> String {
    format!(
        "(EXISTS (SELECT 1 FROM quiz_attempts t WHERE t.assignment_id = {quiz})
          OR EXISTS (SELECT 1 FROM quiz_sessions t WHERE t.assignment_id = {quiz} AND t.is_preview = 0))"
    )
}

/// The items of the quiz `?1`, each as a record.
fn select() -> String {
    let (bank_entry, is_attempted) = (bank_entry(), is_attempted_sql("?1"));
    format!(
        r#"SELECT concat(
                '{{"id":"', i.id, '","position":', i.position, ',"points_possible":', json_quote(i.points_possible),
                ',"entry_type":"', i.entry_type, '","entry_editable":', iif(i.entry_type = 'Item', 'true', 'false'),
                ',"stimulus_quiz_entry_id":', ifnull('"' || i.stimulus_quiz_entry_id || '"', 'null'),
                ',"status":', iif({is_attempted}, '"immutable"', '"mutable"'),
                ',"properties":', iif(i.entry_type = 'Bank', json_object('sample_num', i.sample_num), 'null'),
                ',"entry":', CASE i.entry_type
                    WHEN 'Item' THEN {QUESTION}
                    WHEN 'Stimulus' THEN (SELECT {STIMULUS} FROM stimuli s WHERE s.id = i.stimulus_id)
                    WHEN 'BankEntry' THEN (SELECT {bank_entry} FROM bank_entries e WHERE e.id = i.bank_entry_id)
                    ELSE (SELECT {BANK} FROM item_banks b WHERE b.id = i.bank_id)
                END, '}}') AS record
         FROM quiz_items i LEFT JOIN question_items q ON q.id = i.question_item_id
         WHERE i.assignment_id = ?1"#
    )
}

/// The item that a statement has written.
fn select_written() -> String {
    format!("{} AND i.id = quiz_items.id", select())
}

/// The same, and whether it fits by that condition.
fn select_fitting(fits: &str) -> String {
    format!("SELECT record, {fits} AS fits FROM ({})", select_written())
}

/// The items of the quiz that is needed, in their order.
pub(crate) struct ItemsOfQuiz;

impl List for ItemsOfQuiz {
    type Row = BuiltRow<QuizItem>;
    const PAGES: Pages = Pages::NumberedOrWhole;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let quiz: AssignmentId = path.id("quizzes")?;
        Ok(Lookup::new(format!("{} ORDER BY i.position", select()), (quiz,)))
    }
}

/// An item of the quiz that is needed.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct ItemOfQuiz(pub(crate) BuiltRow<QuizItem>);

impl Record for ItemOfQuiz {
    const IDS: &'static [&'static str] = &["quizzes", "items"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let ids: (AssignmentId, ItemId) = (path.id("quizzes")?, path.id("items")?);
        Ok(Lookup::new(format!("{} AND i.id = ?2", select()), ids))
    }
}

/// An item of the quiz that is needed, which a request is about to change; under the words of a type it is of that type.
#[derive(Deserialize)]
pub(crate) struct ItemToChange {
    pub(crate) id: ItemId,
    pub(crate) entry_type: String,
}

/// The words of paths behind which an item's id stands, each with the type that it must be of.
const WORDS: [(&str, Option<&str>); 4] =
    [("items", None), ("stimuli", Some("Stimulus")), ("bank_items", Some("Bank")), ("bank_entries", Some("BankEntry"))];

impl Record for ItemToChange {
    const IDS: &'static [&'static str] = &["quizzes", "items", "stimuli", "bank_items", "bank_entries"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let quiz: AssignmentId = path.id("quizzes")?;
        for (word, entry_type) in WORDS {
            if let Some(id) = path.behind::<ItemId>(word)? {
                let sql = "SELECT id, entry_type FROM quiz_items
                    WHERE assignment_id = ?1 AND id = ?2 AND entry_type = ifnull(?3, entry_type)";
                return Ok(Lookup::new(sql, (quiz, id, entry_type)));
            }
        }
        Err(Error::not_found())
    }
}

pub(crate) async fn item(db: &Db, quiz: AssignmentId, id: ItemId) -> db::Result<Option<BuiltJson<QuizItem>>> {
    let sql = format!("{} AND i.id = ?2", select());
    Ok(db.fetch::<BuiltRow<_>>(&sql, (quiz, id)).await?.map(BuiltRow::into_record))
}

/// The item that is about to change, with its content if it has one of its own.
pub(crate) async fn current(db: &Db, quiz: AssignmentId, id: ItemId) -> Result<Option<(Current, Option<Content>)>> {
    #[derive(Deserialize)]
    struct Row {
        item: Json<Current>,
        question: Option<Json<StoredQuestion>>,
        stimulus: Option<Json<Stimulus>>,
    }
    let item = nested::<Current>(&format!(
        "SELECT id, position, points_possible, stimulus_quiz_entry_id, sample_num, question_item_id, stimulus_id,
                {IS_STIMULUS} AS is_stimulus, {} AS attempted, {} AS own_bytes",
        is_attempted_sql("?1"),
        own_bytes_sql("quiz_items")
    ))?;
    let question = nested::<StoredQuestion>("SELECT * FROM question_items q WHERE q.id = quiz_items.question_item_id")?;
    let stimulus = nested::<Stimulus>("SELECT * FROM stimuli s WHERE s.id = quiz_items.stimulus_id")?;
    let sql = format!(
        "SELECT {item} AS item, {question} AS question, {stimulus} AS stimulus FROM quiz_items
         WHERE assignment_id = ?1 AND id = ?2"
    );
    let row: Option<Row> = db.fetch(&sql, (quiz, id)).await?;
    Ok(row.map(|Row { item, question, stimulus }| {
        let question = question.map(|question| Content::Question(Box::new(question.0)));
        (item.0, question.or(stimulus.map(|stimulus| Content::Stimulus(stimulus.0))))
    }))
}

pub(crate) async fn insert(db: &Db, quiz: AssignmentId, new: NewItem, now: Timestamp) -> Result<BuiltJson<QuizItem>> {
    db.transaction(async |db| {
        require_stimulus(db, quiz, new.stimulus).await?;
        let position = match new.position {
            Some(wanted) => Some(make_room(db, quiz, wanted).await?),
            None => None,
        };
        let (mut question, mut stimulus, mut entry, mut bank, mut sample) = (None, None, None, None, None);
        let entry_type = match new.entry {
            NewEntry::Question(new) => {
                question = Some(content::insert_question(db, *new, now).await?);
                "Item"
            }
            NewEntry::Stimulus(new) => {
                stimulus = Some(content::insert_stimulus(db, new, now).await?);
                "Stimulus"
            }
            NewEntry::BankEntry(id) => {
                entry = Some(id);
                "BankEntry"
            }
            NewEntry::Bank { id, sample_num } => {
                (bank, sample) = (Some(id), sample_num);
                "Bank"
            }
        };
        // An item and what it holds never have the same id: clients could take one for the other. Nor does it get the id
        // of an item that is gone.
        let made: Option<Written<_>> = db
            .write_and_read(
                "INSERT INTO quiz_items
                     (id, assignment_id, position, points_possible, entry_type, question_item_id, stimulus_id,
                      bank_entry_id, bank_id, sample_num, stimulus_quiz_entry_id)
                 VALUES (
                     1 + max(ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'quiz_items'), 0),
                             coalesce(?5, ?6, ?7, ?8)),
                     ?1, ifnull(?2, (SELECT 1 + ifnull(max(position), 0) FROM quiz_items WHERE assignment_id = ?1)),
                     ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                &select_fitting(&fits_sql("?1")),
                (
                    quiz,
                    position,
                    new.points_possible,
                    entry_type,
                    question,
                    stimulus,
                    entry,
                    bank,
                    sample,
                    new.stimulus,
                ),
            )
            .await?;
        made.ok_or(db::Error::NoRow)?.fitting("quiz")
    })
    .await
}

/// Gives an item its points, unless it is a stimulus, or somebody has attempted the quiz and they are others. `None`: it is as it was.
pub(crate) async fn set_points(
    db: &Db,
    quiz: AssignmentId,
    id: ItemId,
    points: f64,
) -> db::Result<Option<BuiltJson<QuizItem>>> {
    let write = format!(
        "UPDATE quiz_items SET points_possible = ?3
         WHERE assignment_id = ?1 AND id = ?2 AND NOT {IS_STIMULUS} AND (points_possible = ?3 OR NOT {})",
        is_attempted_sql("?1")
    );
    let written: Option<BuiltRow<_>> = db.write_and_read(&write, &select_written(), (quiz, id, points)).await?;
    Ok(written.map(BuiltRow::into_record))
}

/// Makes the item what it is to be, and its content if that changes; `db` is in a transaction.
pub(crate) async fn update(
    db: &Db,
    quiz: AssignmentId,
    from: &Current,
    to: Current,
    content: Option<Content>,
    now: Timestamp,
) -> Result<BuiltJson<QuizItem>> {
    if to.stimulus_quiz_entry_id != from.stimulus_quiz_entry_id {
        require_stimulus(db, quiz, to.stimulus_quiz_entry_id).await?;
    }
    if to.position != from.position {
        move_to(db, quiz, from, to.position).await?;
    }
    if let Some(content) = content {
        content::update(db, from.held(), content, now).await?;
    }
    // What becomes no more may be too much: it may be older than the limit.
    let fits = format!("(NOT ?6 AND {} <= ?7 OR {})", own_bytes_sql("quiz_items"), fits_sql("?1"));
    let draws_more = to.draws_more_than(from);
    let written: Option<Written<_>> = db
        .write_and_read(
            "UPDATE quiz_items SET points_possible = ?3, stimulus_quiz_entry_id = ?4, sample_num = ?5
             WHERE assignment_id = ?1 AND id = ?2",
            &select_fitting(&fits),
            (quiz, from.id, to.points_possible, to.stimulus_quiz_entry_id, to.sample_num, draws_more, from.own_bytes),
        )
        .await?;
    written.ok_or(db::Error::NoRow)?.fitting("quiz")
}

/// Removes the item with its content; what belonged to it as a stimulus belongs to none. `db` is in a transaction.
pub(crate) async fn delete(db: &Db, quiz: AssignmentId, item: &Current) -> db::Result<()> {
    db.execute("DELETE FROM quiz_items WHERE id = ?1", (item.id,)).await?;
    if let Some(question) = item.question_item_id {
        db.execute(
            "DELETE FROM question_items
             WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM quiz_items WHERE question_item_id = ?1)
               AND NOT EXISTS (SELECT 1 FROM bank_entries WHERE question_item_id = ?1)",
            (question,),
        )
        .await?;
    }
    if let Some(stimulus) = item.stimulus_id {
        content::empty_stimulus(db, stimulus).await?;
    }
    let last = last_position(db, quiz).await?;
    shift(db, quiz, item.position + 1, last, -1).await
}

async fn require_stimulus(db: &Db, quiz: AssignmentId, item: Option<ItemId>) -> Result<()> {
    let Some(item) = item else { return Ok(()) };
    let found: Option<IdRow<ItemId>> = db
        .fetch(
            &format!("SELECT id FROM quiz_items WHERE id = ?1 AND assignment_id = ?2 AND {IS_STIMULUS}"),
            (item, quiz),
        )
        .await?;
    match found {
        Some(_) => Ok(()),
        None => Err(Error::invalid("stimulus_quiz_entry_id", "invalid", "must be the id of a stimulus of the quiz")),
    }
}

/// The position at which a new item may stand: the one that is wanted, or else right behind the last.
async fn make_room(db: &Db, quiz: AssignmentId, wanted: i64) -> db::Result<i64> {
    let last = last_position(db, quiz).await?;
    let position = wanted.min(last + 1);
    shift(db, quiz, position, last, 1).await?;
    Ok(position)
}

async fn move_to(db: &Db, quiz: AssignmentId, item: &Current, wanted: i64) -> db::Result<()> {
    let set = "UPDATE quiz_items SET position = ?2 WHERE id = ?1";
    let position = wanted.min(last_position(db, quiz).await?);
    db.execute(set, (item.id, 0_i64)).await?;
    if position < item.position {
        shift(db, quiz, position, item.position - 1, 1).await?;
    } else {
        shift(db, quiz, item.position + 1, position, -1).await?;
    }
    db.execute(set, (item.id, position)).await
}

async fn last_position(db: &Db, quiz: AssignmentId) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct Row {
        position: i64,
    }
    let sql = "SELECT ifnull(max(position), 0) AS position FROM quiz_items WHERE assignment_id = ?1";
    let row: Row = db.fetch_one(sql, (quiz,)).await?;
    Ok(row.position)
}

/// Moves the items from one position to another by so many.
async fn shift(db: &Db, quiz: AssignmentId, from: i64, to: i64, by: i64) -> db::Result<()> {
    if from > to {
        return Ok(());
    }
    let aside = "UPDATE quiz_items SET position = -position WHERE assignment_id = ?1 AND position BETWEEN ?2 AND ?3";
    db.execute(aside, (quiz, from, to)).await?;
    let back = "UPDATE quiz_items SET position = ?2 - position WHERE assignment_id = ?1 AND position < 0";
    db.execute(back, (quiz, by)).await
}
