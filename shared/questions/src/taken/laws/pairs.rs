//! Answers that put things together: matches and categories.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{asked, earned, id, ids, labelled, whole_if};
use crate::sample::Sample;
use crate::{Fraction, Question};

/// The answers that there are to match, right and wrong.
const ANSWERS: [&str; 4] = ["leaf", "root", "seed", "bark"];
/// Answers have ids from here on, categories from 0 on.
const FIRST_ANSWER: usize = 100;

fn matching(algorithm: &'static str, rows: &[(usize, Option<usize>)]) -> Question {
    let question = |number: usize| json!({"id": number.to_string(), "item_body": format!("Question {number}")});
    let key: Map<_, _> =
        rows.iter().enumerate().map(|(number, row)| (number.to_string(), json!(ANSWERS[row.0]))).collect();
    asked(Sample {
        interaction_data: json!({"answers": ANSWERS, "questions": (0..rows.len()).map(question).collect::<Vec<_>>()}),
        scoring_data: json!({"value": key}),
        ..Sample::new("matching", algorithm)
    })
}

/// The answers of a category; `None` is the place of those that are in none.
fn members(category: usize, places: &[Option<usize>]) -> Vec<String> {
    ids((0..places.len()).filter(|answer| places[*answer] == Some(category)).map(|answer| FIRST_ANSWER + answer))
}

fn categorization(categories: usize, right: &[Option<usize>], method: Option<&str>) -> Question {
    let rows = (0..categories).map(|category| {
        json!({"id": id(category), "scoring_algorithm": "AllOrNothing",
               "scoring_data": {"value": members(category, right)}})
    });
    let mut scoring = json!({"value": rows.collect::<Vec<_>>()});
    if let Some(method) = method {
        scoring["score_method"] = json!(method);
    }
    asked(Sample {
        interaction_data: json!({
            "categories": labelled(0, categories),
            "distractors": labelled(FIRST_ANSWER, right.len()),
            "category_order": ids(0..categories),
        }),
        scoring_data: scoring,
        ..Sample::new("categorization", "Categorization")
    })
}

proptest! {
    /// Of each question: its right answer, and the one that is given.
    #[test]
    fn matches_earn_together_or_each_its_share(
        rows in prop::collection::vec((0..ANSWERS.len(), prop::option::of(0..ANSWERS.len())), 1..7),
    ) {
        let given = rows.iter().enumerate().map(|(number, (_, answer))| {
            (number.to_string(), answer.map_or(Value::Null, |answer| json!(ANSWERS[answer])))
        });
        let given = Value::Object(given.collect());
        let right = rows.iter().filter(|(key, answer)| Some(*key) == *answer).count();
        let [whole, partial] = ["DeepEquals", "PartialDeep"].map(|algorithm| matching(algorithm, &rows));
        prop_assert_eq!(earned(&whole, &given), whole_if(right == rows.len()));
        prop_assert_eq!(earned(&partial, &given), Fraction::of_parts(right, rows.len()));
    }

    /// Of each answer: the category where it belongs, and the one where it is put.
    #[test]
    fn categories_earn_together_or_each_its_share(
        (categories, rows) in (1_usize..5).prop_flat_map(|categories| {
            let place = || prop::option::of(0..categories);
            (Just(categories), prop::collection::vec((place(), place()), 1..8))
        }),
    ) {
        let (right, placed): (Vec<_>, Vec<_>) = rows.iter().copied().unzip();
        prop_assume!(placed.iter().any(Option::is_some));
        let response: Map<_, _> = (0..categories).map(|category| (id(category), json!(members(category, &placed)))).collect();
        let response = Value::Object(response);
        let is_wrong = |category: usize| rows.iter().any(|(right, placed)| {
            right != placed && [*right, *placed].contains(&Some(category))
        });
        let right_ones = (0..categories).filter(|category| !is_wrong(*category)).count();
        let share = Fraction::of_parts(right_ones, categories);
        for method in [None, Some("by_category")] {
            prop_assert_eq!(earned(&categorization(categories, &right, method), &response), share.clone());
        }
        let whole = categorization(categories, &right, Some("all_or_nothing"));
        prop_assert_eq!(earned(&whole, &response), whole_if(right_ones == categories));
    }
}
