//! Multiple answer: a list of ids of choices.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::draw::Showing;
use crate::fraction::Fraction;
use crate::response::{Part, Read};
use crate::score::{PartScore, Score, ScoreState};
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::multi_answer::MultiAnswer;
use crate::types::parts::Id;

impl Taken for MultiAnswer {
    type Response<'a> = Vec<&'a str>;

    fn read<'a>(asked: &Draft<Self>, response: &Part<'a>) -> Read<Option<Vec<&'a str>>> {
        let known: BTreeSet<_> = asked.interaction_data.ids().map(Id::as_str).collect();
        let picked = response.ids(&known, "a choice")?;
        Ok(Some(picked).filter(|picked| !picked.is_empty()))
    }

    fn score(asked: &Draft<Self>, picked: Vec<&str>, _: Option<usize>) -> Read<Score> {
        let right: BTreeSet<_> = asked.scoring_data.value.iter().map(Id::as_str).collect();
        let picked: BTreeSet<_> = picked.into_iter().collect();
        let is_exact = picked == right;
        let is_partial = asked.scoring_algorithm == "PartialScore";
        let shares = if is_partial || is_exact { right.len() } else { 0 };
        let share = Fraction::of_parts(1, shares);
        let parts = asked.interaction_data.ids().map(Id::as_str).filter(|id| picked.contains(id)).map(|id| {
            let is_right = right.contains(id);
            let earned = if is_right { share.clone() } else { Fraction::zero() - share.clone() };
            PartScore { id: id.to_owned(), is_right, earned }
        });
        let parts: Vec<_> = parts.collect();
        let hits = parts.iter().filter(|part| part.is_right).count();
        let misses = parts.len() - hits;
        let fraction = Fraction::of_parts(hits.saturating_sub(misses), shares);
        Ok(Score { fraction, parts, state: ScoreState::Scored })
    }

    fn show(asked: &Draft<Self>, showing: &mut Showing) -> Value {
        asked.interaction_data.shown(asked.properties.shuffle_rules.as_ref(), showing)
    }
}
