//! Answers that are typed, and blanks in a sentence.

use super::item::{Body, equal, part, right, with_feedback};
use super::{Cx, field};
use crate::model::{Blank, BlankAnswer, Blanks, Choice, Question, TextRule, Typed};
use crate::qti12::SHOWN;
use crate::xml::Element;

const RESPONSE: &str = "response1";
/// The field of the metadata that tells the older type of new quizzes.
const TYPE: &str = "interaction_type";
const FILL_BLANK: &str = "fill-blank";

/// One typed answer.
pub(super) fn typed(question: &Question, own: &Typed, cx: &mut Cx<'_>) -> Body {
    let condition = |choice: &Choice| match own.rule {
        TextRule::Contains => Element::new("varsubstring").with("respident", RESPONSE).text(choice.text.plain()),
        _ => equal(RESPONSE, &choice.text.plain()),
    };
    if matches!(own.rule, TextRule::CloseEnough { .. } | TextRule::Regex) {
        let message = "an answer has to be the accepted text, where a rule was to compare them";
        cx.report.note(question.title.as_str(), message);
    }
    let label = Element::new("response_label").with("ident", "answer1").with("rshuffle", "No");
    let response = Element::new("response_str")
        .with("ident", RESPONSE)
        .with("rcardinality", "Single")
        .child(Element::new("render_fib").child(label));
    let feedback = own.accepted.iter().filter(|choice| !choice.feedback.is_empty());
    let scoring = match own.accepted.is_empty() {
        true => Vec::new(),
        false => vec![right(own.accepted.iter().map(condition))],
    };
    Body {
        fields: vec![field("original_answer_ids", ids(&own.accepted))],
        presentation: vec![response],
        conditions: feedback.clone().map(|choice| with_feedback(condition(choice), &choice.id)).collect(),
        feedback: feedback.map(|choice| (choice.id.clone(), choice.feedback.clone())).collect(),
        scoring,
        ..Body::default()
    }
}

fn ids(options: &[Choice]) -> String {
    options.iter().map(|choice| choice.id.as_str()).collect::<Vec<_>>().join(",")
}

/// Several blanks. They are dropdowns if all of them are; else each says what it is.
pub(super) fn blanks(own: &Blanks) -> Body {
    let is_dropdown = |blank: &Blank| matches!(blank.answer, BlankAnswer::Dropdown(_));
    let all_dropdowns = own.blanks.iter().all(is_dropdown);
    let kind = if all_dropdowns { "multiple_dropdowns_question" } else { "fill_in_multiple_blanks_question" };
    let filled: Vec<_> = own.blanks.iter().map(|blank| Filled::of(blank, own, all_dropdowns)).collect();
    let conditions = filled
        .iter()
        .flat_map(|filled| filled.feedback.iter().map(|(id, _)| with_feedback(equal(&filled.response, id), id)));
    Body {
        kind,
        fields: own.in_pieces.then(|| field(TYPE, FILL_BLANK)).into_iter().collect(),
        presentation: filled.iter().map(Filled::element).collect(),
        conditions: conditions.collect(),
        feedback: filled.iter().flat_map(|filled| filled.feedback.clone()).collect(),
        scoring: filled
            .iter()
            .filter_map(|filled| Some(part([equal(&filled.response, filled.right.as_ref()?)], own.blanks.len())))
            .collect(),
        ..Body::default()
    }
}

/// A blank with what may stand in it.
struct Filled {
    response: String,
    name: String,
    labels: Vec<Element>,
    right: Option<String>,
    shuffled: bool,
    feedback: Vec<(String, String)>,
}

impl Filled {
    fn of(blank: &Blank, own: &Blanks, all_dropdowns: bool) -> Self {
        let response = format!("response_{}", blank.name);
        let (options, right, attributes, shuffled): (&[Choice], _, Vec<(&str, String)>, _) = match &blank.answer {
            BlankAnswer::Typed(typed) => (&typed.accepted, typed.accepted.first(), rule(typed), false),
            BlankAnswer::Dropdown(choices) => {
                let attributes = match all_dropdowns {
                    true => Vec::new(),
                    false => {
                        vec![("scoring_algorithm", "Equivalence".to_owned()), ("answer_type", "dropdown".to_owned())]
                    }
                };
                (&choices.options, choices.options.iter().find(|choice| choice.right), attributes, choices.shuffled)
            }
            BlankAnswer::Word(id) => {
                let attributes = vec![
                    ("scoring_algorithm", "TextEquivalence".to_owned()),
                    ("answer_type", "wordbank".to_owned()),
                    ("allow_reuse", own.reuse_words.to_string()),
                ];
                (&own.words, own.words.iter().find(|word| word.id == *id), attributes, false)
            }
        };
        let label = |(position, choice): (usize, &Choice)| {
            let text = Element::new("mattext").with("texttype", "text/plain").text(choice.text.plain());
            let mut label = Element::new("response_label").with("ident", choice.id.as_str());
            if attributes.iter().any(|(_, value)| value == "dropdown") {
                label = label.with("position", position.to_string());
            }
            let label = attributes.iter().fold(label, |label, (name, value)| label.with(name, value.as_str()));
            label.child(Element::new("material").child(text))
        };
        Self {
            name: blank.name.clone(),
            labels: (1..).zip(options).map(label).collect(),
            right: right.map(|choice| choice.id.clone()),
            feedback: super::choices::feedback(options),
            shuffled,
            response,
        }
    }

    fn element(&self) -> Element {
        let name = Element::new("material").child(Element::new("mattext").text(self.name.as_str()));
        let choices = Element::new("render_choice")
            .with_some("shuffle", self.shuffled.then_some("Yes"))
            .children(self.labels.iter().cloned());
        Element::new("response_lid").with("ident", self.response.as_str()).child(name).child(choices)
    }
}

/// The comparison of a typed answer, with the text that is shown in its place; what classic quizzes do is not said.
fn rule(own: &Typed) -> Vec<(&'static str, String)> {
    let named = |name: &str| vec![("scoring_algorithm", name.to_owned()), ("answer_type", "openEntry".to_owned())];
    let mut attributes = match own.rule {
        TextRule::Same => Vec::new(),
        TextRule::Contains => named("TextContainsAnswer"),
        TextRule::Regex => named("TextRegex"),
        TextRule::CloseEnough { ignore_case, distance } => {
            let mut attributes = named("TextCloseEnough");
            attributes.push(("levenshtein_distance", distance.to_string()));
            attributes.push(("ignore_case", ignore_case.to_string()));
            attributes
        }
    };
    attributes.extend(own.shown.clone().map(|shown| (SHOWN, shown)));
    attributes
}
