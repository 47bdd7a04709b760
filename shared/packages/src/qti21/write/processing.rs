//! The way from the answer of a question to points and feedback.

use super::{Cx, RESPONSE, base, variable};
use crate::model::Feedback;
use crate::xml::Element;

/// The way from an answer to points, of which 1 is all of them.
pub(super) enum Scoring {
    /// People grade it.
    None,
    /// It is all right or not at all.
    Match,
    /// Its parts are worth what the mapping says.
    Map,
    /// The points are worth what the map of areas says.
    MapPoint,
    /// The points are right when the map of areas gives all that it can.
    AllPoints,
    /// It is right when this holds.
    When(Element),
    /// It is worth this number.
    Sum(Vec<Element>),
}

/// The feedback where a condition holds.
pub(super) struct AnswerFeedback {
    pub(super) id: String,
    pub(super) when: Element,
    pub(super) html: String,
}

/// The processing, the outcomes it needs, and the feedback it shows.
pub(super) struct Processing {
    pub(super) outcomes: Vec<Element>,
    pub(super) processing: Option<Element>,
    pub(super) feedback: Vec<Element>,
}

const TEMPLATES: &str = "http://www.imsglobal.org/question/qti_v2p1/rptemplates";
const SCORE: &str = "SCORE";
const FEEDBACK: &str = "FEEDBACK";

pub(super) fn processing(scoring: Scoring, feedback: &Feedback, told: Vec<AnswerFeedback>, cx: &Cx<'_>) -> Processing {
    let is_graded = !matches!(scoring, Scoring::None);
    let has_conditional = !feedback.correct.is_empty() || !feedback.incorrect.is_empty();
    if has_conditional && !is_graded {
        cx.note("in QTI 2.1 comments on right and wrong answers need points that a program gives: they are left out");
    }
    let zero = Element::new("defaultValue").child(Element::new("value").text("0"));
    let score =
        super::declaration("outcomeDeclaration", SCORE, "single", "float").with("normalMaximum", "1").child(zero);
    let general = [
        ("neutral", &feedback.neutral, None),
        ("correct", &feedback.correct, Some(is_right())),
        ("incorrect", &feedback.incorrect, Some(Element::new("not").child(is_right()))),
    ];
    let mut shown: Vec<(String, String, Option<Element>)> = general
        .into_iter()
        .filter(|(_, html, when)| !html.is_empty() && (when.is_none() || is_graded))
        .map(|(id, html, when)| (id.to_owned(), html.clone(), when))
        .collect();
    shown.extend(told.into_iter().map(|told| (told.id, told.html, Some(told.when))));
    if shown.is_empty() {
        return Processing { outcomes: vec![score], processing: simple(scoring), feedback: Vec::new() };
    }
    let rules = shown.iter().map(|(id, _, when)| match when {
        Some(when) => condition(when.clone(), show(id)),
        None => show(id),
    });
    let rules = score_rule(scoring).into_iter().chain(rules);
    let modal = |(id, html, _): &(String, String, Option<Element>)| {
        Element::new("modalFeedback")
            .with("outcomeIdentifier", FEEDBACK)
            .with("showHide", "show")
            .with("identifier", id.as_str())
            .nodes(cx.html(html))
    };
    Processing {
        outcomes: vec![score, super::declaration("outcomeDeclaration", FEEDBACK, "multiple", "identifier")],
        processing: Some(Element::new("responseProcessing").children(rules)),
        feedback: shown.iter().map(modal).collect(),
    }
}

/// The processing without feedback: that of a template if there is one.
fn simple(scoring: Scoring) -> Option<Element> {
    let template = |name: &str| Element::new("responseProcessing").with("template", format!("{TEMPLATES}/{name}"));
    match scoring {
        Scoring::None => None,
        Scoring::Match => Some(template("match_correct")),
        Scoring::Map => Some(template("map_response")),
        Scoring::MapPoint => Some(template("map_response_point")),
        other => score_rule(other).map(|rule| Element::new("responseProcessing").child(rule)),
    }
}

fn score_rule(scoring: Scoring) -> Option<Element> {
    let set = |value: Element| Element::new("setOutcomeValue").with("identifier", SCORE).child(value);
    let all = || set(base("float", "1"));
    let mapped = |name: &str| Element::new(name).with("identifier", RESPONSE);
    match scoring {
        Scoring::None => None,
        Scoring::Match => {
            let right = Element::new("match").child(variable(RESPONSE)).child(mapped("correct"));
            Some(condition(right, all()))
        }
        Scoring::Map => Some(set(mapped("mapResponse"))),
        Scoring::MapPoint => Some(set(mapped("mapResponsePoint"))),
        Scoring::AllPoints => Some(condition(is_whole(mapped("mapResponsePoint")), all())),
        Scoring::When(when) => Some(condition(when, all())),
        Scoring::Sum(parts) if parts.is_empty() => None,
        Scoring::Sum(parts) => Some(set(Element::new("sum").children(parts))),
    }
}

fn is_right() -> Element {
    is_whole(variable(SCORE))
}

/// Parts of 1 may come to a little less.
fn is_whole(value: Element) -> Element {
    Element::new("gte").child(value).child(base("float", "0.999"))
}

pub(super) fn condition(when: Element, then: Element) -> Element {
    Element::new("responseCondition").child(Element::new("responseIf").child(when).child(then))
}

fn show(id: &str) -> Element {
    let shown = Element::new("multiple").child(variable(FEEDBACK)).child(base("identifier", id));
    Element::new("setOutcomeValue").with("identifier", FEEDBACK).child(shown)
}
