//! Reads QTI 2.1 and 2.2: items and tests.

mod body;
mod declarations;
mod formula;
mod hot_spot;
mod inline;
mod item;
mod numbers;
mod pairs;
mod test;

pub(crate) use item::item;
pub(crate) use test::{Test, TestEntry, test};

use crate::xml::Element;

/// True if a document is a question.
pub(crate) fn is_item(root: &Element) -> bool {
    root.name == "assessmentItem"
}

/// True if a document is a quiz.
pub(crate) fn is_test(root: &Element) -> bool {
    root.name == "assessmentTest"
}

/// True if a document is of a version that is not read.
pub(crate) fn is_newer(root: &Element) -> bool {
    root.name.starts_with("qti-assessment-")
}

fn attribute(element: &Element, name: &str) -> String {
    element.attribute(name).unwrap_or_default().to_owned()
}
