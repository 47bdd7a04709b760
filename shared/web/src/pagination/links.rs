//! The links that lead from one page to the next: the header `Link`, and the same in the body.

use std::fmt::Display;

use serde::Serialize;
use serde_json::Value as JsonValue;
use types::JsonSchema;

use super::keyset::bookmark;
use super::{At, FIRST, Page};

/// The links together stay below this; the less important are left out.
const MAX_HEADER_BYTES: usize = 6 * 1024;

/// The links of a page.
#[derive(Debug, Default)]
pub struct Links {
    header: Option<String>,
    pagination: Option<Pagination>,
}

/// The place of a page among those of its list, for lists that tell it in the body, as JSON:API has it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Pagination {
    per_page: i64,
    page: i64,
    /// The address of any page, with `{page}` where its number belongs.
    template: String,
    current: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prev: Option<String>,
    first: String,
    last: String,
    /// The number of records of the whole list.
    count: i64,
    page_count: i64,
}

impl Links {
    /// The place of the page, where the list has numbers.
    pub fn pagination(&self) -> Option<&Pagination> {
        self.pagination.as_ref()
    }

    /// The header `Link`; none of a list that is whole.
    pub(crate) fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }
}

impl Page {
    /// The links of a page of a list whose whole length is known.
    pub(super) fn numbered_links(&self, total: i64) -> Links {
        let At::Number(number) = self.at else {
            return Links::default();
        };
        let last = (total.saturating_add(self.length - 1) / self.length).max(1);
        let next = (number < last).then_some(number + 1);
        let prev = (number > 1).then_some(number - 1);
        let page = |number: i64| number.to_string();
        let header = self.header(&[
            ("current", Some(page(number))),
            ("next", next.map(page)),
            ("prev", prev.map(page)),
            ("first", Some(page(1))),
            ("last", Some(page(last))),
        ]);
        let pagination = Pagination {
            per_page: self.length,
            page: number,
            template: self.link_to("{page}"),
            current: self.link_to(number),
            next: next.map(|page| self.link_to(page)),
            prev: prev.map(|page| self.link_to(page)),
            first: self.link_to(1),
            last: self.link_to(last),
            count: total,
            page_count: last,
        };
        Links { header: Some(header), pagination: Some(pagination) }
    }

    /// The links of a page of a list whose pages follow one another by bookmarks: the next one begins behind that key.
    pub(super) fn keyset_links(&self, last: Option<&[JsonValue]>) -> Links {
        let next = last.map(|key| bookmark(&self.list, key));
        let current = match &self.at {
            At::Number(number) => number.to_string(),
            At::Bookmark(text, _) => text.clone(),
            At::First(_) => FIRST.to_owned(),
            At::Whole => return Links::default(),
        };
        // Only a page behind which there is none tells which is the last; lists that have bookmarks alone never do.
        let last = (next.is_none() && self.first != FIRST).then(|| current.clone());
        let first = Some(self.first.to_owned());
        let header = self.header(&[("current", Some(current)), ("next", next), ("first", first), ("last", last)]);
        Links { header: Some(header), pagination: None }
    }

    fn link_to(&self, page: impl Display) -> String {
        let Self { address, length, .. } = self;
        format!("{address}page={page}&per_page={length}")
    }

    fn header(&self, pages: &[(&str, Option<String>)]) -> String {
        let entries: Vec<_> = pages
            .iter()
            .filter_map(|(rel, page)| {
                let page = page.as_ref()?;
                Some((*rel, format!("<{}>; rel=\"{rel}\"", self.link_to(page))))
            })
            .collect();
        let mut room = MAX_HEADER_BYTES;
        let mut kept = Vec::new();
        for rel in ["next", "last", "prev", "current", "first"] {
            let Some((_, entry)) = entries.iter().find(|(name, _)| *name == rel) else { continue };
            match room.checked_sub(entry.len() + 1) {
                Some(rest) => room = rest,
                None => break,
            }
            kept.push(rel);
        }
        let kept: Vec<_> =
            entries.iter().filter(|(rel, _)| kept.contains(rel)).map(|(_, entry)| entry.as_str()).collect();
        kept.join(",")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{ADDRESS, page};
    use super::*;

    #[test]
    fn the_links_are_those_of_the_reference() {
        let header = page("per_page=2&page=2&filter=a%20b&access_token=t").unwrap().numbered_links(7).header.unwrap();
        let at = |number: i64, rel: &str| format!("<{ADDRESS}?filter=a%20b&page={number}&per_page=2>; rel=\"{rel}\"");
        let expected = [at(2, "current"), at(3, "next"), at(1, "prev"), at(1, "first"), at(4, "last")];
        assert_eq!(header, expected.join(","));
    }

    #[test]
    fn a_body_tells_the_same_as_the_links() {
        let links = page("per_page=2&page=2&q=a").unwrap().numbered_links(7);
        let at = |number: &str| format!("{ADDRESS}?q=a&page={number}&per_page=2");
        let expected = json!({
            "per_page": 2, "page": 2, "template": at("{page}"), "current": at("2"), "next": at("3"), "prev": at("1"),
            "first": at("1"), "last": at("4"), "count": 7, "page_count": 4,
        });
        assert_eq!(serde_json::to_value(links.pagination().unwrap()).unwrap(), expected);
    }

    #[test]
    fn the_last_page_and_the_empty_list_have_no_next() {
        let last = page("page=4&per_page=2").unwrap().numbered_links(7).header.unwrap();
        assert!(!last.contains("next") && last.contains("page=4&per_page=2>; rel=\"last\""));
        let empty = page("").unwrap().numbered_links(0).header.unwrap();
        assert!(!empty.contains("next") && empty.contains("page=1&per_page=10>; rel=\"last\""));
    }

    #[test]
    fn long_links_leave_out_the_less_important() {
        let header = page(&format!("page=2&q={}", "x".repeat(2_500))).unwrap().numbered_links(50).header.unwrap();
        assert!(header.len() <= MAX_HEADER_BYTES);
        assert!(header.contains("next") && header.contains("last") && !header.contains("prev"));
    }
}
