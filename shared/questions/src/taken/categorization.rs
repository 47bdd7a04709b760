//! Categorization: an object with a list of ids of answers by the id of the category.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::draw::Showing;
use crate::response::{Part, Read};
use crate::score::Score;
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::categorization::{Categorization, Interaction};
use crate::types::parts::Id;

/// The method that gives all points or none; any other gives each category its share.
const WHOLE: &str = "all_or_nothing";

impl Taken for Categorization {
    type Response<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

    fn read<'a>(asked: &Draft<Self>, response: &Part<'a>) -> Read<Option<Self::Response<'a>>> {
        let Interaction { categories, distractors, .. } = &asked.interaction_data;
        let categories: BTreeSet<_> = categories.keys().map(Id::as_str).collect();
        let answers: BTreeSet<_> = distractors.keys().map(Id::as_str).collect();
        let mut placed = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (category, list) in response.members(categories.len())? {
            if !categories.contains(category) {
                return list.refuse("is not a category of it");
            }
            if list.is_nothing() {
                continue;
            }
            let ids: BTreeSet<_> = list.ids(&answers, "an answer")?.into_iter().collect();
            if ids.iter().any(|id| !seen.insert(*id)) {
                return list.refuse("has an answer that is in another category");
            }
            placed.insert(category, ids);
        }
        Ok(Some(placed).filter(|_| !seen.is_empty()))
    }

    fn score(asked: &Draft<Self>, placed: Self::Response<'_>, _: Option<usize>) -> Read<Score> {
        let nothing = BTreeSet::new();
        let rows: BTreeMap<_, BTreeSet<_>> = asked
            .scoring_data
            .value
            .iter()
            .map(|row| (row.id.as_str(), row.scoring_data.value.iter().map(Id::as_str).collect()))
            .collect();
        let pieces = asked.interaction_data.in_order().map(|category| {
            let id = category.id.as_str();
            let [own, right] = [placed.get(id), rows.get(id)].map(|ids| ids.unwrap_or(&nothing));
            (id.to_owned(), own == right)
        });
        let pieces = pieces.collect();
        Ok(match asked.scoring_data.score_method.as_deref() {
            Some(WHOLE) => Score::all_or_nothing(pieces),
            _ => Score::by_parts(pieces),
        })
    }

    /// Answers are always shuffled, and categories stay in their order.
    fn show(asked: &Draft<Self>, showing: &mut Showing) -> Value {
        let own = &asked.interaction_data;
        let mut answers: Vec<_> = own.distractors.values().collect();
        showing.draw.shuffle(&mut answers);
        json!({"categories": own.in_order().collect::<Vec<_>>(), "answers": answers})
    }
}
