//! What is asked for of a regrade.

use questions::key::KeyForm;
use serde::Deserialize;
use serde_json::Value;
use shared::ids::{BankEntryId, ItemId};
use shared::{Error, JsonSchema, Patch, Result};
use submissions::regrades::RegradeOption;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct RegradeForm {
    /// An item of the quiz, or `ITEM-ENTRY`: a question that the bank of the item has given.
    pub(crate) item_id: String,
    pub(crate) option: RegradeOption,
    /// What the item is worth from now on; more than 0.
    #[serde(default)]
    pub(crate) points_possible: Patch<f64>,
    /// What is right from now on: its shape depends on the type. What is right now stays if it is left out.
    #[serde(default)]
    scoring_data: Patch<Value>,
    /// One of those of the type.
    #[serde(default)]
    scoring_algorithm: Patch<String>,
}

impl RegradeForm {
    /// The key of the form.
    pub(crate) fn into_key(self) -> KeyForm {
        KeyForm { scoring_data: self.scoring_data, scoring_algorithm: self.scoring_algorithm }
    }
}

/// The item that is regraded, as sessions name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamedItem {
    pub(crate) item: ItemId,
    /// The question of its bank.
    pub(crate) entry: Option<BankEntryId>,
}

impl NamedItem {
    /// Reads `ITEM` or `ITEM-ENTRY`.
    pub(crate) fn read(text: &str) -> Result<Self> {
        let id = |text: &str| text.trim().parse::<i64>().ok().filter(|id| *id > 0);
        let named = match text.split_once('-') {
            None => id(text).map(|item| Self { item: ItemId(item), entry: None }),
            Some((item, entry)) => {
                let entry = id(entry).map(BankEntryId);
                id(item).zip(entry).map(|(item, entry)| Self { item: ItemId(item), entry: Some(entry) })
            }
        };
        named.ok_or_else(|| Error::invalid("item_id", "invalid", "must be an item of the quiz, or ITEM-ENTRY"))
    }

    /// As sessions name it.
    pub(crate) fn name(self) -> String {
        match self.entry {
            Some(entry) => format!("{}-{entry}", self.item),
            None => self.item.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_of_a_bank_is_named_by_its_item_and_its_entry() {
        let named = |text: &str| NamedItem::read(text).ok().map(NamedItem::name);
        assert_eq!(named("12").as_deref(), Some("12"));
        assert_eq!(named("12-34").as_deref(), Some("12-34"));
        for text in ["", "-", "12-", "-34", "12-x", "12-3-4", "oak"] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
