//! A blank in a sentence, and the words to choose for it.

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::types::ensure;
use crate::types::parts::{Id, are_unique, is_blank, present, require_few};

pub(crate) const FEWEST_CHOICES: usize = 2;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Blank {
    pub(crate) id: Id,
    pub(crate) answer_type: AnswerType,
    /// Of a dropdown; null in a blank of a word bank, and left out where the answer is typed.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub(crate) choices: Option<Option<Vec<Word>>>,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum AnswerType {
    OpenEntry,
    Dropdown,
    #[serde(rename = "wordbank")]
    WordBank,
}

/// Plain text to choose.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Word {
    pub(crate) id: Id,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<i64>,
    #[serde(alias = "itemBody")]
    pub(crate) item_body: String,
}

impl Blank {
    pub(crate) fn check(&mut self) -> Result<()> {
        let field = "interaction_data[blanks][][choices]";
        let choices = self.choices.iter_mut().flatten().next();
        if self.answer_type != AnswerType::Dropdown {
            ensure(choices.is_none_or(|choices| choices.is_empty()), field, "is only for dropdown")?;
            self.choices = (self.answer_type == AnswerType::WordBank).then_some(None);
            return Ok(());
        }
        let choices = choices.map(Vec::as_mut_slice).unwrap_or_default();
        for (place, choice) in (1..).zip(&mut *choices) {
            choice.position.get_or_insert(place);
        }
        check_words(choices, field)
    }

    /// The choices of a dropdown.
    pub(crate) fn words(&self) -> &[Word] {
        self.choices.iter().flatten().next().map(Vec::as_slice).unwrap_or_default()
    }

    /// The choices of a dropdown by their position.
    pub(crate) fn in_order(&self) -> Vec<&Word> {
        let mut words: Vec<_> = self.words().iter().collect();
        words.sort_by_key(|word| word.position);
        words
    }

    pub(crate) fn has_choice(&self, id: &str) -> bool {
        self.choices.iter().flatten().flatten().any(|choice| choice.id.as_str() == id)
    }
}

pub(crate) fn check_words(words: &[Word], field: &str) -> Result<()> {
    require_few(words.len(), field)?;
    ensure(words.len() >= FEWEST_CHOICES, field, "must have at least two choices")?;
    ensure(are_unique(words.iter().map(|word| &word.id)), field, "must have ids that differ")?;
    ensure(!words.iter().any(|word| is_blank(&word.item_body)), &format!("{field}[][item_body]"), "can't be blank")
}
