//! Answers that are typed, and blanks in a sentence.

use super::item::Body;
use super::processing::{AnswerFeedback, Scoring};
use super::{Cx, RESPONSE, base, correct, declaration, map_entry, share, variable};
use crate::ident;
use crate::model::{Blank, BlankAnswer, Blanks, Choice, TextRule, Typed};
use crate::xml::{Element, Node};

/// One typed answer.
pub(super) fn typed(own: &Typed, cx: &Cx<'_>) -> Body {
    let entry = Entry::typed(RESPONSE.to_owned(), own, 1.0, cx);
    let scoring = match (&entry.worth, own.rule) {
        (Some(_), TextRule::Same | TextRule::CloseEnough { .. }) => Scoring::Map,
        (Some(_), _) => entry.when.clone().map_or(Scoring::None, Scoring::When),
        (None, _) => Scoring::None,
    };
    Body { told: entry.told, ..Body::new(entry.declaration, Element::new("p").child(entry.interaction), scoring) }
}

/// Blanks in a sentence, each worth the same.
pub(super) fn blanks(own: &Blanks, body: &str, cx: &Cx<'_>) -> Body {
    if !own.words.is_empty() {
        cx.note("each blank has a list of all words; the blanks shared a bank of words");
    }
    let each = share(own.blanks.len());
    let mut text = cx.html(body);
    let (mut responses, mut parts, mut rest, mut told) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, blank) in (1..).zip(&own.blanks) {
        let response = format!("{RESPONSE}_{number}");
        let entry = Entry::of(response, blank, own, each, cx);
        let interaction = entry.interaction.with("label", blank.name.as_str());
        if !put(&mut text, &format!("[{}]", blank.name), &interaction) {
            rest.push(interaction);
        }
        responses.push(entry.declaration);
        parts.extend(entry.worth);
        told.extend(entry.told);
    }
    let rest = (!rest.is_empty()).then(|| Element::new("p").children(rest));
    Body {
        responses,
        templates: Vec::new(),
        text: Some(text),
        blocks: rest.into_iter().collect(),
        scoring: Scoring::Sum(parts),
        told,
    }
}

/// A place for an answer, what is right there, and what that is worth.
struct Entry {
    declaration: Element,
    interaction: Element,
    /// An expression.
    worth: Option<Element>,
    when: Option<Element>,
    /// The comments on single answers.
    told: Vec<AnswerFeedback>,
}

impl Entry {
    fn of(response: String, blank: &Blank, own: &Blanks, worth: f64, cx: &Cx<'_>) -> Self {
        match &blank.answer {
            BlankAnswer::Typed(typed) => Self::typed(response, typed, worth, cx),
            BlankAnswer::Dropdown(choices) => {
                let right = choices.options.iter().find(|choice| choice.right).map(|choice| choice.id.as_str());
                Self::chosen(response, &choices.options, right, choices.shuffled, worth)
            }
            BlankAnswer::Word(id) => Self::chosen(response, &own.words, Some(id), true, worth),
        }
    }

    fn typed(response: String, own: &Typed, worth: f64, cx: &Cx<'_>) -> Self {
        let accepted = own.accepted.iter().map(|choice| (choice.text.plain().into_owned(), choice.feedback.as_str()));
        let accepted: Vec<_> = accepted.filter(|(text, _)| !text.trim().is_empty()).collect();
        let texts: Vec<_> = accepted.iter().map(|(text, _)| text.clone()).collect();
        let told = if own.rule == TextRule::Same { told_of_texts(&response, &accepted) } else { Vec::new() };
        let declaration = declaration("responseDeclaration", &response, "single", "string");
        let interaction = Element::new("textEntryInteraction").with("responseIdentifier", response.as_str());
        if texts.is_empty() {
            return Self { declaration, interaction, worth: None, when: None, told };
        }
        let declaration = declaration.children(correct(texts.first().cloned()));
        let any = |test: &dyn Fn(&String) -> Element| {
            let tests: Vec<_> = texts.iter().map(test).collect();
            Element::new("or").children(tests)
        };
        let when = match own.rule {
            TextRule::Contains => any(&|text| {
                let substring = Element::new("substring").with("caseSensitive", "false");
                substring.child(base("string", text.as_str())).child(variable(&response))
            }),
            TextRule::Regex => {
                any(&|text| Element::new("patternMatch").with("pattern", text.as_str()).child(variable(&response)))
            }
            TextRule::Same | TextRule::CloseEnough { .. } => {
                if own.rule != TextRule::Same {
                    cx.note("an answer has to be the accepted text; misspelling it was allowed");
                }
                let is_exact = matches!(own.rule, TextRule::CloseEnough { ignore_case: false, .. });
                let entry = |text: &String| map_entry(text.as_str(), worth).with("caseSensitive", is_exact.to_string());
                let mapping = Element::new("mapping").with("defaultValue", "0").children(texts.iter().map(entry));
                let mapped = Element::new("mapResponse").with("identifier", response.as_str());
                let declaration = declaration.child(mapping);
                return Self { declaration, interaction, worth: Some(mapped), when: None, told };
            }
        };
        // An expression that gives a number where another one holds: true is one, and false is none.
        let worth = Element::new("product").child(counted(when.clone())).child(base("float", worth.to_string()));
        Self { declaration, interaction, worth: Some(worth), when: Some(when), told }
    }

    fn chosen(response: String, options: &[Choice], right: Option<&str>, shuffled: bool, worth: f64) -> Self {
        let right = right.map(ident::of);
        let option = |choice: &Choice| {
            Element::new("inlineChoice").with("identifier", ident::of(&choice.id)).text(choice.text.plain())
        };
        let mapping = |right: &String| Element::new("mapping").child(map_entry(right.as_str(), worth));
        let mapped = right.as_ref().map(|_| Element::new("mapResponse").with("identifier", response.as_str()));
        let given = options.iter().filter(|choice| !choice.feedback.is_empty());
        let told = given.map(|choice| {
            let id = ident::of(&choice.id);
            let when = Element::new("match").child(variable(&response)).child(base("identifier", id.as_str()));
            AnswerFeedback { id: feedback_id(&response, &id), when, html: choice.feedback.clone() }
        });
        let told = told.collect();
        let declaration = declaration("responseDeclaration", &response, "single", "identifier")
            .children(correct(right.clone()))
            .children(right.as_ref().map(mapping));
        let interaction = Element::new("inlineChoiceInteraction")
            .with("responseIdentifier", response)
            .with("shuffle", shuffled.to_string())
            .children(options.iter().map(option));
        Self { declaration, interaction, worth: mapped, when: None, told }
    }
}

/// The name of the comment on an answer that one response gives.
fn feedback_id(response: &str, answer: &str) -> String {
    format!("feedback-{response}-{answer}")
}

/// The comments on texts that are accepted, each under the number of its text.
fn told_of_texts(response: &str, accepted: &[(String, &str)]) -> Vec<AnswerFeedback> {
    let given = (1..).zip(accepted).filter(|(_, (_, html))| !html.is_empty());
    let told = given.map(|(number, (text, html)): (i64, _)| {
        let same = Element::new("stringMatch").with("caseSensitive", "false").with("substring", "false");
        AnswerFeedback {
            id: feedback_id(response, &number.to_string()),
            when: same.child(variable(response)).child(base("string", text.as_str())),
            html: (*html).to_owned(),
        }
    });
    told.collect()
}

/// 1 if the expression holds, else 0.
pub(super) fn counted(when: Element) -> Element {
    let held = Element::new("multiple").child(when);
    Element::new("containerSize").child(Element::new("delete").child(base("boolean", "false")).child(held))
}

/// Puts an element in the place of a marker, the first that there is; whether there was one.
pub(super) fn put(nodes: &mut Vec<Node>, marker: &str, element: &Element) -> bool {
    for place in 0..nodes.len() {
        let found = match nodes.get_mut(place) {
            Some(Node::Element(own)) => match put(&mut own.children, marker, element) {
                true => return true,
                false => None,
            },
            Some(Node::Text(text)) => text.split_once(marker).map(|(before, after)| {
                [Node::Text(before.to_owned()), Node::Element(element.clone()), Node::Text(after.to_owned())]
            }),
            None => None,
        };
        if let Some(pieces) = found {
            let is_there = |node: &Node| !matches!(node, Node::Text(text) if text.is_empty());
            nodes.splice(place..=place, pieces.into_iter().filter(is_there));
            return true;
        }
    }
    false
}
