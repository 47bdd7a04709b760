//! The operations by areas, and within an area by the resource that their paths name; and the page on which each
//! stands.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::members::{list, object, text};

/// The operations up to which an area is one page.
const MAX_OPERATIONS: usize = 36;

/// An operation of the description.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'a> {
    pub(crate) id: &'a str,
    /// In small letters.
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) value: &'a Value,
}

impl Operation<'_> {
    pub(crate) fn summary(&self) -> &str {
        text(self.value.get("summary"))
    }
}

/// The operations of a resource.
pub(crate) struct Group<'a> {
    pub(crate) name: String,
    pub(crate) operations: Vec<Operation<'a>>,
}

/// The operations of a page.
pub(crate) struct Part<'a> {
    /// Its address: `docs/badges-issuers`.
    pub(crate) page: String,
    pub(crate) title: String,
    pub(crate) groups: Vec<Group<'a>>,
}

impl<'a> Part<'a> {
    pub(crate) fn operations(&self) -> impl Iterator<Item = &Operation<'a>> {
        self.groups.iter().flat_map(|group| &group.operations)
    }
}

/// An area: one page, or several with one that leads to them.
pub(crate) struct Area<'a> {
    pub(crate) name: &'a str,
    pub(crate) title: String,
    pub(crate) about: &'a str,
    pub(crate) page: String,
    pub(crate) parts: Vec<Part<'a>>,
}

impl Area<'_> {
    pub(crate) fn has_parts(&self) -> bool {
        self.parts.iter().any(|part| part.page != self.page)
    }

    pub(crate) fn count(&self) -> usize {
        self.parts.iter().flat_map(Part::operations).count()
    }
}

/// All operations.
pub(crate) struct Catalogue<'a> {
    pub(crate) description: &'a Value,
    pub(crate) areas: Vec<Area<'a>>,
}

impl<'a> Catalogue<'a> {
    pub(crate) fn new(description: &'a Value) -> Self {
        let areas = list(description.get("tags")).iter().map(|tag| area(description, tag)).collect();
        Self { description, areas }
    }

    /// All operations, each with the page on which it stands.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (&Part<'a>, &Operation<'a>)> {
        let parts = self.areas.iter().flat_map(|area| &area.parts);
        parts.flat_map(|part| part.operations().map(move |operation| (part, operation)))
    }

    /// The address of an operation, by its id or by its method and path as the contract writes them.
    pub(crate) fn address(&self, name: &str) -> Option<String> {
        let names = |operation: &Operation<'_>| match name.split_once(' ') {
            None => operation.id == name,
            Some((method, path)) => operation.method.eq_ignore_ascii_case(method) && same_path(operation.path, path),
        };
        let (part, operation) = self.operations().find(|(_, operation)| names(operation))?;
        Some(format!("{}#{}", part.page, operation.id))
    }
}

/// True if two paths are the same but for the way in which they write parameters: `{id}` or `:id`.
fn same_path(template: &str, path: &str) -> bool {
    let is_same = |(one, other): (&str, &str)| match (one.starts_with('{'), other.starts_with(['{', ':'])) {
        (true, true) => true,
        (false, false) => one == other,
        _ => false,
    };
    template.split('/').count() == path.split('/').count() && template.split('/').zip(path.split('/')).all(is_same)
}

/// `quiz-groups` as a title: `Quiz groups`.
pub(crate) fn titled(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut letters = words.chars();
    let title: String = letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect();
    ["Ai ", "Sis ", "Oauth"]
        .iter()
        .zip(["AI ", "SIS ", "OAuth"])
        .fold(title, |title, (from, to)| title.replace(from, to))
}

fn area<'a>(description: &'a Value, tag: &'a Value) -> Area<'a> {
    let name = text(tag.get("name"));
    let operations: Vec<_> = operations(description)
        .filter(|operation| list(operation.value.get("tags")).iter().any(|tag| tag == name))
        .collect();
    let is_large = operations.len() > MAX_OPERATIONS;
    let groups = groups(operations);
    let (page, title) = (format!("docs/{name}"), titled(name));
    let parts = if is_large {
        let part = |group: Group<'a>| Part {
            page: format!("{page}-{}", group.name.replace('_', "-")),
            title: format!("{title}: {}", titled(&group.name).to_lowercase()),
            groups: vec![group],
        };
        groups.into_iter().map(part).collect()
    } else {
        vec![Part { page: page.clone(), title: title.clone(), groups }]
    };
    Area { name, title, about: text(tag.get("description")), page, parts }
}

fn operations(description: &Value) -> impl Iterator<Item = Operation<'_>> {
    object(description.get("paths")).flat_map(|(path, methods)| {
        object(Some(methods)).map(move |(method, value)| Operation {
            id: text(value.get("operationId")),
            method,
            path,
            value,
        })
    })
}

/// The operations of an area by their resources, in the order of these.
fn groups(operations: Vec<Operation<'_>>) -> Vec<Group<'_>> {
    let collections: BTreeSet<String> = operations.iter().flat_map(|operation| collections(operation.path)).collect();
    let mut groups: BTreeMap<String, Vec<Operation<'_>>> = BTreeMap::new();
    for operation in operations {
        groups.entry(resource(operation.path, &collections)).or_default().push(operation);
    }
    groups.into_iter().map(|(name, operations)| Group { name, operations }).collect()
}

/// The words of a path behind which a parameter stands.
fn collections(path: &str) -> Vec<String> {
    let segments: Vec<_> = path.split('/').collect();
    let pairs = segments.windows(2).filter_map(|pair| match pair {
        [word, next] if next.starts_with('{') && !word.starts_with('{') => Some((*word).to_owned()),
        _ => None,
    });
    pairs.collect()
}

/// The resource of a path: the last word of a collection that does not stand directly behind another one's, as `ref`
/// does in `/issuers/ref/{address}`; or else its last word.
fn resource(path: &str, collections: &BTreeSet<String>) -> String {
    let mut found = None;
    let mut is_after_collection = false;
    for segment in path.split('/') {
        let is_collection = collections.contains(segment);
        if is_collection && !is_after_collection {
            found = Some(segment);
        }
        is_after_collection = is_collection;
    }
    let mut words = path.split('/').filter(|segment| !segment.is_empty() && !segment.starts_with('{'));
    let name = found.or_else(|| words.next_back()).unwrap_or("front page");
    let stem = name.trim_start_matches('.').split('.').next().unwrap_or(name);
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_stands_with_the_others_of_its_resource() {
        let collections = ["courses", "quizzes", "groups", "issuers", "ref"].map(str::to_owned).into();
        for (path, name) in [
            ("/api/v1/courses/{id}/quizzes/{quiz_id}/groups", "groups"),
            ("/api/v1/courses/{id}/quizzes/{quiz_id}/groups/{id}/reorder", "groups"),
            ("/v2/issuers/ref/{address}", "issuers"),
            ("/openapi.json", "openapi"),
            ("/", "front page"),
        ] {
            assert_eq!(resource(path, &collections), name, "{path}");
        }
        assert_eq!(titled("sis-imports"), "SIS imports");
    }

    #[test]
    fn paths_are_the_same_in_both_ways_of_writing_parameters() {
        assert!(same_path("/polls/{id}", "/polls/:poll_id") && same_path("/polls/{id}", "/polls/{id}"));
        assert!(!same_path("/polls/{id}", "/polls/self") && !same_path("/polls/{id}", "/polls/:id/x"));
    }
}
