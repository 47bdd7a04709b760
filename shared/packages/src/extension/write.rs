//! Writes the file of a quiz.

use serde_json::Value;

use super::{BLANK, ITEM, NAMESPACE, SPOT};
use crate::error::Result;
use crate::ident;
use crate::model::{BlankAnswer, Entry, Group, Interaction, Question, Quiz, Settings, Spot};
use crate::plan::Format;
use crate::xml::{Element, document};

/// True if a quiz has something to say that the standards of the format do not.
pub(crate) fn has_something(quiz: &Quiz, format: Format) -> bool {
    content(quiz, format).next().is_some()
}

/// The file.
pub(crate) fn quiz(quiz: &Quiz, format: Format) -> Result<Vec<u8>> {
    let root = Element::new("quiz").with("xmlns", NAMESPACE).with("identifier", ident::of(&quiz.id));
    document(&root.children(content(quiz, format)))
}

fn content(quiz: &Quiz, format: Format) -> impl Iterator<Item = Element> {
    let is_2_1 = format == Format::Qti21;
    let new_quiz = quiz.settings.new_quiz.as_ref().map(|own| {
        let members = own.iter().filter_map(|(name, value)| member(name, value));
        Element::new("new_quiz_settings").children(members)
    });
    // The other formats have these settings in a file of the reference system.
    let settings =
        is_2_1.then(|| Element::new("settings").children(crate::qti12::write::setting_elements(&quiz.settings)));
    let questions = Element::new("questions").children(quiz.questions().filter(|_| is_2_1).filter_map(question));
    let stimuli = Element::new("stimuli").children(quiz.entries.iter().filter(|_| is_2_1).filter_map(stimulus));
    [
        settings,
        Some(assignment(&quiz.settings, is_2_1)),
        new_quiz,
        Some(draws(quiz, is_2_1)),
        Some(stimuli),
        Some(questions),
    ]
    .into_iter()
    .flatten()
    .filter(|own| !own.children.is_empty())
}

/// The other formats say how it is graded in the file of the reference system.
fn assignment(own: &Settings, is_2_1: bool) -> Element {
    let members = [
        ("points_possible", own.points_possible.map(|points| points.to_string())),
        ("grading_type", own.grading_type.clone().filter(|_| is_2_1 || own.new_quiz.is_some())),
    ];
    let members = members.into_iter().filter_map(|(name, value)| Some(Element::new(name).text(value?)));
    let grading = crate::qti12::write::grading_elements(own).filter(|_| is_2_1);
    Element::new("assignment").children(members).children(grading)
}

/// The banks that groups draw from, and the groups that pick more than they have, which QTI 2.1 does not say. A draw without a
/// count takes all.
fn draws(quiz: &Quiz, is_2_1: bool) -> Element {
    let draw = |group: &Group| {
        let picks_more = is_2_1 && group.pick_count.is_some_and(|count| count > group.all());
        (picks_more || group.bank.is_some()).then(|| {
            Element::new("draw")
                .with("section", ident::of(&group.id))
                .with_some("bank", group.bank.as_deref().map(ident::of))
                .with_some("bank_title", Some(&group.bank_title).filter(|title| !title.is_empty()).map(String::as_str))
                .with_some("count", group.pick_count.map(|count| count.to_string()))
                .with_some("points", group.points.map(|points| points.to_string()))
        })
    };
    let groups = quiz.entries.iter().filter_map(|entry| match entry {
        Entry::Group(group) => draw(group),
        Entry::Question(_) | Entry::Stimulus(_) => None,
    });
    Element::new("draws").children(groups)
}

/// The parts of a text beside questions that QTI 2.1 does not say.
fn stimulus(entry: &Entry) -> Option<Element> {
    let Entry::Stimulus(own) = entry else { return None };
    Some(
        Element::new("stimulus")
            .with("identifier", ident::of(&own.id))
            .with("orientation", own.orientation.as_str())
            .with_some("source_url", Some(own.source_url.as_str()).filter(|url| !url.is_empty()))
            .with_some("passage", own.passage.then_some("true")),
    )
}

/// The parts of a question that QTI 2.1 does not say.
fn question(own: &Question) -> Option<Element> {
    let calculator = own.calculator.as_deref().filter(|calculator| *calculator != "none");
    let stimulus = own.stimulus.as_deref().map(ident::of);
    let spots: Vec<_> =
        listed_spots(own).map(|spot| Element::new(SPOT).with("identifier", ident::of(&spot.id))).collect();
    let blanks: Vec<_> =
        shown_texts(own).map(|(name, text)| Element::new(BLANK).with("name", name).with("text", text)).collect();
    if calculator.is_none() && stimulus.is_none() && spots.is_empty() && blanks.is_empty() {
        return None;
    }
    let question = Element::new("question").with("identifier", ident::of(&own.id));
    Some(question.with_some("calculator", calculator).with_some("stimulus", stimulus).children(spots).children(blanks))
}

/// The names of blanks with the texts that are shown in their places, where these are not what is accepted.
fn shown_texts(own: &Question) -> impl Iterator<Item = (&str, &str)> {
    let blanks = match &own.interaction {
        Interaction::Blanks(own) => own.blanks.as_slice(),
        _ => &[],
    };
    blanks.iter().filter_map(|blank| match &blank.answer {
        BlankAnswer::Typed(typed) => Some((blank.name.as_str(), typed.shown.as_deref()?)),
        BlankAnswer::Dropdown(_) | BlankAnswer::Word(_) => None,
    })
}

/// The spots of a list, whose ids the map of areas has no place for.
fn listed_spots(own: &Question) -> impl Iterator<Item = &Spot> {
    let spots = match &own.interaction {
        Interaction::HotSpot(own) if own.places.is_some() => own.spots.as_slice(),
        _ => &[],
    };
    spots.iter()
}

/// A setting and its value; none for one without a value.
fn member(name: &str, value: &Value) -> Option<Element> {
    let element = Element::new(name);
    match value {
        Value::Null => None,
        Value::String(text) => Some(element.text(text.as_str())),
        Value::Bool(_) | Value::Number(_) => Some(element.text(value.to_string())),
        Value::Array(items) => Some(element.children(items.iter().filter_map(|item| member(ITEM, item))))
            .filter(|own| !own.children.is_empty()),
        Value::Object(members) => {
            let members = members.iter().filter_map(|(name, value)| member(name, value));
            Some(element.children(members)).filter(|own| !own.children.is_empty())
        }
    }
}
