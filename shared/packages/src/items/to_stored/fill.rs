//! Blanks in a sentence.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Parts, set};
use crate::ident;
use crate::items::blanks;
use crate::model::{Blank, BlankAnswer, Blanks, Choice, Question, TextRule, Typed};

/// A sentence that ends with its only blank.
pub(super) fn short_answer(question: &Question, typed: &Typed) -> Parts {
    let blank = Blank { name: "answer".to_owned(), answer: BlankAnswer::Typed(typed.clone()) };
    rich_fill_blank(question, &Blanks { blanks: vec![blank], ..Blanks::default() })
}

pub(super) fn rich_fill_blank(question: &Question, own: &Blanks) -> Parts {
    let id = |name: &str| ident::uuid(&question.id, name);
    let ids: Vec<_> = own.blanks.iter().map(|blank| (blank.name.as_str(), id(&blank.name))).collect();
    // Of several words with an id, the first counts.
    let words: BTreeMap<_, _> = own.words.iter().rev().map(|word| (word.id.as_str(), word)).collect();
    let mut interaction = json!({"blanks": []});
    let mut scoring = Vec::new();
    let mut rules = Map::new();
    let mut blank_values = Vec::new();
    for (place, blank) in own.blanks.iter().enumerate() {
        let blank_id = id(&blank.name);
        let (value, algorithm, answer, shuffled) = match &blank.answer {
            BlankAnswer::Typed(typed) => {
                let (algorithm, answer) = typed_scoring(typed);
                (json!({"id": blank_id, "answer_type": "openEntry"}), algorithm, answer, None)
            }
            BlankAnswer::Dropdown(choices) => {
                let name = |choice: &Choice| ident::uuid(&format!("{}/{}", question.id, blank.name), &choice.id);
                let choice = |(position, choice): (i64, &Choice)| json!({"id": name(choice), "position": position, "item_body": choice.text.plain()});
                let listed: Vec<_> = (1..).zip(&choices.options).map(choice).collect();
                let right = choices.options.iter().find(|choice| choice.right).or(choices.options.first());
                let answer = json!({"value": right.map(name), "blank_text": right.map(|choice| choice.text.plain())});
                let value = json!({"id": blank_id, "answer_type": "dropdown", "choices": listed});
                (value, "Equivalence", answer, Some(choices.shuffled))
            }
            BlankAnswer::Word(word) => {
                let word = words.get(word.as_str());
                let text = word.map(|word| word.text.plain().into_owned()).unwrap_or_default();
                let choice = word.map(|word| id(&word.id));
                let answer = json!({"value": text, "choice_id": choice, "blank_text": text});
                (
                    json!({"id": blank_id, "answer_type": "wordbank", "choices": null}),
                    "TextEquivalence",
                    answer,
                    Some(true),
                )
            }
        };
        blank_values.push(value);
        scoring.push(json!({"id": blank_id, "scoring_algorithm": algorithm, "scoring_data": answer}));
        let children = shuffled.map(|shuffled| json!({"choices": {"shuffled": shuffled}}));
        rules.insert(place.to_string(), json!({ "children": children }));
    }
    set(&mut interaction, "blanks", Value::Array(blank_values));
    if !own.words.is_empty() {
        let word = |word: &Choice| json!({"id": id(&word.id), "item_body": word.text.plain()});
        set(&mut interaction, "word_bank_choices", own.words.iter().map(word).collect());
        set(&mut interaction, "reuse_word_bank_choices", json!(own.reuse_words));
    }
    Parts {
        properties: json!({"shuffle_rules": {"blanks": {"children": rules}}}),
        body: Some(blanks::to_spans(&question.body, &ids)),
        ..Parts::new("rich-fill-blank", "MultipleMethods", interaction, json!({ "value": scoring }))
    }
}

/// The older type: the last paragraph of the body is the sentence, in pieces of text and blanks; what stands before it asks
/// for it. `None` where there is no such paragraph, or a blank is not in it.
pub(super) fn fill_blank(question: &Question, own: &Blanks) -> Option<Parts> {
    let (prompt, sentence) = question.body.trim_end().strip_suffix("</p>")?.rsplit_once("<p>")?;
    let ids: BTreeMap<_, _> =
        own.blanks.iter().map(|blank| (blank.name.as_str(), ident::uuid(&question.id, &blank.name))).collect();
    let pieces = pieces(sentence, &ids);
    let placed = pieces.iter().filter(|piece| matches!(piece, Piece::Blank(_))).count();
    if placed != own.blanks.len() || ids.len() != own.blanks.len() {
        return None;
    }
    let stem = (1..).zip(&pieces).map(|(position, piece): (i64, _)| {
        let id = ident::uuid(&question.id, &format!("stem {position}"));
        match piece {
            Piece::Text(text) => json!({"id": id, "type": "text", "position": position, "value": text}),
            Piece::Blank(blank) => json!({"id": id, "type": "blank", "position": position, "blank_id": blank}),
        }
    });
    let stem: Vec<_> = stem.collect();
    let mut parts = rich_fill_blank(question, own);
    set(&mut parts.interaction, "prompt", json!(prompt));
    set(&mut parts.interaction, "stem_items", Value::Array(stem));
    let body = if prompt.trim().is_empty() { question.body.as_str() } else { prompt };
    Some(Parts { slug: "fill-blank", body: Some(body.to_owned()), properties: json!({}), ..parts })
}

/// A part of a sentence.
enum Piece<'a> {
    Text(String),
    /// The id of the blank.
    Blank(&'a str),
}

/// The sentence with its blanks apart, which are their names in brackets.
fn pieces<'a>(sentence: &str, ids: &'a BTreeMap<&str, String>) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = sentence;
    while let Some((before, inner)) = rest.split_once('[') {
        text.push_str(before);
        let end = inner.find(['[', ']']).and_then(|end| inner.split_at_checked(end));
        let blank = end.and_then(|(name, after)| Some((ids.get(name)?, after.strip_prefix(']')?)));
        match blank {
            Some((id, after)) => {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Blank(id));
                rest = after;
            }
            None => {
                text.push('[');
                rest = inner;
            }
        }
    }
    text.push_str(rest);
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

fn typed_scoring(typed: &Typed) -> (&'static str, Value) {
    let texts: Vec<_> = typed.accepted.iter().map(|choice| choice.text.plain().into_owned()).collect();
    let first = texts.first().cloned().unwrap_or_default();
    let shown = typed.shown.clone().unwrap_or_else(|| first.clone());
    match typed.rule {
        TextRule::Same => ("TextInChoices", json!({"value": texts, "blank_text": shown})),
        TextRule::Contains => ("TextContainsAnswer", json!({"value": first, "blank_text": shown})),
        TextRule::Regex => ("TextRegex", json!({"value": first, "blank_text": shown})),
        TextRule::CloseEnough { ignore_case, distance } => {
            let answer =
                json!({"value": first, "blank_text": shown, "ignore_case": ignore_case, "edit_distance": distance});
            ("TextCloseEnough", answer)
        }
    }
}
