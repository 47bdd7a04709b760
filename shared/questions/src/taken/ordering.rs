//! Ordering: the list of all ids, in the student's order.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::draw::Showing;
use crate::response::{Part, Read};
use crate::score::Score;
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::ordering::Ordering;
use crate::types::parts::{Id, Labelled};

/// From so many choices on the right order is never shown. Of two, never showing it would tell it.
const FEWEST_TO_AVOID: usize = 3;

impl Taken for Ordering {
    type Response<'a> = Vec<&'a str>;

    fn read<'a>(asked: &Draft<Self>, response: &Part<'a>) -> Read<Option<Vec<&'a str>>> {
        let known: BTreeSet<_> = asked.interaction_data.choices.keys().map(Id::as_str).collect();
        let order = response.ids(&known, "a choice")?;
        if order.is_empty() {
            return Ok(None);
        }
        if order.len() < known.len() {
            return response.refuse("must name each choice once");
        }
        Ok(Some(order))
    }

    /// Choices of the same text may stand in each other's place.
    fn score(asked: &Draft<Self>, order: Vec<&str>, _: Option<usize>) -> Read<Score> {
        let right: Vec<_> = asked.scoring_data.value.iter().map(Id::as_str).collect();
        let pieces = order.iter().enumerate().map(|(place, id)| {
            let is_right = right.get(place).is_some_and(|right| right == id || reads_the_same(asked, right, id));
            ((*id).to_owned(), is_right)
        });
        Ok(Score::all_or_nothing(pieces.collect()))
    }

    /// Choices are always shuffled.
    fn show(asked: &Draft<Self>, showing: &mut Showing) -> Value {
        let mut choices: Vec<_> = asked.interaction_data.choices.values().collect();
        showing.draw.shuffle(&mut choices);
        let has_another = choices.len() >= FEWEST_TO_AVOID;
        if has_another && is_right(asked, &choices) {
            choices.rotate_left(1);
        }
        json!({ "choices": choices })
    }

    fn properties(asked: &Draft<Self>) -> Value {
        let own = &asked.properties;
        json!({
            "top_label": own.top_label,
            "bottom_label": own.bottom_label,
            "include_labels": own.include_labels.unwrap_or_default(),
            "display_answers_paragraph": own.display_answers_paragraph.unwrap_or_default(),
        })
    }
}

fn is_right(asked: &Draft<Ordering>, choices: &[&Labelled]) -> bool {
    choices.iter().map(|choice| &choice.id).eq(&asked.scoring_data.value)
}

fn reads_the_same(asked: &Draft<Ordering>, one: &str, other: &str) -> bool {
    let choices = &asked.interaction_data.choices;
    let body = |id: &str| choices.values().find(|choice| choice.id.as_str() == id).map(|choice| &choice.item_body);
    body(one).is_some() && body(one) == body(other)
}
