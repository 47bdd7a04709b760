//! What students see: nothing of what is right.

use proptest::prelude::*;
use serde_json::json;

use crate::sample::{A, B, C, D, Sample};
use crate::taken::{Question, QuestionColumns, StudentView, for_student};

fn columns(sample: Sample) -> QuestionColumns {
    sample.question().into()
}

fn shown(sample: Sample, seed: u64, variant: Option<usize>, shuffle_answers: bool) -> StudentView {
    for_student(&Question::parse(columns(sample)).unwrap(), seed, variant, shuffle_answers)
}

fn ordering() -> Sample {
    let choice = |id: &str, text: &str| json!({"id": id, "item_body": text});
    Sample {
        interaction_data: json!({"choices": {A: choice(A, "1"), B: choice(B, "2"), C: choice(C, "3")}}),
        properties: json!({"top_label": "first", "bottom_label": "last", "include_labels": true}),
        scoring_data: json!({"value": [B, A, C]}),
        ..Sample::new("ordering", "DeepEquals")
    }
}

fn choice() -> Sample {
    let choice = |id: &str| json!({"id": id, "item_body": id});
    Sample {
        interaction_data: json!({"choices": [choice(A), choice(B), choice(C), choice(D)]}),
        properties: json!({"shuffle_rules": {"choices": {"to_lock": [3], "shuffled": false}}}),
        scoring_data: json!({"value": A, "values": [{"value": A, "points": 77}]}),
        answer_feedback: json!({A: "secret"}),
        ..Sample::new("choice", "Equivalence")
    }
}

fn blanks() -> Sample {
    Sample {
        item_body: format!("<p><span id=\"blank_{A}\">Earth</span> and <span id=\"blank_{B}\"></span></p>"),
        interaction_data: json!({
            "blanks": [{"id": A, "answer_type": "openEntry"}, {"id": B, "answer_type": "wordbank", "choices": null}],
            "word_bank_choices": [{"id": C, "item_body": "x"}, {"id": D, "item_body": "y"}],
        }),
        scoring_data: json!({"working_item_body": "`Earth` and `x`", "value": [
            {"id": A, "scoring_algorithm": "TextInChoices", "scoring_data": {"value": ["Earth"], "blank_text": "Earth"}},
            {"id": B, "scoring_algorithm": "TextEquivalence", "scoring_data": {"value": "x", "choice_id": C}},
        ]}),
        ..Sample::new("rich-fill-blank", "MultipleMethods")
    }
}

fn ids(view: &StudentView) -> Vec<&str> {
    view.interaction_data["choices"].as_array().unwrap().iter().map(|choice| choice["id"].as_str().unwrap()).collect()
}

#[test]
fn answers_inside_of_blanks_are_not_shown() {
    let view = shown(blanks(), 1, None, false);
    assert_eq!(view.item_body, format!("<p><span id=\"blank_{A}\"></span> and <span id=\"blank_{B}\"></span></p>"));
    assert!(!format!("{view:?}").contains("Earth"), "{view:?}");
    let ticks = Sample { item_body: "`Earth` and `x`".to_owned(), ..blanks() };
    let error = Question::parse(columns(ticks)).unwrap_err();
    assert_eq!(error.to_string(), "item_body must mark each blank once");
}

#[test]
fn the_numbers_of_a_variant_stand_in_the_body() {
    let solution = |x: &str, y: &str| json!({"inputs": [{"name": "x", "value": x}], "output": y});
    let sample = Sample {
        item_body: "Half of `x`, in `code`?".to_owned(),
        scoring_data: json!({"value": {
            "formula": "x / 2", "numeric": {"type": "marginOfError", "margin": "0", "margin_type": "percent"},
            "variables": [{"name": "x", "min": "1", "max": "9", "precision": 0}], "answer_count": "2",
            "generated_solutions": [solution("7", "3.5"), solution("8", "4")],
        }}),
        ..Sample::new("formula", "Numeric")
    };
    let view = shown(sample, 1, Some(1), false);
    assert_eq!(view.item_body, "Half of 8, in `code`?");
    assert_eq!(view.interaction_data, json!({"variables": [{"name": "x", "value": "8"}]}));
}

#[test]
fn nothing_of_scoring_is_shown() {
    for sample in [ordering(), choice(), blanks()] {
        let told = format!("{:?}", shown(sample, 3, None, true));
        for secret in ["values", "points", "secret", "blank_text", "choice_id", "working", "scoring"] {
            assert!(!told.contains(secret), "{secret}: {told}");
        }
    }
    let essay = Sample { scoring_data: json!({"value": "secret"}), ..Sample::new("essay", "None") };
    assert!(!format!("{:?}", shown(essay, 3, None, true)).contains("secret"));
}

#[test]
fn choices_are_shuffled_where_somebody_says_so() {
    assert_eq!(ids(&shown(choice(), 5, None, false)), [A, B, C, D]);
    let orders: std::collections::BTreeSet<_> =
        (0..100).map(|seed| format!("{:?}", ids(&shown(choice(), seed, None, true)))).collect();
    assert_eq!(orders.len(), 6);
}

proptest! {
    #[test]
    fn the_right_order_is_never_shown(seed: u64) {
        let view = shown(ordering(), seed, None, false);
        prop_assert_ne!(ids(&view), [B, A, C]);
    }

    #[test]
    fn a_locked_choice_stays(seed: u64) {
        let view = shown(choice(), seed, None, true);
        prop_assert_eq!(ids(&view).last().copied(), Some(D));
    }
}
