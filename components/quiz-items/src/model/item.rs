//! Items on the wire. See `QuizItem` in `docs/contract/quiz-items.md`. The database builds them, as the SQL of `store/records.rs`
//! and `store/items.rs` says: the types are there for the API description.

use serde::Serialize;
use shared::db::{BuiltJson, Json};
use shared::ids::{BankEntryId, BankId, ItemId};
use shared::{Error, JsonSchema, Result, Timestamp};

use crate::model::stimulus::StimulusItem;
use questions::question::QuestionItem;

/// The content of a position of a new quiz.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QuizItem {
    #[serde(serialize_with = "shared::ids::as_text")]
    #[schemars(with = "String")]
    id: ItemId,
    /// The first item has position 1.
    position: i64,
    points_possible: f64,
    /// `Item`, `Stimulus`, `BankEntry` or `Bank`.
    entry_type: String,
    entry_editable: bool,
    /// The stimulus that the item belongs to.
    #[serde(serialize_with = "shared::ids::as_text_or_null")]
    #[schemars(with = "Option<String>")]
    stimulus_quiz_entry_id: Option<ItemId>,
    /// `immutable` once somebody has attempted the quiz.
    status: String,
    /// Of a bank only.
    properties: Option<Json<ItemProperties>>,
    entry: BuiltJson<Entry>,
}

#[derive(Serialize, JsonSchema)]
struct ItemProperties {
    /// The number of items that are drawn from the bank; null: all.
    sample_num: Option<i64>,
}

/// The content of an item, according to its `entry_type`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "nothing but the description asks for it")]
enum Entry {
    Banked(BankEntryItem),
    Own(Box<BankedEntry>),
    Bank(BankItem),
}

/// The content of a bank, according to the `entry_type` of the entry.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "nothing but the description asks for it")]
enum BankedEntry {
    Item(#[schemars(with = "questions::described::ByType<QuestionItem>")] QuestionItem),
    Stimulus(StimulusItem),
}

/// A question or a stimulus of a bank.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BankEntryItem {
    #[serde(serialize_with = "shared::ids::as_text")]
    #[schemars(with = "String")]
    id: BankEntryId,
    /// `Item` or `Stimulus`.
    entry_type: String,
    archived: bool,
    entry: BuiltJson<BankedEntry>,
    #[serde(serialize_with = "shared::ids::as_text")]
    #[schemars(with = "String")]
    bank_id: BankId,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A bank of questions and stimuli.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BankItem {
    #[serde(serialize_with = "shared::ids::as_text")]
    #[schemars(with = "String")]
    id: BankId,
    title: String,
    archived: bool,
    /// The number of entries that it has, archived ones not counted.
    entry_count: i64,
    /// The same without stimuli.
    item_entry_count: i64,
}

/// 422 unless it is a position, of which the first is 1.
pub(crate) fn position(position: i64) -> Result<i64> {
    if position >= 1 {
        return Ok(position);
    }
    Err(Error::invalid("position", "greater_than_or_equal_to", "must be greater than or equal to 1"))
}
