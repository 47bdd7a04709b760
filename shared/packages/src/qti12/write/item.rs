//! A question as an item: what all types have, around what its type has.

use super::{Cx, Form, blanks, choices, decimal, essay_upload, field, hot_spot, material, numbers, pairs};
use crate::ident;
use crate::model::{BlankAnswer, Blanks, Feedback, Interaction, Question, Text, TextRule, Typed};
use crate::xml::Element;

/// The parts that the type of a question adds to its item.
#[derive(Default)]
pub(super) struct Body {
    /// Its name: by the reference importer, or by the profile of Common Cartridge.
    pub(super) kind: &'static str,
    /// More about it.
    pub(super) fields: Vec<Element>,
    pub(super) presentation: Vec<Element>,
    /// Attributes that the presentation has in no other type.
    pub(super) presentation_attributes: Vec<(String, String)>,
    /// Feedback for single answers: their ids, and what to say.
    pub(super) feedback: Vec<(String, String)>,
    /// The place where these answers are given.
    pub(super) conditions: Vec<Element>,
    /// When it is right.
    pub(super) scoring: Vec<Element>,
    pub(super) extension: Option<Element>,
    pub(super) text: Option<String>,
}

/// True if the profile of Common Cartridge knows such questions.
pub(crate) fn is_in_profile(question: &Question) -> bool {
    profile_name(&question.interaction).is_some()
}

fn profile_name(interaction: &Interaction) -> Option<&'static str> {
    match interaction {
        Interaction::Choice(choices) if choices.options.iter().any(|choice| choice.right) => {
            Some("cc.multiple_choice.v0p1")
        }
        Interaction::MultipleAnswers(choices) if !choices.options.is_empty() => Some("cc.multiple_response.v0p1"),
        Interaction::TrueFalse(_) => Some("cc.true_false.v0p1"),
        Interaction::ShortAnswer(typed) => typed_name(typed),
        Interaction::Blanks(own) => only_typed(own).and_then(typed_name),
        Interaction::Essay(_) => Some("cc.essay.v0p1"),
        _ => None,
    }
}

fn typed_name(typed: &Typed) -> Option<&'static str> {
    match typed.rule {
        _ if typed.accepted.is_empty() => None,
        TextRule::Same => Some("cc.fib.v0p1"),
        TextRule::Contains => Some("cc.pattern_match.v0p1"),
        TextRule::CloseEnough { .. } | TextRule::Regex => None,
    }
}

/// The only blank of a sentence, if it is typed.
fn only_typed(own: &Blanks) -> Option<&Typed> {
    match own.blanks.as_slice() {
        [crate::model::Blank { answer: BlankAnswer::Typed(typed), .. }] => Some(typed),
        _ => None,
    }
}

/// The item; `None` where the profile has no such question.
pub(super) fn item(question: &Question, cx: &mut Cx<'_>) -> Option<Element> {
    let body = match cx.form {
        Form::Full => full_body(question, cx),
        Form::Profile => profile_body(question, cx)?,
    };
    let text = cx.html(body.text.as_deref().unwrap_or(&question.body));
    let mut presentation = Element::new("presentation");
    presentation.attributes = body.presentation_attributes;
    // The material of a hot spot stands inside.
    let presentation = match body.kind {
        "hot_spot_question" => presentation.children(body.presentation),
        _ => presentation.child(material(&text)).children(body.presentation),
    };
    let metadata = match cx.form {
        Form::Full => full_metadata(question, body.kind, body.fields),
        Form::Profile => profile_metadata(question, body.kind, cx),
    };
    let feedback = itemfeedback(&question.feedback, &body.feedback, cx);
    let processing = processing(&question.feedback, body.conditions, body.scoring);
    Some(
        Element::new("item")
            .with("ident", ident::of(&question.id))
            .with("title", question.title.as_str())
            .child(Element::new("itemmetadata").child(metadata))
            .child(presentation)
            .children(processing)
            .children(body.extension)
            .children(feedback),
    )
}

fn full_body(question: &Question, cx: &mut Cx<'_>) -> Body {
    match &question.interaction {
        Interaction::Choice(own) => Body { kind: "multiple_choice_question", ..choices::one(own, cx) },
        Interaction::TrueFalse(own) => Body { kind: "true_false_question", ..choices::one(own, cx) },
        Interaction::MultipleAnswers(own) => Body { kind: "multiple_answers_question", ..choices::several(own, cx) },
        Interaction::ShortAnswer(own) => Body { kind: "short_answer_question", ..blanks::typed(question, own, cx) },
        Interaction::Blanks(own) => blanks::blanks(own),
        Interaction::Matching(own) => pairs::matching(own, cx),
        Interaction::Categorization(own) => pairs::categorization(own, cx),
        Interaction::Ordering(own) => pairs::ordering(own, cx),
        Interaction::Numeric(own) => numbers::numeric(own, question, cx),
        Interaction::Formula(own) => numbers::formula(own),
        Interaction::Essay(own) => essay_upload::essay(own),
        Interaction::FileUpload(own) => essay_upload::file_upload(own),
        Interaction::HotSpot(own) => hot_spot::hot_spot(own, question, cx),
        Interaction::TextOnly => Body { kind: "text_only_question", ..Body::default() },
    }
}

fn profile_body(question: &Question, cx: &mut Cx<'_>) -> Option<Body> {
    let kind = profile_name(&question.interaction)?;
    let body = match &question.interaction {
        Interaction::Choice(own) | Interaction::TrueFalse(own) => {
            if own.options.iter().any(|choice| choice.points.is_some()) {
                let message = "in Common Cartridge only the best choice is right; each had its own points";
                cx.report.note(question.title.as_str(), message);
            }
            choices::one(own, cx)
        }
        Interaction::MultipleAnswers(own) => choices::several(own, cx),
        Interaction::ShortAnswer(own) => blanks::typed(question, own, cx),
        Interaction::Blanks(own) => {
            let name = own.blanks.first().map(|blank| format!("[{}]", blank.name))?;
            let text = question.body.replacen(&name, "_____", 1);
            Body { text: Some(text), ..blanks::typed(question, only_typed(own)?, cx) }
        }
        _ => Body { fields: Vec::new(), ..essay_upload::profile_essay() },
    };
    Some(Body { kind, ..body })
}

fn full_metadata(question: &Question, kind: &str, fields: Vec<Element>) -> Element {
    let calculator = question.calculator.as_ref().filter(|calculator| *calculator != "none");
    let stimulus = question.stimulus.as_ref();
    Element::new("qtimetadata")
        .child(field("question_type", kind))
        .child(field("points_possible", decimal(question.points)))
        .child(field("assessment_question_identifierref", ident::part(&question.id, "question")))
        .children(calculator.map(|calculator| field("calculator_type", calculator.as_str())))
        .children(stimulus.map(|stimulus| field("parent_stimulus_item_ident", ident::of(stimulus))))
        .children(fields)
}

fn profile_metadata(question: &Question, kind: &str, cx: &mut Cx<'_>) -> Element {
    let scored = if kind == "cc.essay.v0p1" { "No" } else { "Yes" };
    // Weights are whole numbers: what is worth less than one still counts.
    let weight = question.points.round().max(1.0);
    if (weight - question.points).abs() > f64::EPSILON {
        let message = match question.points.round() < 1.0 {
            true => "in Common Cartridge a question weighs at least one point: it counts as one point",
            false => "in Common Cartridge questions weigh whole points: it is rounded",
        };
        cx.report.note(question.title.as_str(), message);
    }
    Element::new("qtimetadata")
        .child(field("cc_profile", kind))
        .child(field("cc_weighting", weight.to_string()))
        .child(field("qmd_scoringpermitted", "Yes"))
        .child(field("qmd_computerscored", scored))
}

/// A condition that always holds.
fn always() -> Element {
    Element::new("conditionvar").child(Element::new("other"))
}

pub(super) fn display(id: &str) -> Element {
    Element::new("displayfeedback").with("feedbacktype", "Response").with("linkrefid", id)
}

/// The feedback for an answer.
pub(super) fn with_feedback(condition: Element, id: &str) -> Element {
    let condition = Element::new("conditionvar").child(condition);
    Element::new("respcondition").with("continue", "Yes").child(condition).child(display(&format!("{id}_fb")))
}

/// True if an answer is given.
pub(super) fn equal(response: &str, id: &str) -> Element {
    Element::new("varequal").with("respident", response).text(id)
}

/// The condition that gives all points.
pub(super) fn right(conditions: impl IntoIterator<Item = Element>) -> Element {
    Element::new("respcondition")
        .with("continue", "No")
        .child(Element::new("conditionvar").children(conditions))
        .child(score("Set", "100"))
}

pub(super) fn score(action: &str, value: &str) -> Element {
    Element::new("setvar").with("action", action).with("varname", "SCORE").text(value)
}

/// The conditions that give a part of the points.
pub(super) fn part(conditions: impl IntoIterator<Item = Element>, of: usize) -> Element {
    let share = 100.0 / f64::from(u32::try_from(of.max(1)).unwrap_or(u32::MAX));
    Element::new("respcondition")
        .child(Element::new("conditionvar").children(conditions))
        .child(score("Add", &format!("{share:.2}")))
}

/// First what is said whatever the answer is, then for single answers, then when it is right, and when it is not.
fn processing(feedback: &Feedback, conditions: Vec<Element>, scoring: Vec<Element>) -> Option<Element> {
    let whatever = |id: &str| Element::new("respcondition").with("continue", "Yes").child(always()).child(display(id));
    let mut all = Vec::new();
    if !feedback.neutral.is_empty() {
        all.push(whatever("general_fb"));
    }
    all.extend(conditions);
    all.extend(with_correct(feedback, scoring));
    if !feedback.incorrect.is_empty() {
        all.push(whatever("general_incorrect_fb"));
    }
    if all.is_empty() {
        return None;
    }
    let outcome = Element::new("decvar")
        .with("maxvalue", "100")
        .with("minvalue", "0")
        .with("varname", "SCORE")
        .with("vartype", "Decimal");
    Some(Element::new("resprocessing").child(Element::new("outcomes").child(outcome)).children(all))
}

/// The conditions that give points, with the feedback when they give all of them.
fn with_correct(feedback: &Feedback, scoring: Vec<Element>) -> Vec<Element> {
    if feedback.correct.is_empty() {
        return scoring;
    }
    let gives = |condition: &Element, action: &str| {
        let score = condition.first("setvar");
        score.is_some_and(|score| score.attribute("action") == Some(action) && score.content() != "0")
    };
    let conditions =
        scoring.iter().filter(|condition| gives(condition, "Add")).filter_map(|part| part.first("conditionvar"));
    let parts: Vec<_> = conditions.flat_map(Element::elements).cloned().collect();
    let all_parts = (!parts.is_empty()).then(|| {
        let all = Element::new("conditionvar").child(Element::new("and").children(parts));
        Element::new("respcondition").with("continue", "Yes").child(all).child(display("correct_fb"))
    });
    let said = scoring.into_iter().map(|condition| {
        let said = gives(&condition, "Set").then(|| display("correct_fb"));
        condition.children(said)
    });
    said.chain(all_parts).collect()
}

fn itemfeedback(feedback: &Feedback, answers: &[(String, String)], cx: &Cx<'_>) -> Vec<Element> {
    let general = [
        ("general_fb", &feedback.neutral),
        ("correct_fb", &feedback.correct),
        ("general_incorrect_fb", &feedback.incorrect),
    ];
    let general = general.into_iter().filter(|(_, html)| !html.is_empty()).map(|(id, html)| (id.to_owned(), html));
    let answers = answers.iter().map(|(id, html)| (format!("{id}_fb"), html));
    general
        .chain(answers)
        .map(|(id, html)| {
            let flow = Element::new("flow_mat").child(material(&cx.html(html)));
            Element::new("itemfeedback").with("ident", id).child(flow)
        })
        .collect()
}

/// Something to read, in the form in which it was written.
pub(super) fn text(text: &Text, cx: &Cx<'_>) -> Element {
    let (kind, content) = match text {
        Text::Plain(text) => ("text/plain", text.clone()),
        Text::Html(html) => ("text/html", cx.html(html)),
    };
    Element::new("material").child(Element::new("mattext").with("texttype", kind).text(content))
}
