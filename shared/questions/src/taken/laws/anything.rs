//! Responses that are anything at all, to a question of each type.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use super::asked;
use crate::sample::{A, B, C, D, Sample};
use crate::{Fraction, Question, ScoreState, check_response, for_student, published, score};

/// The questions that are published as examples, and one of the type that is not made any more.
static QUESTIONS: LazyLock<Vec<(Question, Option<usize>)>> = LazyLock::new(|| {
    let blank = json!({"id": A, "scoring_algorithm": "TextRegex", "scoring_data": {"value": "(?=x)"}});
    let older = asked(Sample {
        interaction_data: json!({
            "blanks": [{"id": A, "answer_type": "openEntry"}],
            "stem_items": [{"id": "1", "position": 1, "type": "blank", "blank_id": A}],
        }),
        scoring_data: json!({"value": [blank]}),
        ..Sample::new("fill-blank", "MultipleMethods")
    });
    let mut all = published::examples();
    all.push((older, None));
    all
});

/// Values that are often a part of an answer.
fn piece() -> impl Strategy<Value = Value> {
    let named = [A, B, C, D, "1", "2", "tree", "bird", "0.3", "x", ""].map(|text| json!(text));
    prop_oneof![
        4 => prop::sample::select(named.to_vec()),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => (-1.0..2.0).prop_map(Value::from),
        1 => "\\PC{0,12}".prop_map(Value::from),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![prop::sample::select(vec![A, B, "1", "2", "x", "y"]).prop_map(str::to_owned), "\\PC{0,4}"]
}

fn response() -> impl Strategy<Value = Value> {
    piece().prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..5).prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_fits_is_scored_and_what_does_not_is_told(which: Index, response in response()) {
        let (question, variant) = which.get(&QUESTIONS);
        let checked = check_response(question, &response);
        let scored = score(question, Some(&response), *variant);
        prop_assert_eq!(checked.err(), scored.as_ref().err().cloned());
        let Ok(scored) = scored else { return Ok(()) };
        prop_assert!(scored.fraction >= Fraction::zero() && scored.fraction <= Fraction::one());
        let parts: Fraction = scored.parts.iter().map(|part| part.earned.clone()).sum();
        match scored.state {
            ScoreState::Unanswered => prop_assert!(scored.fraction.is_zero() && scored.parts.is_empty()),
            // Wrong picks take away no more than there is.
            _ => prop_assert_eq!(&scored.fraction, &parts.not_negative()),
        }
        let waits = matches!(question.slug(), "essay" | "file-upload" | "fill-blank");
        prop_assert_eq!(scored.state == ScoreState::WaitsForPerson, waits && scored.state != ScoreState::Unanswered);
    }

    #[test]
    fn what_is_shown_follows_from_the_seed(which: Index, seed: u64, shuffles: bool) {
        let (question, variant) = which.get(&QUESTIONS);
        let [one, other] = [(); 2].map(|()| for_student(question, seed, *variant, shuffles));
        prop_assert_eq!(one, other);
    }
}
