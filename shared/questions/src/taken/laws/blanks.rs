//! Answers in the blanks of a sentence: each algorithm of a blank, and what all blanks earn together.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use super::{asked, earned, id, whole_if};
use crate::sample::Sample;
use crate::{Fraction, Question};

/// Choices of a list and words of a bank have ids from here on, blanks from 0 on.
const FIRST_WORD: usize = 100;
const WORDS: usize = 4;

/// A blank with its scoring.
#[derive(Debug, Clone)]
struct Blank {
    answer_type: &'static str,
    algorithm: &'static str,
    scoring_data: Value,
}

impl Blank {
    fn typed(algorithm: &'static str, scoring_data: Value) -> Self {
        Self { answer_type: "openEntry", algorithm, scoring_data }
    }
}

fn words() -> Vec<Value> {
    let word = |number: usize| json!({"id": id(FIRST_WORD + number), "position": number + 1, "item_body": format!("word {number}")});
    (0..WORDS).map(word).collect()
}

fn sample(blanks: &[Blank]) -> Sample {
    let shown = blanks.iter().enumerate().map(|(place, blank)| {
        let mut shown = json!({"id": id(place), "answer_type": blank.answer_type});
        if blank.answer_type == "dropdown" {
            shown["choices"] = json!(words());
        }
        shown
    });
    let scored = blanks.iter().enumerate().map(|(place, blank)| {
        json!({"id": id(place), "scoring_algorithm": blank.algorithm, "scoring_data": blank.scoring_data})
    });
    Sample {
        item_body: (0..blanks.len()).map(|place| format!("<span id=\"blank_{}\"></span>", id(place))).collect(),
        interaction_data: json!({
            "blanks": shown.collect::<Vec<_>>(), "word_bank_choices": words(), "reuse_word_bank_choices": true,
        }),
        scoring_data: json!({"value": scored.collect::<Vec<_>>()}),
        ..Sample::new("rich-fill-blank", "MultipleMethods")
    }
}

fn one(blank: Blank) -> Question {
    asked(sample(&[blank]))
}

/// What a text earns in the only blank.
fn typed(question: &Question, text: &str) -> Fraction {
    earned(question, &json!({ id(0): text }))
}

/// The text with an edit: a letter less, more, or another one.
fn edited(mut text: Vec<char>, (place, kind, letter): (Index, u8, char)) -> Vec<char> {
    let place = place.index(text.len() + 1);
    match kind {
        0 if place < text.len() => _ = text.remove(place),
        1 if place < text.len() => text[place] = letter,
        _ => text.insert(place, letter),
    }
    text
}

fn kind_of_blank() -> impl Strategy<Value = (Blank, Value, Value)> {
    let bank = Blank {
        answer_type: "wordbank",
        algorithm: "TextEquivalence",
        scoring_data: json!({"value": "word 0", "choice_id": id(FIRST_WORD)}),
    };
    let list =
        Blank { answer_type: "dropdown", algorithm: "Equivalence", scoring_data: json!({"value": id(FIRST_WORD)}) };
    let (right, wrong) = (json!(id(FIRST_WORD)), json!(id(FIRST_WORD + 1)));
    prop_oneof![
        Just((bank, right.clone(), wrong.clone())),
        Just((list, right, wrong)),
        Just((Blank::typed("TextInChoices", json!({"value": ["oak"]})), json!("Oak"), json!("elm"))),
        Just((Blank::typed("TextRegex", json!({"value": "^oa?k$"})), json!("ok"), json!("Oak"))),
    ]
}

proptest! {
    #[test]
    fn a_text_is_one_of_the_choices_whatever_its_case(texts in prop::collection::vec("[abAB]{1,3}", 1..5), answer in "[abAB]{1,3}") {
        let question = one(Blank::typed("TextInChoices", json!({"value": texts})));
        let is_right = texts.iter().any(|text| text.eq_ignore_ascii_case(&answer));
        prop_assert_eq!(typed(&question, &answer), whole_if(is_right));
        prop_assert_eq!(typed(&question, &format!(" {answer}\n")), whole_if(is_right));
    }

    #[test]
    fn a_text_contains_the_answer_whatever_its_case(text in "[abAB]{1,3}", answer in "[abAB]{1,8}") {
        let question = one(Blank::typed("TextContainsAnswer", json!({"value": text})));
        let is_right = answer.to_ascii_lowercase().contains(&text.to_ascii_lowercase());
        prop_assert_eq!(typed(&question, &answer), whole_if(is_right));
    }

    #[test]
    fn a_text_is_close_after_so_many_edits(
        text in "[a-z]{4,9}", edits in prop::collection::vec((any::<Index>(), 0_u8..3, prop::char::range('a', 'z')), 0..4),
        beyond in 0_usize..3,
    ) {
        let close = edits.iter().copied().fold(text.chars().collect::<Vec<_>>(), edited);
        prop_assume!(!close.is_empty());
        let distance = edits.len() + beyond;
        let key = json!({"value": text, "ignore_case": false, "edit_distance": distance.max(1)});
        let question = one(Blank::typed("TextCloseEnough", key));
        prop_assert_eq!(typed(&question, &close.iter().collect::<String>()), whole_if(true));
        let far = format!("{text}{}", "z".repeat(distance.max(1) + 1));
        prop_assert_eq!(typed(&question, &far), whole_if(false));
    }

    #[test]
    fn case_counts_as_edits_unless_it_is_ignored(text in "[a-z]{3,9}", ignores_case: bool) {
        let key = json!({"value": text, "ignore_case": ignores_case, "edit_distance": 2});
        let question = one(Blank::typed("TextCloseEnough", key));
        prop_assert_eq!(typed(&question, &text.to_uppercase()), whole_if(ignores_case));
    }

    #[test]
    fn an_expression_of_words_finds_them(texts in prop::collection::vec("[abAB]{1,3}", 1..5), answer in "[abAB]{1,5}") {
        let of = |expression: String| one(Blank::typed("TextRegex", json!({"value": expression})));
        let words = texts.join("|");
        prop_assert_eq!(typed(&of(format!("^({words})$")), &answer), whole_if(texts.contains(&answer)));
        let is_inside = texts.iter().any(|text| answer.contains(text.as_str()));
        prop_assert_eq!(typed(&of(words), &answer), whole_if(is_inside));
    }

    #[test]
    fn a_word_of_a_list_or_bank_is_right_if_it_is_the_key(key in 0..WORDS, picked in 0..WORDS) {
        let (right, answer) = (id(FIRST_WORD + key), json!({ id(0): id(FIRST_WORD + picked) }));
        let list = Blank { answer_type: "dropdown", algorithm: "Equivalence", scoring_data: json!({"value": right}) };
        prop_assert_eq!(earned(&one(list), &answer), whole_if(key == picked));
        let text = format!("word {key}");
        for scoring_data in [json!({"value": text, "choice_id": right}), json!({"value": text})] {
            let bank = Blank { answer_type: "wordbank", algorithm: "TextEquivalence", scoring_data };
            prop_assert_eq!(earned(&one(bank), &answer), whole_if(key == picked));
        }
    }

    /// Of each blank: whether it is filled in rightly, wrongly, or not at all.
    #[test]
    fn blanks_have_the_same_share(rows in prop::collection::vec((kind_of_blank(), prop::option::of(any::<bool>())), 1..7)) {
        let blanks: Vec<_> = rows.iter().map(|((blank, _, _), _)| blank.clone()).collect();
        let filled = rows.iter().enumerate().filter_map(|(place, ((_, right, wrong), is_right))| {
            Some((id(place), if (*is_right)? { right.clone() } else { wrong.clone() }))
        });
        let response = Value::Object(filled.collect::<Map<_, _>>());
        let right = rows.iter().filter(|(_, is_right)| *is_right == Some(true)).count();
        let newer = sample(&blanks);
        let older = Sample { slug: "fill-blank", ..newer.clone() };
        for sample in [newer, older] {
            prop_assert_eq!(earned(&asked(sample), &response), Fraction::of_parts(right, rows.len()));
        }
    }
}
