//! An item as a question: what its interactions tell.

use std::collections::{BTreeMap, BTreeSet};

use super::body::{INTERACTIONS, content, interactions, text};
use super::declarations::{Response, responses};
use super::{attribute, formula, hot_spot, inline, numbers, pairs};
use crate::model::{
    Choice, Choices, Entry, Essay, Feedback, FileUpload, Interaction, Question, Report, Stimulus, Text,
};
use crate::qti21::INSTRUCTIONS;
use crate::xml::{Element, Node};

/// The most elements of an item: what it becomes is read as a whole.
const MAX_ELEMENTS: usize = 10_000;

/// An item with its parts at hand.
pub(super) struct Item<'a> {
    pub(super) element: &'a Element,
    pub(super) responses: BTreeMap<String, Response<'a>>,
    pub(super) interactions: Vec<&'a Element>,
    /// The feedback, by its identifier in small letters.
    feedback: BTreeMap<String, &'a Element>,
    /// The comparison of texts by the processing.
    pub(super) rules: inline::Rules,
}

impl<'a> Item<'a> {
    /// The response that an interaction gives.
    pub(super) fn response(&self, interaction: &Element) -> Option<&Response<'a>> {
        let id = interaction.attribute("responseIdentifier").unwrap_or("RESPONSE");
        self.responses.get(id)
    }

    /// The feedback for an answer, in items of ours.
    pub(super) fn feedback_of(&self, id: &str) -> String {
        self.feedback(&format!("feedback-{id}"))
    }

    fn feedback(&self, id: &str) -> String {
        self.feedback.get(&id.to_ascii_lowercase()).map(|own| content(own)).unwrap_or_default()
    }
}

/// The entry that an item is; `None`, and a note, if it cannot be one.
pub(crate) fn item(root: &Element, points: Option<f64>, report: &mut Report) -> Option<Entry> {
    if root.descendants().nth(MAX_ELEMENTS).is_some() {
        let about = called(root);
        report.note(about, format!("this question is too large (maximum is {MAX_ELEMENTS} elements)"));
        return None;
    }
    let root = &respelled(root);
    let item = Item {
        element: root,
        responses: responses(root),
        interactions: interactions(root),
        feedback: feedback(root),
        rules: inline::Rules::of(root),
    };
    let (id, title) = (attribute(root, "identifier"), attribute(root, "title"));
    let is_stimulus = root.first("itemBody").is_some_and(|own| own.attribute("class") == Some("stimulus"));
    if is_stimulus && item.interactions.is_empty() {
        let is_first = |own: &Element| own.attribute("class") == Some(INSTRUCTIONS);
        return Some(Entry::Stimulus(Stimulus {
            id,
            title,
            body: text(root, &|own| is_first(own).then(String::new)),
            instructions: root.find("div").find(|own| is_first(own)).map(content).unwrap_or_default(),
            orientation: "left".to_owned(),
            ..Stimulus::default()
        }));
    }
    let about = called(root);
    let Some((interaction, body)) = interaction(&item, &about, report) else {
        let names: Vec<_> = item.interactions.iter().map(|own| own.name.as_str()).collect();
        let names = if names.is_empty() { "no known way to answer".to_owned() } else { names.join(" and ") };
        report.note(about, format!("a question with {names} cannot be imported"));
        return None;
    };
    let other_feedback = root.all("modalFeedback").any(|own| !is_ours(own));
    if other_feedback {
        report.note(about, "feedback that depends on a rule of its own is left out");
    }
    Some(Entry::Question(Question {
        id,
        title,
        body,
        points: points.unwrap_or(1.0),
        feedback: Feedback {
            neutral: item.feedback("neutral"),
            correct: item.feedback("correct"),
            incorrect: item.feedback("incorrect"),
        },
        calculator: None,
        stimulus: None,
        interaction,
    }))
}

/// Its title, or else its identifier.
fn called(root: &Element) -> String {
    let title = root.attribute("title").filter(|title| !title.is_empty());
    title.map_or_else(|| attribute(root, "identifier"), str::to_owned)
}

/// The item with the names that some tools write in small letters as the standard spells them.
fn respelled(element: &Element) -> Element {
    let spelled = |name: &str, names: &[&str]| {
        names.iter().find(|own| own.eq_ignore_ascii_case(name)).map(|own| (*own).to_owned())
    };
    let children = element.children.iter().map(|node| match node {
        Node::Element(child) => Node::Element(respelled(child)),
        text @ Node::Text(_) => text.clone(),
    });
    let attributes = element
        .attributes
        .iter()
        .map(|(name, value)| (spelled(name, &["responseIdentifier"]).unwrap_or_else(|| name.clone()), value.clone()));
    Element {
        name: spelled(&element.name, &INTERACTIONS).unwrap_or_else(|| element.name.clone()),
        attributes: attributes.collect(),
        children: children.collect(),
    }
}

fn is_ours(feedback: &Element) -> bool {
    let id = feedback.attribute("identifier").unwrap_or_default().to_lowercase();
    ["neutral", "correct", "incorrect"].contains(&id.as_str()) || id.starts_with("feedback-")
}

fn feedback(item: &Element) -> BTreeMap<String, &Element> {
    let mut feedback = BTreeMap::new();
    for own in item.all("modalFeedback") {
        feedback.entry(attribute(own, "identifier").to_ascii_lowercase()).or_insert(own);
    }
    feedback
}

/// The interaction, and the text around it.
fn interaction(item: &Item<'_>, about: &str, report: &mut Report) -> Option<(Interaction, String)> {
    let plain = || text(item.element, &|_| None);
    let own = match item.interactions.as_slice() {
        [] if item.responses.is_empty() => return Some((Interaction::TextOnly, plain())),
        [] => return None,
        [only] => *only,
        several if several.iter().all(|own| inline::is_inline(own)) => return Some(inline::blanks(item)),
        _ => return None,
    };
    let interaction = match own.name.as_str() {
        "choiceInteraction" => choices(item, own)?,
        "hottextInteraction" | "associateInteraction" => return None,
        "textEntryInteraction" | "inlineChoiceInteraction" => {
            let response = item.response(own)?;
            if item.element.first("templateDeclaration").is_some() {
                return formula::formula(item);
            }
            if ["float", "integer"].contains(&response.base.as_str()) {
                return Some((
                    Interaction::Numeric(numbers::numeric(item, response, about, report)),
                    inline::emptied(item),
                ));
            }
            if own.name == "textEntryInteraction" && own.attribute("label").is_none() {
                return Some((Interaction::ShortAnswer(inline::typed(item, response)), inline::emptied(item)));
            }
            return Some(inline::blanks(item));
        }
        "gapMatchInteraction" => return inline::gaps(item, own),
        "extendedTextInteraction" => Interaction::Essay(essay(item, own)),
        "uploadInteraction" => Interaction::FileUpload(FileUpload::default()),
        "matchInteraction" => pairs::matched(item, own, about, report)?,
        "orderInteraction" => Interaction::Ordering(pairs::ordering(item, own)?),
        "selectPointInteraction" | "hotspotInteraction" => Interaction::HotSpot(hot_spot::hot_spot(item, own)?),
        _ => return None,
    };
    Some((interaction, plain()))
}

/// The options of an interaction, in their order.
pub(super) fn options(own: &Element, name: &str) -> Vec<Choice> {
    let option = |own: &Element| Choice { id: attribute(own, "identifier"), text: shown(own), ..Choice::default() };
    own.outermost(name).map(option).collect()
}

/// The readable content of an element: text, if it has no elements.
pub(super) fn shown(own: &Element) -> Text {
    let visible: Vec<_> = own
        .children
        .iter()
        .filter(|node| !matches!(node, Node::Element(own) if own.name.starts_with("feedback")))
        .cloned()
        .collect();
    let own = Element { children: visible, ..Element::default() };
    match own.elements().next() {
        Some(_) => Text::Html(content(&own)),
        None => Text::Plain(own.content()),
    }
}

fn choices(item: &Item<'_>, own: &Element) -> Option<Interaction> {
    let response = item.response(own)?;
    let worths: BTreeMap<_, _> = response.mapping.iter().rev().map(|(id, worth)| (id, *worth)).collect();
    let is_single = response.cardinality == "single";
    let varies = is_single && response.varies();
    // Of options of which one is chosen, all that are worth as much are right.
    let right = if is_single && !varies { response.accepted() } else { response.right() };
    let right: BTreeSet<_> = right.into_iter().collect();
    let mut options = options(own, "simpleChoice");
    for option in &mut options {
        option.right = right.contains(&option.id);
        option.feedback = item.feedback_of(&option.id);
        option.points = varies.then(|| worths.get(&option.id).copied().unwrap_or_default());
    }
    let fixed = own.outermost("simpleChoice").zip(0..).filter(|(choice, _)| choice.attribute("fixed") == Some("true"));
    let choices = Choices {
        locked: fixed.map(|(_, place)| place).collect(),
        shuffled: own.attribute("shuffle") == Some("true"),
        partial: !is_single && !response.mapping.is_empty(),
        options,
    };
    Some(match is_single {
        true if is_true_false(&choices) => Interaction::TrueFalse(ordered(choices)),
        true => Interaction::Choice(choices),
        false => Interaction::MultipleAnswers(choices),
    })
}

fn is_true_false(choices: &Choices) -> bool {
    let is = |choice: &Choice, word: &str| {
        choice.id.eq_ignore_ascii_case(word) || choice.text.plain().trim().eq_ignore_ascii_case(word)
    };
    match choices.options.as_slice() {
        [a, b] => (is(a, "true") && is(b, "false")) || (is(a, "false") && is(b, "true")),
        _ => false,
    }
}

/// The true one first.
fn ordered(mut choices: Choices) -> Choices {
    let is_false = |choice: &Choice| {
        choice.id.eq_ignore_ascii_case("false") || choice.text.plain().trim().eq_ignore_ascii_case("false")
    };
    if choices.options.first().is_some_and(is_false) {
        choices.options.reverse();
    }
    choices
}

fn essay(item: &Item<'_>, own: &Element) -> Essay {
    let mut rubrics = item.element.find("rubricBlock");
    let notes = rubrics.find(|own| own.attribute("view").is_some_and(|view| view.contains("scorer")));
    Essay {
        rich: own.attribute("format").map(|format| format == "xhtml"),
        notes: notes.map(Element::content).unwrap_or_default(),
        ..Essay::default()
    }
}
