//! Answers in words: what the student has answered to a question of each type, and what is right.

use maud::{Markup, Render, html};
use serde_json::{Map, Value, json};
use shared::files::File;
use shared::texts::{Language, Text, quiz_grading as words};

use crate::model::items::SessionItem;
use crate::page::grading::frame::rich;
use crate::page::grading::hot_spot;

/// An answer. `right` is the scoring data of the question.
pub(super) fn shown(
    language: Language,
    item: &SessionItem,
    response: &Value,
    files: Option<&[File]>,
    right: Option<&Value>,
) -> Markup {
    let data = item.interaction_data.as_ref().unwrap_or(&Value::Null);
    match item.interaction_type_slug.as_deref().unwrap_or_default() {
        "true-false" => text(&data[if response == &Value::Bool(true) { "true_choice" } else { "false_choice" }]),
        "choice" => named(&data["choices"], response),
        "multi-answer" => html! { ul { @for id in list(response) { li { (named(&data["choices"], id)) } } } },
        "ordering" => html! { ol { @for id in list(response) { li { (named(&data["choices"], id)) } } } },
        "matching" => pairs(list(&data["questions"]), |part| text(&response[id_of(part)])),
        "categorization" => pairs(list(&data["categories"]), |part| {
            html! { ul { @for id in list(&response[id_of(part)]) { li { (named(&data["answers"], id)) } } } }
        }),
        "rich-fill-blank" | "fill-blank" => filled(data, response),
        "hot-spot" => hot_spot::shown(language, (data, properties(item)), Some(response), right),
        "essay" => rich(response.as_str().unwrap_or_default()),
        "file-upload" => links(language, files.unwrap_or_default()),
        _ => text(response),
    }
}

/// What is right, or what graders are told, with its name; `None` where there is nothing to say.
pub(super) fn right(
    language: Language,
    item: &SessionItem,
    scoring: &Value,
    variant: Option<usize>,
) -> Option<(Text, Markup)> {
    let value = &scoring["value"];
    let slug = item.interaction_type_slug.as_deref().unwrap_or_default();
    let response = match slug {
        "essay" | "file-upload" => {
            let notes = value.as_str().filter(|notes| !notes.trim().is_empty())?;
            return Some((words::NOTES, html! { p class="typed" { (notes) } }));
        }
        "hot-spot" => {
            let data = item.interaction_data.as_ref()?;
            let parts = (data, properties(item));
            return Some((words::RIGHT_ANSWER, hot_spot::shown(language, parts, None, Some(scoring))));
        }
        "numeric" => {
            let numbers: Vec<_> = list(value).map(number).collect();
            return Some((words::RIGHT_ANSWER, html! { ul { @for number in numbers { li { (number) } } } }));
        }
        "formula" => {
            let solution = value["generated_solutions"].get(variant?)?;
            let accepted = json!({ "value": solution["output"], "margin": value.pointer("/numeric/margin"),
                                   "margin_type": value.pointer("/numeric/margin_type") });
            return Some((words::RIGHT_ANSWER, html! { p { (number(&accepted)) } }));
        }
        "categorization" => by_id(value, |row| row.pointer("/scoring_data/value").cloned().unwrap_or_default()),
        "rich-fill-blank" | "fill-blank" => by_id(value, |row| right_blank(&row["scoring_data"])),
        _ => value.clone(),
    };
    Some((words::RIGHT_ANSWER, shown(language, item, &response, None, None)))
}

/// The ids of the blanks of a question, in their order.
pub(super) fn blanks(item: &SessionItem) -> impl Iterator<Item = &str> {
    let blanks = item.interaction_data.as_ref().and_then(|data| data["blanks"].as_array());
    blanks.into_iter().flatten().map(id_of)
}

fn by_id(rows: &Value, value: impl Fn(&Value) -> Value) -> Value {
    let rows = list(rows).map(|row| (id_of(row).to_owned(), value(row)));
    Value::Object(rows.collect::<Map<_, _>>())
}

/// What fills a blank: the id of a word, a text, or the first of several texts.
fn right_blank(scoring: &Value) -> Value {
    let word = scoring.get("choice_id").filter(|word| !word.is_null());
    let value = word.unwrap_or(&scoring["value"]);
    value.get(0).unwrap_or(value).clone()
}

fn number(accepted: &Value) -> String {
    let part = |name: &str| plain(&accepted[name]);
    if !accepted["start"].is_null() {
        return format!("{} – {}", part("start"), part("end"));
    }
    let margin = part("margin");
    let percent = if accepted["margin_type"] == "percent" { " %" } else { "" };
    match margin.is_empty() || margin == "0" {
        true => part("value"),
        false => format!("{} ± {margin}{percent}", part("value")),
    }
}

/// The blanks with what is in them.
fn filled(data: &Value, response: &Value) -> Markup {
    let word = |blank: &Value| {
        let given = &response[id_of(blank)];
        let known = list(&blank["choices"]).chain(list(&data["word_bank_choices"])).find(|word| word["id"] == *given);
        known.map_or_else(|| text(given), |word| text(&word["item_body"]))
    };
    html! { ol { @for blank in list(&data["blanks"]) { li { (word(blank)) } } } }
}

fn properties(item: &SessionItem) -> &Value {
    item.properties.as_ref().unwrap_or(&Value::Null)
}

fn links(language: Language, files: &[File]) -> Markup {
    html! {
        @if files.is_empty() { p class="soft" { (words::NO_FILES.get(language)) } }
        ul { @for file in files { li { a href=(file.url) { (file.display_name) } } } }
    }
}

/// Parts in words of their authors, each with what belongs to it.
fn pairs<'a>(parts: impl Iterator<Item = &'a Value>, value: impl Fn(&Value) -> Markup) -> Markup {
    html! { dl { @for part in parts { dt { (rich(part["item_body"].as_str().unwrap_or_default())) } dd { (value(part)) } } } }
}

/// The rich text of the part of that id.
fn named(parts: &Value, id: &Value) -> Markup {
    let part = list(parts).find(|part| part["id"] == *id);
    rich(part.and_then(|part| part["item_body"].as_str()).unwrap_or_default())
}

fn text(value: &Value) -> Markup {
    let text = plain(value);
    html! { @if text.is_empty() { span aria-hidden="true" { "–" } } @else { span class="typed" { (text.render()) } } }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn id_of(part: &Value) -> &str {
    part["id"].as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
