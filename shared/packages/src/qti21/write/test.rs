//! A quiz as a test: its questions by reference, with what each is worth.

use super::{Cx, base, item_path, root};
use crate::error::Result;
use crate::ident;
use crate::links::Links;
use crate::model::{Entry, Group, Question, Report, Settings};
use crate::xml::{Element, document};

/// The name of the points of questions in a test.
const WEIGHT: &str = "POINTS";

/// The things that a quiz and a bank have in common.
pub(crate) struct Test<'a> {
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) settings: Option<&'a Settings>,
    pub(crate) entries: &'a [Entry],
}

/// The file of a quiz.
pub(crate) fn test(own: &Test<'_>, links: &Links<'_>, report: &mut Report) -> Result<Vec<u8>> {
    let cx = Cx::new(own.title, links, report);
    if own.entries.iter().any(|entry| matches!(entry, Entry::Group(group) if group.questions.is_empty())) {
        cx.note("a group that draws from a bank is empty: the questions of the bank are a test of their own");
    }
    let seconds = own.settings.and_then(Settings::seconds);
    let limits = seconds.map(|seconds| Element::new("timeLimits").with("maxTime", seconds.to_string()));
    let is_linear = own.settings.is_some_and(|settings| settings.cant_go_back == Some(true));
    let rubric = (!own.description.is_empty()).then(|| {
        Element::new("rubricBlock").with("view", "candidate").child(Element::new("div").nodes(cx.html(own.description)))
    });
    let is_shuffled = own.settings.is_some_and(|settings| settings.shuffle_questions == Some(true));
    if is_shuffled && own.entries.iter().any(|entry| matches!(entry, Entry::Stimulus(_))) {
        cx.note("other systems shuffle the texts beside questions as if they were questions");
    }
    let section = section(&ident::part(own.id, "section"), own.title)
        .children(is_shuffled.then(shuffle))
        .children(rubric)
        .children(own.entries.iter().map(entry));
    let part = Element::new("testPart")
        .with("identifier", ident::part(own.id, "part"))
        .with("navigationMode", if is_linear { "linear" } else { "nonlinear" })
        .with("submissionMode", "simultaneous")
        .children(own.settings.and_then(session_control))
        .child(section);
    let zero = Element::new("defaultValue").child(Element::new("value").text("0"));
    let score = super::declaration("outcomeDeclaration", "SCORE", "single", "float").child(zero);
    document(
        &root("assessmentTest")
            .with("identifier", ident::of(own.id))
            .with("title", own.title)
            .child(score)
            .children(limits)
            .child(part)
            .child(outcome()),
    )
}

/// The sum of what the questions are worth.
fn outcome() -> Element {
    let scores = Element::new("testVariables").with("variableIdentifier", "SCORE").with("weightIdentifier", WEIGHT);
    let sum = Element::new("sum").child(scores).child(base("float", "0"));
    let set = Element::new("setOutcomeValue").with("identifier", "SCORE").child(sum);
    Element::new("outcomeProcessing").child(set)
}

/// What students see afterwards, as far as the quiz says it.
fn session_control(own: &Settings) -> Option<Element> {
    let hides = (own.hide_results.as_deref() == Some("always")).then_some("false");
    let solution = own.show_correct_answers.map(|shown| shown.to_string());
    (hides.is_some() || solution.is_some()).then(|| {
        let control =
            Element::new("itemSessionControl").with_some("showFeedback", hides).with_some("allowReview", hides);
        control.with_some("showSolution", solution)
    })
}

fn shuffle() -> Element {
    Element::new("ordering").with("shuffle", "true")
}

fn section(id: &str, title: &str) -> Element {
    Element::new("assessmentSection").with("identifier", id).with("title", title).with("visible", "true")
}

fn entry(entry: &Entry) -> Element {
    match entry {
        Entry::Question(question) => question_ref(question, question.points),
        Entry::Stimulus(stimulus) => item_ref(&stimulus.id, 0.0),
        Entry::Group(group) => group_section(group),
    }
}

/// A draw picks some of its questions by chance, none, or all of them in their order. Without a selection its questions would be
/// those of the quiz.
fn group_section(group: &Group) -> Element {
    let all = u32::try_from(group.questions.len()).unwrap_or(u32::MAX);
    let count = group.pick_count.or_else(|| group.bank.as_ref().map(|_| all)).map(|count| count.min(all));
    let selection = count.map(|count| Element::new("selection").with("select", count.to_string()));
    let ordering = selection.as_ref().filter(|_| group.pick_count.is_some()).map(|_| shuffle());
    let questions = group.questions.iter();
    section(&ident::of(&group.id), &group.title)
        .children(selection)
        .children(ordering)
        .children(questions.map(|question| question_ref(question, group.points.unwrap_or(question.points))))
}

fn question_ref(question: &Question, points: f64) -> Element {
    item_ref(&question.id, points)
}

fn item_ref(id: &str, points: f64) -> Element {
    let weight = Element::new("weight").with("identifier", WEIGHT).with("value", points.to_string());
    Element::new("assessmentItemRef")
        .with("identifier", ident::of(id))
        .with("href", format!("../{}", item_path(id)))
        .child(weight)
}
