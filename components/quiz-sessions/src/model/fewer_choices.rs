//! An accommodation: questions with one right choice show a wrong choice less, where four are left to choose from before it.

use questions::question::StoredQuestion;
use questions::{Draw, seed_of};
use serde_json::Value;

/// The number of choices from which on one goes.
const MIN_CHOICES: usize = 4;
/// The part of a question's seed that says which.
const REMOVAL: u64 = 2;

/// Takes one choice that is wrong by the key out of what the student sees of a question. That is the key of the moment at which the
/// session began: what was asked stays, whatever a regrade says is right.
pub(crate) fn reduce(interaction_data: &mut Value, question: &StoredQuestion, key: &Value, seed: u64) {
    if question.interaction_type_slug != "choice" {
        return;
    }
    let Some(choices) = interaction_data.get_mut("choices").and_then(Value::as_array_mut) else { return };
    if choices.len() < MIN_CHOICES {
        return;
    }
    let mut wrong: Vec<_> = choices.iter().filter_map(|choice| choice["id"].as_str()).map(str::to_owned).collect();
    // The order in which they are shown may change; which one goes may not.
    wrong.sort_unstable();
    wrong.retain(|id| is_worthless(key, id));
    let drawn = Draw::new(seed_of(seed, REMOVAL)).below(wrong.len());
    if let Some(removed) = wrong.get(drawn) {
        choices.retain(|choice| choice["id"].as_str() != Some(removed));
    }
}

/// True if the choice is wrong, and earns nothing where each has its own points.
fn is_worthless(scoring_data: &Value, id: &str) -> bool {
    let values = scoring_data["values"].as_array().map(Vec::as_slice).unwrap_or_default();
    let points = |value: &Value| value["points"].as_f64().unwrap_or_default();
    let earns = values.iter().any(|value| value["value"].as_str() == Some(id) && points(value) > 0.0);
    scoring_data["value"].as_str() != Some(id) && !earns
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(scoring_data: &Value) -> StoredQuestion {
        serde_json::from_value(json!({
            "title": null, "item_body": "?", "calculator_type": "none", "feedback": {},
            "interaction_type_slug": "choice", "interaction_data": {}, "properties": {},
            "scoring_data": scoring_data, "answer_feedback": {}, "scoring_algorithm": "Equivalence",
        }))
        .unwrap()
    }

    fn left(ids: &[&str], scoring_data: &Value, seed: u64) -> Vec<String> {
        let choices: Vec<_> = ids.iter().map(|id| json!({ "id": id, "item_body": id })).collect();
        let mut data = json!({ "choices": choices });
        reduce(&mut data, &question(scoring_data), scoring_data, seed);
        data["choices"].as_array().unwrap().iter().map(|choice| choice["id"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn one_wrong_choice_of_four_goes() {
        for seed in 0..20 {
            let first = left(&["a", "b", "c", "d"], &json!({"value": "b"}), seed);
            assert_eq!(first.len(), 3);
            assert!(first.contains(&"b".to_owned()), "{first:?}");
            let mut other = left(&["d", "c", "b", "a"], &json!({"value": "b"}), seed);
            other.reverse();
            assert_eq!(first, other, "the same, in whatever order they are shown");
        }
        assert_eq!(left(&["a", "b", "c"], &json!({"value": "b"}), 1).len(), 3);
    }

    #[test]
    fn a_choice_with_points_stays() {
        let scoring = json!({"value": "a", "values": [
            {"value": "a", "points": 3}, {"value": "b", "points": 1}, {"value": "c", "points": 1}, {"value": "d", "points": 0},
        ]});
        assert_eq!(left(&["a", "b", "c", "d"], &scoring, 5), ["a", "b", "c"]);
    }
}
