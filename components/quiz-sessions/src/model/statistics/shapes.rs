//! What there is to answer, by the type of question: its answers, and its parts where each is answered by itself.
//!
//! Questions are checked when they are stored, so that what is read here is there; of another shape nothing is listed.

use questions::question::StoredQuestion;
use quiz_reports::plain::plain_text;
use quiz_reports::questions::{KnownAnswer, KnownPart, Shape};
use serde_json::Value;

/// What there is to answer.
pub(super) fn shape(question: &StoredQuestion) -> Shape {
    let (data, scoring) = (&question.interaction_data.0, &question.scoring_data.0);
    match question.interaction_type_slug.as_str() {
        "true-false" => Shape::Answers(true_or_false(data, scoring)),
        "choice" | "multi-answer" => Shape::Answers(labelled(list(data, "choices"), |id| names(&scoring["value"], id))),
        "numeric" => Shape::Answers(list(scoring, "value").map(accepted_number).collect()),
        "matching" => Shape::Parts(matches(data, scoring)),
        "categorization" => Shape::Parts(categories(data, scoring)),
        "ordering" => Shape::Parts(places(data, scoring)),
        "rich-fill-blank" | "fill-blank" => Shape::Parts(blanks(data, scoring)),
        "essay" | "file-upload" => Shape::Read,
        _ => Shape::Plain,
    }
}

/// True if the question is right or wrong, as far as a program can tell.
pub(super) fn has_item_analysis(question: &StoredQuestion) -> bool {
    !matches!(question.interaction_type_slug.as_str(), "essay" | "file-upload")
}

fn true_or_false(data: &Value, scoring: &Value) -> Vec<KnownAnswer> {
    let answer = |value: bool, name: &str| KnownAnswer {
        id: value.to_string(),
        text: text(&data[name]),
        correct: scoring["value"] == Value::Bool(value),
    };
    vec![answer(true, "true_choice"), answer(false, "false_choice")]
}

/// Answers that are rich text with an id.
fn labelled<'a>(answers: impl Iterator<Item = &'a Value>, is_right: impl Fn(&str) -> bool) -> Vec<KnownAnswer> {
    let known = |answer: &Value| {
        let id = text(&answer["id"]);
        KnownAnswer { text: plain_text(&text(&answer["item_body"])), correct: is_right(&id), id }
    };
    answers.map(known).collect()
}

/// A number that is right, as its type says.
fn accepted_number(accepted: &Value) -> KnownAnswer {
    let part = |name: &str| text(&accepted[name]);
    let shown = match accepted["type"].as_str() {
        Some("withinARange") => format!("{} to {}", part("start"), part("end")),
        Some("marginOfError") => {
            let percent = if accepted["margin_type"] == "percent" { "%" } else { "" };
            format!("{} ± {}{percent}", part("value"), part("margin"))
        }
        _ => part("value"),
    };
    KnownAnswer { id: part("id"), text: shown, correct: true }
}

/// The questions that are matched. Answers have no ids: they stand for themselves.
fn matches(data: &Value, scoring: &Value) -> Vec<KnownPart> {
    let part = |question: &Value| {
        let id = text(&question["id"]);
        let mut answers: Vec<KnownAnswer> = Vec::new();
        for answer in list(data, "answers").map(text) {
            if answers.iter().all(|known| known.id != answer) {
                let correct = member(member(scoring, "value"), &id) == &Value::String(answer.clone());
                answers.push(KnownAnswer { id: answer.clone(), text: answer, correct });
            }
        }
        KnownPart { text: plain_text(&text(&question["item_body"])), id, answers }
    };
    list(data, "questions").map(part).collect()
}

fn categories(data: &Value, scoring: &Value) -> Vec<KnownPart> {
    let part = |id: &Value| {
        let id = text(id);
        let row = list(scoring, "value").find(|row| row["id"] == Value::String(id.clone()));
        let is_right =
            |answer: &str| row.is_some_and(|row| names(member(member(row, "scoring_data"), "value"), answer));
        let answers = labelled(members(&data["distractors"]), is_right);
        KnownPart { text: plain_text(&text(member(member(member(data, "categories"), &id), "item_body"))), id, answers }
    };
    list(data, "category_order").map(part).collect()
}

/// The places of an order, from 1.
fn places(data: &Value, scoring: &Value) -> Vec<KnownPart> {
    let part = |(place, right): (i64, &Value)| {
        let right = text(right);
        let answers = labelled(members(&data["choices"]), |id| id == right);
        KnownPart { id: place.to_string(), text: place.to_string(), answers }
    };
    (1..).zip(list(scoring, "value")).map(part).collect()
}

/// The blanks, by their places from 1. What is typed is held against the texts that are accepted.
fn blanks(data: &Value, scoring: &Value) -> Vec<KnownPart> {
    let part = |(place, blank): (i64, &Value)| {
        let row = list(scoring, "value").find(|row| row["id"] == blank["id"]).unwrap_or(&Value::Null);
        let right = &row["scoring_data"];
        let words = match blank["answer_type"].as_str() {
            Some("dropdown") => list(blank, "choices"),
            Some("wordbank") => list(data, "word_bank_choices"),
            _ => list(&Value::Null, ""),
        };
        let is_right = |word: &Value| {
            let (id, shown) = (text(&word["id"]), text(&word["item_body"]));
            names(&right["value"], &id) || right["choice_id"] == word["id"] || names(&right["value"], &shown)
        };
        let word = |word: &Value| KnownAnswer {
            id: text(&word["id"]),
            text: text(&word["item_body"]),
            correct: is_right(word),
        };
        let mut answers: Vec<_> = words.map(word).collect();
        if blank["answer_type"] == "openEntry" {
            answers =
                texts(&right["value"]).map(|text| KnownAnswer { id: text.clone(), text, correct: true }).collect();
        }
        KnownPart { id: text(&blank["id"]), text: place.to_string(), answers }
    };
    (1..).zip(list(data, "blanks")).map(part).collect()
}

/// A list or a single text, as texts.
fn texts(value: &Value) -> impl Iterator<Item = String> + '_ {
    let own = (!value.is_array() && !value.is_null()).then_some(value);
    value.as_array().into_iter().flatten().chain(own).map(text)
}

/// True if the value is that text, or a list with it.
fn names(value: &Value, name: &str) -> bool {
    texts(value).any(|text| text == name)
}

/// A member of an object; null where there is none.
fn member<'a>(of: &'a Value, name: &str) -> &'a Value {
    of.get(name).unwrap_or(&Value::Null)
}

fn list<'a>(of: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    of.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn members(of: &Value) -> impl Iterator<Item = &Value> {
    of.as_object().into_iter().flat_map(|members| members.values())
}

/// A text or a number as text.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
