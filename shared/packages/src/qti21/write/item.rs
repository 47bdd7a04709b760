//! A question as an item: what all types have, around what its type has.

use super::processing::{AnswerFeedback, Scoring, processing};
use super::{Cx, blanks, choices, essay_upload, formula, hot_spot, numbers, pairs, root};
use crate::error::Result;
use crate::ident;
use crate::links::Links;
use crate::model::{Feedback, Interaction, Question, Report, Stimulus};
use crate::qti21::INSTRUCTIONS;
use crate::xml::{Element, Node, document};

/// The parts that the type of a question adds to its item.
pub(super) struct Body {
    pub(super) responses: Vec<Element>,
    pub(super) templates: Vec<Element>,
    /// The places where the text of the question has elements of the type in it.
    pub(super) text: Option<Vec<Node>>,
    /// The elements after the text.
    pub(super) blocks: Vec<Element>,
    pub(super) scoring: Scoring,
    pub(super) told: Vec<AnswerFeedback>,
}

impl Body {
    pub(super) fn new(response: Element, block: Element, scoring: Scoring) -> Self {
        Self {
            responses: vec![response],
            templates: Vec::new(),
            text: None,
            blocks: vec![block],
            scoring,
            told: Vec::new(),
        }
    }
}

/// The file of a question.
pub(crate) fn item(question: &Question, links: &Links<'_>, report: &mut Report) -> Result<Vec<u8>> {
    let cx = Cx::new(&question.title, links, report);
    if question.calculator.as_ref().is_some_and(|calculator| calculator != "none") {
        cx.note("QTI 2.1 cannot say which calculator students have: other systems do not read it in lectern_quiz.xml");
    }
    let body = body(question, &cx);
    let text = body.text.unwrap_or_else(|| cx.html(&question.body));
    let processing = processing(body.scoring, &question.feedback, body.told, &cx);
    let content = Element::new("div").nodes(text);
    let item = assessment_item(&question.id, &question.title)
        .children(body.responses)
        .children(processing.outcomes)
        .children(body.templates)
        .child(Element::new("itemBody").child(content).children(body.blocks))
        .children(processing.processing)
        .children(processing.feedback);
    document(&item)
}

/// The file of a text beside questions, which asks nothing.
pub(crate) fn stimulus(own: &Stimulus, links: &Links<'_>, report: &mut Report) -> Result<Vec<u8>> {
    let cx = Cx::new(&own.title, links, report);
    cx.note("QTI 2.1 has no text beside questions: in other systems it stands before them");
    let mut content = Element::new("div").nodes(cx.html(&own.body));
    if !own.instructions.is_empty() {
        let instructions = Element::new("div").with("class", INSTRUCTIONS).nodes(cx.html(&own.instructions));
        content = Element::new("div").child(instructions).child(content);
    }
    let body = Element::new("itemBody").with("class", "stimulus").child(content);
    // Some systems take no item without a score.
    let outcomes = processing(Scoring::None, &Feedback::default(), Vec::new(), &cx).outcomes;
    document(&assessment_item(&own.id, &own.title).children(outcomes).child(body))
}

fn assessment_item(id: &str, title: &str) -> Element {
    root("assessmentItem")
        .with("identifier", ident::of(id))
        .with("title", title)
        .with("adaptive", "false")
        .with("timeDependent", "false")
}

fn body(question: &Question, cx: &Cx<'_>) -> Body {
    match &question.interaction {
        Interaction::Choice(own) | Interaction::TrueFalse(own) => choices::one(own, cx),
        Interaction::MultipleAnswers(own) => choices::several(own, cx),
        Interaction::ShortAnswer(own) => blanks::typed(own, cx),
        Interaction::Blanks(own) => blanks::blanks(own, &question.body, cx),
        Interaction::Matching(own) => pairs::matching(own, cx),
        Interaction::Categorization(own) => pairs::categorization(own, cx),
        Interaction::Ordering(own) => pairs::ordering(own, cx),
        Interaction::Numeric(own) => numbers::numeric(own, cx),
        Interaction::Formula(own) => formula::formula(own, &question.body, cx),
        Interaction::Essay(own) => essay_upload::essay(own, cx),
        Interaction::FileUpload(own) => essay_upload::file_upload(own, cx),
        Interaction::HotSpot(own) => hot_spot::hot_spot(own, cx),
        Interaction::TextOnly => Body {
            responses: Vec::new(),
            templates: Vec::new(),
            text: None,
            blocks: Vec::new(),
            scoring: Scoring::None,
            told: Vec::new(),
        },
    }
}
