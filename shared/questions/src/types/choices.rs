//! Choices: what a student of multiple choice and multiple answer picks from.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{JsonSchema, Result};

use crate::draw::Showing;
use crate::rich::Rich;
use crate::types::ensure;
use crate::types::parts::{Id, are_unique, require_few};

const FEWEST: usize = 2;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Choices {
    pub(crate) choices: Vec<Choice>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Choice {
    pub(crate) id: Id,
    /// Its position; its place in the list when it is left out.
    #[serde(default)]
    pub(crate) position: Option<i64>,
    #[serde(alias = "itemBody")]
    pub(crate) item_body: Rich,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct ShuffleRules {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) choices: Option<ShuffledChoices>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct ShuffledChoices {
    /// The zero-based places that keep their choice.
    #[serde(default, alias = "toLock")]
    pub(crate) to_lock: Vec<i64>,
    #[serde(default)]
    pub(crate) shuffled: bool,
}

impl Choices {
    pub(crate) fn check(&mut self) -> Result<()> {
        let field = "interaction_data[choices]";
        require_few(self.choices.len(), field)?;
        ensure(self.choices.len() >= FEWEST, field, "must have at least two choices")?;
        ensure(are_unique(self.ids()), field, "must have ids that differ")?;
        for (place, choice) in (1..).zip(&mut self.choices) {
            ensure(!choice.item_body.is_blank(), "interaction_data[choices][][item_body]", "can't be blank")?;
            choice.position.get_or_insert(place);
        }
        Ok(())
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &Id> + Clone {
        self.choices.iter().map(|choice| &choice.id)
    }

    /// Refuses references to choices that are not there.
    pub(crate) fn require_choices<'a>(&self, named: impl IntoIterator<Item = &'a Id>, field: &str) -> Result<()> {
        let ids: BTreeSet<_> = self.ids().collect();
        ensure(named.into_iter().all(|id| ids.contains(id)), field, "must be the id of a choice")
    }

    /// The choices of a student: in the author's order, or shuffled but for the places that are locked.
    pub(crate) fn shown(&self, rules: Option<&ShuffleRules>, showing: &mut Showing) -> Value {
        let rules = rules.and_then(|rules| rules.choices.as_ref());
        let mut choices: Vec<_> = self.choices.iter().collect();
        choices.sort_by_key(|choice| choice.position);
        if showing.shuffle_answers || rules.is_some_and(|rules| rules.shuffled) {
            let locked = rules.iter().flat_map(|rules| &rules.to_lock);
            let locked = locked.filter_map(|place| usize::try_from(*place).ok()).collect();
            choices = showing.draw.shuffle_but(choices, &locked);
        }
        let shown = |choice: &Choice| json!({"id": choice.id, "item_body": choice.item_body});
        json!({ "choices": choices.into_iter().map(shown).collect::<Vec<_>>() })
    }

    pub(crate) fn check_rules(&self, rules: Option<&ShuffleRules>) -> Result<()> {
        let Some(rules) = rules.and_then(|rules| rules.choices.as_ref()) else { return Ok(()) };
        let is_place = |index: &i64| usize::try_from(*index).is_ok_and(|index| index < self.choices.len());
        let holds = rules.to_lock.iter().all(is_place) && are_unique(&rules.to_lock);
        ensure(
            holds,
            "properties[shuffle_rules][choices][to_lock]",
            "must hold zero-based positions of choices, each once",
        )
    }
}
