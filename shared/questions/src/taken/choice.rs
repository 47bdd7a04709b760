//! Multiple choice: the id of a choice.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::draw::Showing;
use crate::fraction::Fraction;
use crate::response::{Part, Read};
use crate::score::Score;
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::choice::{Choice, VARYING};
use crate::types::parts::Id;

impl Taken for Choice {
    type Response<'a> = &'a str;

    fn read<'a>(asked: &Draft<Self>, response: &Part<'a>) -> Read<Option<&'a str>> {
        if response.is_nothing() {
            return Ok(None);
        }
        let known: BTreeSet<_> = asked.interaction_data.ids().map(Id::as_str).collect();
        response.id(&known, "a choice").map(Some)
    }

    fn score(asked: &Draft<Self>, picked: &str, _: Option<usize>) -> Read<Score> {
        let is_right = picked == asked.scoring_data.value.as_str();
        if asked.scoring_algorithm == VARYING {
            return Ok(Score::worth(picked, is_right, share(asked, picked)));
        }
        Ok(Score::single(picked, is_right))
    }

    fn show(asked: &Draft<Self>, showing: &mut Showing) -> Value {
        asked.interaction_data.shown(asked.properties.shuffle_rules.as_ref(), showing)
    }
}

/// The points of the choice as a part of the most that any choice has.
fn share(asked: &Draft<Choice>, picked: &str) -> Fraction {
    let rows = asked.scoring_data.values.as_deref().unwrap_or_default();
    let most = rows.iter().map(|row| row.points).reduce(f64::max);
    let own = rows.iter().find(|row| row.value.as_str() == picked).map(|row| row.points);
    let [own, most] = [own, most].map(|points| Fraction::of_number(points.unwrap_or_default()));
    own.over(&most).not_negative()
}
