//! Writes QTI 2.1: a file for each question, and one for the quiz that refers to them.

mod blanks;
mod choices;
mod essay_upload;
mod formula;
mod hot_spot;
mod item;
mod numbers;
mod pairs;
mod processing;
mod test;

use std::cell::RefCell;

use crate::html;
use crate::ident;
use crate::links::Links;
use crate::model::{Report, Text};
use crate::xml::{Element, Node};

pub(crate) use item::{item, stimulus};
pub(crate) use test::{Test, test};

const NAMESPACE: &str = "http://www.imsglobal.org/xsd/imsqti_v2p1";
const LOCATION: &str = "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1p2.xsd";
const RESPONSE: &str = "RESPONSE";

/// The path of a question's file in the package.
pub(crate) fn item_path(id: &str) -> String {
    format!("items/{}.xml", ident::of(id))
}

/// The context in which the parts of a file are written.
struct Cx<'a> {
    /// The title of the question.
    title: &'a str,
    links: &'a Links<'a>,
    report: RefCell<&'a mut Report>,
}

impl<'a> Cx<'a> {
    fn new(title: &'a str, links: &'a Links<'a>, report: &'a mut Report) -> Self {
        Self { title, links, report: RefCell::new(report) }
    }

    /// The HTML as nodes. Losses are noted.
    fn html(&self, html: &str) -> Vec<Node> {
        let html::Xhtml { nodes, losses } = html::xhtml(html, self.links);
        losses.into_iter().for_each(|loss| self.note(loss));
        nodes
    }

    fn text(&self, text: &Text) -> Vec<Node> {
        match text {
            Text::Plain(text) => vec![Node::Text(text.clone())],
            Text::Html(html) => self.html(html),
        }
    }

    fn note(&self, message: &str) {
        self.report.borrow_mut().note(self.title, message);
    }
}

fn root(name: &str) -> Element {
    Element::new(name)
        .with("xmlns", NAMESPACE)
        .with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")
        .with("xsi:schemaLocation", format!("{NAMESPACE} {LOCATION}"))
}

fn declaration(name: &str, identifier: &str, cardinality: &str, base: &str) -> Element {
    Element::new(name).with("identifier", identifier).with("cardinality", cardinality).with("baseType", base)
}

fn correct(values: impl IntoIterator<Item = String>) -> Option<Element> {
    let values: Vec<_> = values.into_iter().map(|value| Element::new("value").text(value)).collect();
    (!values.is_empty()).then(|| Element::new("correctResponse").children(values))
}

fn variable(identifier: &str) -> Element {
    Element::new("variable").with("identifier", identifier)
}

fn base(kind: &str, value: impl Into<String>) -> Element {
    Element::new("baseValue").with("baseType", kind).text(value)
}

/// A part of 1.
fn share(of: usize) -> f64 {
    1.0 / f64::from(u32::try_from(of.max(1)).unwrap_or(u32::MAX))
}

fn map_entry(key: impl Into<String>, value: f64) -> Element {
    Element::new("mapEntry").with("mapKey", key).with("mappedValue", value.to_string())
}
