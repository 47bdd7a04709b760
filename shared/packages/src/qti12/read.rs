//! Reads QTI 1.2: ours, that of the reference exporter, and that of other tools, which agree on little more than names.

mod blanks;
mod conditions;
mod hot_spot;
mod item;
mod numbers;
mod pairs;
mod settings;

use crate::html;
use crate::model::{Bank, Entry, Group, Quiz, Report, Text};
use crate::points;
use crate::xml::Element;

pub(crate) use settings::{grading, settings};

/// The content of a file.
#[derive(Default)]
pub(crate) struct Read {
    pub(crate) quizzes: Vec<Quiz>,
    pub(crate) banks: Vec<Bank>,
}

/// True if a document is of this format.
pub(crate) fn is_qti12(root: &Element) -> bool {
    root.name == "questestinterop"
}

/// Reads a document; what is not understood is told to the report.
pub(crate) fn read(root: &Element, report: &mut Report) -> Read {
    let mut read = Read::default();
    for assessment in root.all("assessment") {
        report.begin(assessment.attribute("title").unwrap_or_default());
        read.quizzes.push(quiz(assessment, report));
    }
    for bank in root.all("objectbank") {
        let title = metadata(bank, "bank_title").unwrap_or_else(|| attribute(bank, "title"));
        report.begin(&title);
        read.banks.push(Bank { id: attribute(bank, "ident"), title, entries: entries(bank, report) });
    }
    let loose = entries(root, report);
    if !loose.is_empty() {
        let id = root.elements().find_map(|element| element.attribute("ident")).unwrap_or("questions");
        read.quizzes.push(Quiz { id: format!("quiz-of-{id}"), entries: loose, ..Quiz::default() });
    }
    read
}

fn quiz(assessment: &Element, report: &mut Report) -> Quiz {
    let mut quiz = Quiz {
        id: attribute(assessment, "ident"),
        title: attribute(assessment, "title"),
        entries: entries(assessment, report),
        ..Quiz::default()
    };
    let description =
        ["rubric", "objectives", "presentation_material"].into_iter().find_map(|name| assessment.first(name));
    quiz.description = description.map(|own| materials(own).html().into_owned()).unwrap_or_default();
    quiz.settings.allowed_attempts =
        metadata(assessment, "cc_maxattempts").and_then(|attempts| match attempts.as_str() {
            "unlimited" => Some(-1),
            attempts => attempts.parse().ok(),
        });
    quiz.settings.time_limit = metadata(assessment, "qmd_timelimit").and_then(|minutes| minutes.parse().ok());
    quiz.settings.shuffle_questions = shuffles(assessment, report).then_some(true);
    quiz
}

/// True if all questions stand in an order of chance: so an assessment says it, or its only section.
fn shuffles(assessment: &Element, report: &mut Report) -> bool {
    let is_random = |own: &Element| {
        let order = own.at(&["selection_ordering", "order"]).and_then(|order| order.attribute("order_type"));
        order.is_some_and(|order| order.eq_ignore_ascii_case("random"))
    };
    let mut sections = assessment.all("section");
    let only = sections.next().filter(|_| sections.next().is_none());
    let is_group = |section: &Element| section.at(&["selection_ordering", "selection"]).is_some();
    let all = is_random(assessment) || only.is_some_and(|only| is_random(only) && !is_group(only));
    let parts = assessment.find("section").filter(|section| only.is_none_or(|only| !std::ptr::eq(*section, only)));
    for section in parts.filter(|section| is_random(section) && !is_group(section)) {
        let about = section.attribute("title").or_else(|| section.attribute("ident")).unwrap_or_default();
        report.note(about, "its questions stand in their order: only a whole quiz is shuffled, or a group drawn from");
    }
    all
}

/// The entries of an assessment, a section or a bank.
fn entries(parent: &Element, report: &mut Report) -> Vec<Entry> {
    let mut entries = Vec::new();
    for element in parent.elements() {
        match element.name.as_str() {
            "item" => entries.extend(item::read(element, report)),
            "section" => match element.at(&["selection_ordering", "selection"]) {
                Some(selection) => entries.push(group(element, selection, report)),
                None => entries.extend(self::entries(element, report)),
            },
            "bankentry_item" => {
                let about = attribute(element, "item_ref");
                report.note(about, "this question of a bank is not imported: only its place is in the quiz");
            }
            "itemref" | "sectionref" => {
                let about = attribute(element, "linkrefid");
                report.note(about, "what stands elsewhere is not imported here: only a reference to it is in the quiz");
            }
            _ => {}
        }
    }
    entries
}

fn group(section: &Element, selection: &Element, report: &mut Report) -> Entry {
    let mut questions = Vec::new();
    for entry in entries(section, report) {
        match entry {
            Entry::Question(question) => questions.push(question),
            Entry::Group(group) => questions.extend(group.questions),
            Entry::Stimulus(stimulus) => {
                report.note(stimulus.title, "a text beside questions is left out of the group that it is in");
            }
        }
    }
    let title = attribute(section, "title");
    let points = selection.content_at(&["selection_extension", "points_per_item"]);
    points::tell(points.as_deref(), "each question is worth what the first one is", &title, report);
    Entry::Group(Group {
        id: attribute(section, "ident"),
        title,
        pick_count: selection.content_at(&["selection_number"]).and_then(|count| count.parse().ok()),
        points: points.as_deref().and_then(points::read),
        bank: selection.content_at(&["sourcebank_ref"]).filter(|_| questions.is_empty()),
        questions,
        ..Group::default()
    })
}

fn attribute(element: &Element, name: &str) -> String {
    element.attribute(name).unwrap_or_default().to_owned()
}

/// The entry of a field of its metadata.
fn metadata(element: &Element, label: &str) -> Option<String> {
    let own = element.elements().filter(|child| child.name == "qtimetadata" || child.name == "itemmetadata");
    let mut fields = own.flat_map(|metadata| metadata.find("qtimetadatafield"));
    let field =
        fields.find(|field| field.content_at(&["fieldlabel"]).is_some_and(|own| own.eq_ignore_ascii_case(label)))?;
    field.content_at(&["fieldentry"])
}

/// The readable content of materials that stand in an element, or in flows in it.
fn materials(element: &Element) -> Text {
    let mut texts = Vec::new();
    collect(element, &mut texts);
    match texts.as_slice() {
        [Text::Plain(text)] => Text::Plain(text.clone()),
        texts => Text::Html(texts.iter().map(|text| text.html().into_owned()).collect::<Vec<_>>().join("")),
    }
}

fn collect(element: &Element, texts: &mut Vec<Text>) {
    for child in element.elements() {
        match child.name.as_str() {
            "material" => texts.extend(child.elements().filter_map(material)),
            "flow" | "flow_mat" => collect(child, texts),
            _ => {}
        }
    }
}

fn material(own: &Element) -> Option<Text> {
    match own.name.as_str() {
        "mattext" | "matemtext" => {
            let kind = own.attribute("texttype").unwrap_or_default();
            let has_elements = own.elements().next().is_some();
            let content = if has_elements { html::of(&own.children) } else { own.content() };
            // Some tools write HTML and do not say so.
            let looks_like_html = kind.is_empty() && content.contains("</");
            Some(match has_elements || kind.contains("html") || looks_like_html {
                true => Text::Html(content),
                false => Text::Plain(content),
            })
        }
        "matimage" => {
            let address = own.attribute("uri").or_else(|| own.attribute("entityref"))?;
            Some(Text::Html(format!("<img src=\"{}\">", quick_xml::escape::escape(address))))
        }
        "matbreak" => Some(Text::Html("<br>".to_owned())),
        _ => None,
    }
}
