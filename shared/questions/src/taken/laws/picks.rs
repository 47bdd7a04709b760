//! Answers that pick or order choices: true or false, one of several, several of many, an order.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use super::{asked, earned, id, ids, whole_if};
use crate::sample::Sample;
use crate::{Fraction, Question};

fn choices(count: usize) -> Value {
    let choice = |number| json!({"id": id(number), "position": number + 1, "item_body": format!("Choice {number}")});
    json!({"choices": (0..count).map(choice).collect::<Vec<_>>()})
}

fn several(algorithm: &'static str, rows: &[(bool, bool)]) -> Question {
    let right = (0..rows.len()).filter(|number| rows[*number].0);
    asked(Sample {
        interaction_data: choices(rows.len()),
        scoring_data: json!({"value": ids(right)}),
        ..Sample::new("multi-answer", algorithm)
    })
}

proptest! {
    #[test]
    fn true_or_false_is_right_if_it_is_the_key(key: bool, picked: bool) {
        let question = asked(Sample {
            interaction_data: json!({"true_choice": "Yes", "false_choice": "No"}),
            scoring_data: json!({"value": key}),
            ..Sample::new("true-false", "Equivalence")
        });
        prop_assert_eq!(earned(&question, &json!(picked)), whole_if(key == picked));
    }

    #[test]
    fn a_choice_is_right_if_it_is_the_key(count in 2_usize..8, key: Index, picked: Index) {
        let (key, picked) = (key.index(count), picked.index(count));
        let question = asked(Sample {
            interaction_data: choices(count),
            scoring_data: json!({"value": id(key)}),
            ..Sample::new("choice", "Equivalence")
        });
        prop_assert_eq!(earned(&question, &json!(id(picked))), whole_if(key == picked));
    }

    #[test]
    fn a_choice_earns_its_part_of_the_highest_points(cents in prop::collection::vec(0_u16..500, 2..8), picked: Index) {
        let picked = picked.index(cents.len());
        let points = |number: usize| f64::from(cents[number]) / 100.0;
        let values = (0..cents.len()).map(|number| json!({"value": id(number), "points": points(number)}));
        let question = asked(Sample {
            interaction_data: choices(cents.len()),
            scoring_data: json!({"value": id(0), "values": values.collect::<Vec<_>>()}),
            ..Sample::new("choice", "VaryPointsByAnswer")
        });
        let highest = cents.iter().max().copied().unwrap();
        let expected = Fraction::of_parts(cents[picked].into(), highest.into());
        prop_assert_eq!(earned(&question, &json!(id(picked))), expected);
    }

    /// Of each choice: whether it is right, and whether it is picked.
    #[test]
    fn several_choices_earn_by_what_is_right_and_what_is_not(rows in prop::collection::vec(any::<(bool, bool)>(), 2..9)) {
        prop_assume!(rows.iter().any(|(right, _)| *right) && rows.iter().any(|(_, picked)| *picked));
        let mut picked = ids((0..rows.len()).filter(|number| rows[*number].1));
        let count = |own: (bool, bool)| rows.iter().filter(|row| **row == own).count();
        let (hits, misses, forgotten) = (count((true, true)), count((false, true)), count((true, false)));
        let share = Fraction::of_parts(hits.saturating_sub(misses), hits + forgotten);
        let [whole, partial] = ["AllOrNothing", "PartialScore"].map(|algorithm| several(algorithm, &rows));
        for _ in 0..2 {
            prop_assert_eq!(earned(&whole, &json!(picked)), whole_if(misses + forgotten == 0));
            prop_assert_eq!(earned(&partial, &json!(picked)), share.clone());
            picked.reverse();
        }
    }

    /// The right order is that of the numbers; some choices have the same text.
    #[test]
    fn an_order_is_right_if_each_place_reads_right(
        (texts, order) in prop::collection::vec(0_u8..4, 2..7).prop_flat_map(|texts| {
            let order = (0..texts.len()).collect::<Vec<_>>();
            (Just(texts), Just(order).prop_shuffle())
        }),
    ) {
        let choice = |number: usize| json!({"id": id(number), "item_body": format!("Text {}", texts[number])});
        let choices: Map<_, _> = (0..texts.len()).map(|number| (id(number), choice(number))).collect();
        let question = asked(Sample {
            interaction_data: json!({"choices": choices}),
            scoring_data: json!({"value": ids(0..texts.len())}),
            ..Sample::new("ordering", "DeepEquals")
        });
        let reads_right = order.iter().map(|number| texts[*number]).eq(texts.iter().copied());
        prop_assert_eq!(earned(&question, &json!(ids(order.clone()))), whole_if(reads_right));
    }
}
