//! Writes QTI 1.2: the form that the reference importer understands, which knows all types of questions, and the profile
//! of Common Cartridge, which knows some.

mod blanks;
mod choices;
mod essay_upload;
mod hot_spot;
mod item;
mod numbers;
mod pairs;
mod settings;

use std::io::Write;

use crate::error::Result;
use crate::ident;
use crate::links::{self, Links};
use crate::model::{Bank, Entry, Group, Question, Quiz, Report, Stimulus};
use crate::xml::{Document, Element};

pub(crate) use item::is_in_profile;
pub(crate) use settings::{grading_elements, setting_elements, settings};

/// Which form of QTI 1.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The one of the reference importer.
    Full,
    /// The one of Common Cartridge.
    Profile,
}

/// The context in which the parts of a file are written.
struct Cx<'a> {
    form: Form,
    links: &'a Links<'a>,
    report: &'a mut Report,
}

impl Cx<'_> {
    fn html(&self, html: &str) -> String {
        links::with_based(html, self.links).into_owned()
    }
}

pub(crate) fn quiz(quiz: &Quiz, form: Form, links: &Links<'_>, report: &mut Report) -> Result<Vec<u8>> {
    report.begin(&quiz.title);
    let mut cx = Cx { form, links, report };
    let mut document = Document::new(Vec::new())?;
    document.open(&root())?;
    document.open(&Element::new("assessment").with("ident", ident::of(&quiz.id)).with("title", quiz.title.as_str()))?;
    document.element(&assessment_metadata(quiz, form))?;
    if form == Form::Profile && !quiz.description.is_empty() {
        document.element(&Element::new("rubric").child(material(&cx.html(&quiz.description))))?;
    }
    document.open(&Element::new("section").with("ident", "root_section"))?;
    if form == Form::Full && quiz.settings.shuffle_questions == Some(true) {
        let order = Element::new("order").with("order_type", "Random");
        document.element(&Element::new("selection_ordering").child(order))?;
    }
    for entry in &quiz.entries {
        write_entry(entry, &mut cx, &mut document)?;
    }
    document.finish()
}

pub(crate) fn bank(bank: &Bank, links: &Links<'_>, report: &mut Report) -> Result<Vec<u8>> {
    report.begin(&bank.title);
    let mut cx = Cx { form: Form::Full, links, report };
    let mut document = Document::new(Vec::new())?;
    document.open(&root())?;
    document.open(&Element::new("objectbank").with("ident", ident::of(&bank.id)))?;
    document.element(&Element::new("qtimetadata").child(field("bank_title", bank.title.as_str())))?;
    for entry in &bank.entries {
        write_entry(entry, &mut cx, &mut document)?;
    }
    document.finish()
}

fn write_entry<W: Write>(entry: &Entry, cx: &mut Cx<'_>, document: &mut Document<W>) -> Result<()> {
    cx.report.end_question();
    match entry {
        Entry::Question(question) => write_question(question, cx, document),
        Entry::Stimulus(stimulus) if cx.form == Form::Full => document.element(&stimulus_item(stimulus, cx)),
        Entry::Stimulus(stimulus) => {
            cx.report.note(stimulus.title.as_str(), "Common Cartridge has no text beside questions");
            Ok(())
        }
        Entry::Group(group) if cx.form == Form::Full => {
            document.open(
                &Element::new("section").with("ident", ident::of(&group.id)).with("title", group.title.as_str()),
            )?;
            document.element(&selection(group))?;
            group.questions.iter().try_for_each(|question| write_question(question, cx, document))?;
            document.close()
        }
        Entry::Group(group) if group.questions.is_empty() => {
            cx.report.note(group.title.as_str(), "Common Cartridge has no groups that draw from a bank");
            Ok(())
        }
        Entry::Group(group) => {
            cx.report
                .note(group.title.as_str(), "Common Cartridge has no groups: all questions of the group are asked");
            // Without its group, a question says itself what it is worth.
            let worth = |question: &Question| group.points.unwrap_or(question.points);
            let mut own = group.questions.iter().map(|own| Question { points: worth(own), ..own.clone() });
            own.try_for_each(|question| write_question(&question, cx, document))
        }
    }
}

fn write_question<W: Write>(question: &Question, cx: &mut Cx<'_>, document: &mut Document<W>) -> Result<()> {
    cx.report.next_question();
    match item::item(question, cx) {
        Some(item) => document.element(&item),
        None => {
            let message =
                "Common Cartridge has no question of this type: it is only in the form of the reference importer";
            cx.report.note(question.title.as_str(), message);
            Ok(())
        }
    }
}

fn root() -> Element {
    Element::new("questestinterop")
        .with("xmlns", "http://www.imsglobal.org/xsd/ims_qtiasiv1p2")
        .with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")
        .with(
            "xsi:schemaLocation",
            "http://www.imsglobal.org/xsd/ims_qtiasiv1p2 \
             http://www.imsglobal.org/profile/cc/ccv1p1/ccv1p1_qtiasiv1p2p1_v1p0.xsd",
        )
}

fn assessment_metadata(quiz: &Quiz, form: Form) -> Element {
    let attempts = match quiz.settings.allowed_attempts {
        Some(-1) => "unlimited".to_owned(),
        attempts => attempts.unwrap_or(1).to_string(),
    };
    let profile =
        [("cc_profile", "cc.exam.v0p1"), ("qmd_assessmenttype", "Examination"), ("qmd_scoretype", "Percentage")];
    let profile = profile.into_iter().filter(|_| form == Form::Profile).map(|(label, entry)| field(label, entry));
    let time_limit = quiz.settings.time_limit.map(|minutes| field("qmd_timelimit", minutes.to_string()));
    Element::new("qtimetadata").children(profile).children(time_limit).child(field("cc_maxattempts", attempts))
}

/// A text beside questions, as the reference importer knows it: an item that asks nothing.
fn stimulus_item(stimulus: &Stimulus, cx: &Cx<'_>) -> Element {
    let source = Some(&stimulus.source_url).filter(|url| !url.is_empty());
    let metadata = Element::new("qtimetadata")
        .child(field("question_type", "text_only_question"))
        .child(field("points_possible", "0.0"))
        .child(field("assessment_question_identifierref", ident::part(&stimulus.id, "question")))
        .children(source.map(|url| field("source_url", url.as_str())))
        .children(stimulus.passage.then(|| field("passage", "true")));
    let orientation = if stimulus.orientation == "top" { "top" } else { "left" };
    Element::new("item")
        .with("ident", ident::of(&stimulus.id))
        .with("title", stimulus.title.as_str())
        .with("instructions", cx.html(&stimulus.instructions))
        .child(Element::new("itemmetadata").child(metadata))
        .child(Element::new("presentation").child(material(&cx.html(&stimulus.body)).with("orientation", orientation)))
}

fn selection(group: &Group) -> Element {
    let points = group.points.or_else(|| group.questions.first().map(|question| question.points));
    let count = Element::new("selection_number").text(group.pick_count.unwrap_or_else(|| group.all()).to_string());
    let points = Element::new("points_per_item").text(decimal(points.unwrap_or(1.0)));
    let bank = group.bank.as_ref().filter(|_| group.questions.is_empty());
    let bank = bank.map(|bank| Element::new("sourcebank_ref").text(ident::of(bank)));
    let selection =
        Element::new("selection").children(bank).child(count).child(Element::new("selection_extension").child(points));
    Element::new("selection_ordering").child(selection)
}

fn field(label: &str, entry: impl Into<String>) -> Element {
    Element::new("qtimetadatafield")
        .child(Element::new("fieldlabel").text(label))
        .child(Element::new("fieldentry").text(entry))
}

fn material(html: &str) -> Element {
    Element::new("material").child(Element::new("mattext").with("texttype", "text/html").text(html))
}

/// `1.0` rather than `1`, as other systems write it.
fn decimal(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number:.1}") } else { number.to_string() }
}
