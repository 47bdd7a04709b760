//! The rules of a question's processing: which answers give points, and what is said to them.

use std::collections::BTreeMap;

use crate::xml::Element;

use super::{Text, attribute, materials};

/// The feedback for an answer that is right as a whole.
const CORRECT: &str = "correct_fb";

/// A condition, in the terms that readers need.
#[derive(Default)]
pub(super) struct Condition<'a> {
    /// Responses and values that have to be given, in their order.
    pub(super) given: Vec<(String, String)>,
    /// Texts that the answer has to contain.
    pub(super) contained: Vec<String>,
    /// The number of points that it sets or adds.
    pub(super) score: Option<f64>,
    pub(super) adds: bool,
    /// True if it holds for all answers.
    is_other: bool,
    /// The feedback that it shows.
    shown: Vec<String>,
    pub(super) variables: Option<&'a Element>,
}

/// All conditions of an item, and the feedback that they show.
pub(super) struct Conditions<'a> {
    all: Vec<Condition<'a>>,
    /// By their ids in small letters.
    feedback: BTreeMap<String, String>,
    /// The values that give points, by their responses.
    right: BTreeMap<String, Vec<String>>,
    /// The ids of what is shown for an answer, by its response and its value.
    shown: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

impl<'a> Conditions<'a> {
    pub(super) fn of(item: &'a Element) -> Self {
        let conditions = item.all("resprocessing").flat_map(|own| own.all("respcondition")).map(Condition::of);
        let mut conditions = Self {
            all: conditions.collect(),
            feedback: BTreeMap::new(),
            right: BTreeMap::new(),
            shown: BTreeMap::new(),
        };
        for own in item.all("itemfeedback") {
            let html = feedback(own);
            if !html.is_empty() {
                conditions.feedback.entry(attribute(own, "ident").to_ascii_lowercase()).or_insert(html);
            }
        }
        for condition in &conditions.all {
            if condition.score.is_some_and(|score| score > 0.0) {
                for (response, value) in &condition.given {
                    conditions.right.entry(response.clone()).or_default().push(value.clone());
                }
            }
            if let (None, [(response, value)]) = (condition.score, condition.given.as_slice()) {
                let values = conditions.shown.entry(response.clone()).or_default();
                values.entry(value.clone()).or_default().extend(condition.shown.iter().cloned());
            }
        }
        conditions
    }

    /// Those that give points.
    pub(super) fn scoring(&self) -> impl Iterator<Item = &Condition<'a>> {
        self.all.iter().filter(|condition| condition.score.is_some_and(|score| score > 0.0))
    }

    /// The values that are right for a response: those of all conditions that give points.
    pub(super) fn right(&self, response: &str) -> &[String] {
        self.right.get(response).map(Vec::as_slice).unwrap_or_default()
    }

    /// The feedback for an answer by itself: what is said where all is right is none.
    pub(super) fn feedback_of(&self, response: &str, value: &str) -> String {
        let shown = self.shown.get(response).and_then(|values| values.get(value));
        let shown = shown.map(Vec::as_slice).unwrap_or_default().iter();
        let mut shown = shown.filter(|id| !id.eq_ignore_ascii_case(CORRECT));
        shown.find_map(|id| self.html(id)).unwrap_or_default().to_owned()
    }

    /// The feedback of a condition besides that for all right answers.
    pub(super) fn feedback_of_condition(&self, condition: &Condition<'_>) -> String {
        let own = condition.shown.iter().filter(|id| !is_correct(id));
        own.filter_map(|id| self.html(id)).next().unwrap_or_default().to_owned()
    }

    /// The feedback whatever the answer is, where it is right, and where it is wrong.
    pub(super) fn general(&self) -> crate::model::Feedback {
        let named = |names: &[&str]| names.iter().find_map(|name| self.html(name)).map(str::to_owned);
        let scored = self.scoring().flat_map(|condition| &condition.shown).filter_map(|id| self.html(id)).next();
        let wrong =
            self.all.iter().filter(|condition| condition.is_other && condition.score.is_none_or(|score| score <= 0.0));
        let wrong = wrong.flat_map(|condition| &condition.shown).filter(|id| id.to_lowercase().contains("incorrect"));
        crate::model::Feedback {
            neutral: named(&["general_fb", "general"]).unwrap_or_default(),
            correct: named(&[CORRECT, "correct"]).or(scored.map(str::to_owned)).unwrap_or_default(),
            incorrect: named(&["general_incorrect_fb", "incorrect_fb", "incorrect"])
                .or_else(|| wrong.filter_map(|id| self.html(id)).next().map(str::to_owned))
                .unwrap_or_default(),
        }
    }

    fn html(&self, id: &str) -> Option<&str> {
        self.feedback.get(&id.to_ascii_lowercase()).map(String::as_str)
    }
}

fn is_correct(id: &str) -> bool {
    id.to_lowercase().starts_with("correct")
}

fn feedback(own: &Element) -> String {
    let text = materials(own);
    let solution = ["solution", "hint"].into_iter().find_map(|name| own.first(name));
    let inner = solution.and_then(|own| own.elements().next()).map(materials);
    let text = match (text, inner) {
        (Text::Html(html), Some(inner)) if html.is_empty() => inner,
        (text, _) => text,
    };
    text.html().into_owned()
}

impl<'a> Condition<'a> {
    fn of(own: &'a Element) -> Self {
        let mut condition = Self { variables: own.first("conditionvar"), ..Self::default() };
        for variables in own.all("conditionvar") {
            condition.collect(variables);
        }
        for set in own.all("setvar") {
            condition.adds |= set.attribute("action").is_some_and(|action| action.eq_ignore_ascii_case("add"));
            let score = set.content().parse().ok().filter(|score: &f64| score.is_finite());
            condition.score = condition.score.or(score);
        }
        condition.shown = own.all("displayfeedback").map(|shown| attribute(shown, "linkrefid")).collect();
        condition
    }

    /// An answer under a `not` has not to be given.
    fn collect(&mut self, parent: &Element) {
        for element in parent.elements() {
            match element.name.as_str() {
                "varequal" => self.given.push((attribute(element, "respident"), element.content())),
                "varsubstring" | "varsubset" => self.contained.push(element.content()),
                "and" | "or" => self.collect(element),
                "other" => self.is_other = true,
                _ => {}
            }
        }
    }
}
