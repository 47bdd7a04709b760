//! The declarations of an item's responses: what is right, and what each answer is worth.

use std::collections::{BTreeMap, BTreeSet};

use super::attribute;
use crate::xml::Element;

/// A response.
pub(super) struct Response<'a> {
    pub(super) id: String,
    pub(super) cardinality: String,
    pub(super) base: String,
    /// The right values.
    pub(super) correct: Vec<String>,
    /// The points of values.
    pub(super) mapping: Vec<(String, f64)>,
    pub(super) element: &'a Element,
}

/// All responses of an item, by their identifiers; of several, the first counts.
pub(super) fn responses(item: &Element) -> BTreeMap<String, Response<'_>> {
    let mut responses = BTreeMap::new();
    for own in item.all("responseDeclaration").map(response) {
        responses.entry(own.id.clone()).or_insert(own);
    }
    responses
}

fn response(own: &Element) -> Response<'_> {
    Response {
        id: attribute(own, "identifier"),
        cardinality: attribute(own, "cardinality"),
        base: attribute(own, "baseType"),
        correct: own.all("correctResponse").flat_map(|correct| correct.all("value")).map(value).collect(),
        mapping: own.all("mapping").flat_map(|mapping| mapping.all("mapEntry")).filter_map(entry).collect(),
        element: own,
    }
}

/// White space within a value separates its parts.
fn value(own: &Element) -> String {
    own.content().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn entry(own: &Element) -> Option<(String, f64)> {
    Some((own.attribute("mapKey")?.to_owned(), own.attribute("mappedValue")?.parse().ok()?))
}

impl Response<'_> {
    /// The values that are right: those that are said to be, or else those that are worth something.
    pub(super) fn right(&self) -> Vec<String> {
        match self.correct.is_empty() {
            true => self.mapping.iter().filter(|(_, worth)| *worth > 0.0).map(|(value, _)| value.clone()).collect(),
            false => self.correct.clone(),
        }
    }

    /// All values that are worth as much as the right one.
    pub(super) fn accepted(&self) -> Vec<String> {
        let mut known: BTreeSet<_> = self.correct.iter().collect();
        let worthy = self.mapping.iter().filter(|(_, worth)| *worth > 0.0).map(|(value, _)| value);
        let others: Vec<_> = worthy.filter(|value| known.insert(value)).collect();
        self.correct.iter().chain(others).cloned().collect()
    }

    /// True if there are values of different worth, all of them worth something or nothing.
    pub(super) fn varies(&self) -> bool {
        let worths: Vec<_> = self.mapping.iter().map(|(_, worth)| *worth).filter(|worth| *worth > 0.0).collect();
        worths.iter().any(|worth| worths.first().is_some_and(|first| (first - worth).abs() > 1e-9))
    }
}
