//! Blanks in a sentence.

use std::collections::BTreeSet;

use super::item::{Item, labels};
use super::{attribute, materials};
use crate::model::{Blank, BlankAnswer, Blanks, Choice, Choices, Text, TextRule, Typed};
use crate::qti12::SHOWN;
use crate::xml::Element;

/// The blanks; with the sentence, where it stands in pieces between them.
pub(super) fn read(item: &Item<'_>, kind: &str) -> (Blanks, Option<String>) {
    let responses = item.responses("response_lid");
    if responses.is_empty() {
        return written(item);
    }
    let body = materials(item.presentation).html().into_owned();
    let marks = marks(&body);
    let mut own = Blanks::default();
    let mut words = BTreeSet::new();
    for response in responses {
        let answer = answer(item, response, kind, &mut own, &mut words);
        own.blanks.push(Blank { name: marked(response, &marks), answer });
    }
    (own, None)
}

/// The texts in brackets in a sentence, none in the other, as far as it may be the name of a blank.
fn marks(body: &str) -> BTreeSet<&str> {
    const MAX_NAME_BYTES: usize = 255;
    let pieces = body.split('[').skip(1).filter_map(|piece| piece.split_once(']'));
    pieces.map(|(name, _)| name).filter(|name| name.len() <= MAX_NAME_BYTES).collect()
}

/// The name that the sentence has for a blank: that of its response, or the text that stands for it.
fn marked(response: &Element, marks: &BTreeSet<&str>) -> String {
    let (name, shown) = (name(response), materials(response));
    let shown = shown.plain();
    if !marks.contains(name) && marks.contains(shown.as_ref()) { shown.into_owned() } else { name.to_owned() }
}

fn name(response: &Element) -> &str {
    let ident = response.attribute("ident").unwrap_or_default();
    ident.strip_prefix("response_").unwrap_or(ident)
}

fn answer(
    item: &Item<'_>,
    response: &Element,
    kind: &str,
    own: &mut Blanks,
    words: &mut BTreeSet<String>,
) -> BlankAnswer {
    let ident = attribute(response, "ident");
    let rights = item.conditions.right(&ident);
    let right: BTreeSet<_> = rights.iter().collect();
    let first = response.find("response_label").next();
    let attribute = |name: &str| first.and_then(|label| label.attribute(name)).unwrap_or_default();
    let mut options = labels(response);
    for option in &mut options {
        option.right = right.contains(&option.id);
        option.feedback = item.conditions.feedback_of(&ident, &option.id);
    }
    match attribute("answer_type") {
        "wordbank" => {
            own.reuse_words |= attribute("allow_reuse") == "true";
            let word = rights.first().cloned().unwrap_or_default();
            for option in options {
                if words.insert(option.id.clone()) {
                    own.words.push(Choice { right: false, ..option });
                }
            }
            BlankAnswer::Word(word)
        }
        answer_type if answer_type == "dropdown" || kind == "multiple_dropdowns_question" => {
            let render = response.find("render_choice").next();
            let shuffled = render.and_then(|own| own.attribute("shuffle")) == Some("Yes");
            BlankAnswer::Dropdown(Choices { options, shuffled, ..Choices::default() })
        }
        _ => {
            options.iter_mut().for_each(|option| option.right = true);
            let rule = match attribute("scoring_algorithm") {
                "TextContainsAnswer" => TextRule::Contains,
                "TextRegex" => TextRule::Regex,
                "TextCloseEnough" => TextRule::CloseEnough {
                    ignore_case: attribute("ignore_case") == "true",
                    distance: attribute("levenshtein_distance").parse().unwrap_or(1),
                },
                _ => TextRule::Same,
            };
            let shown = Some(attribute(SHOWN)).filter(|shown| !shown.is_empty()).map(str::to_owned);
            BlankAnswer::Typed(Typed { accepted: options, rule, shown })
        }
    }
}

/// Blanks that stand between the pieces of the sentence.
fn written(item: &Item<'_>) -> (Blanks, Option<String>) {
    let mut own = Blanks::default();
    let mut body = String::new();
    walk(item, item.presentation, &mut own, &mut body);
    (own, Some(body))
}

fn walk(item: &Item<'_>, parent: &Element, own: &mut Blanks, body: &mut String) {
    for element in parent.elements() {
        match element.name.as_str() {
            "material" => {
                let piece = Element::new("flow").child(element.clone());
                body.push_str(&materials(&piece).html());
            }
            "flow" => walk(item, element, own, body),
            "response_str" | "response_num" => {
                let name = name(element).to_owned();
                body.push_str(&format!(" [{name}] "));
                let texts = item.conditions.right(&attribute(element, "ident"));
                let accepted = (1..).zip(texts).map(|(id, text): (i64, _)| Choice {
                    id: id.to_string(),
                    text: Text::Plain(text.clone()),
                    right: true,
                    ..Choice::default()
                });
                let typed = Typed { accepted: accepted.collect(), ..Typed::default() };
                own.blanks.push(Blank { name, answer: BlankAnswer::Typed(typed) });
            }
            _ => {}
        }
    }
}
