//! Links to what is elsewhere in each course, in the words of the reference system: a page, something by its identifier in the
//! package, or a place of the course.

use std::fmt;

use crate::opening::Opening;

const PAGE: &str = "WIKI_REFERENCE";
const OBJECT: &str = "CANVAS_OBJECT_REFERENCE";
const COURSE: &str = "CANVAS_COURSE_REFERENCE";
/// The place of a course by which files are told by their identifiers.
const FILE: &str = "file_ref/";

/// A link to something of the course that a package comes from, or comes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference<'a> {
    /// What it leads to.
    pub target: Target<'a>,
    /// The end of the address: a query, a fragment, or a path below the target.
    pub rest: &'a str,
}

/// What a link leads to, in the letters of the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// A page, by the last part of its address or by its identifier in the package.
    Page(&'a str),
    /// Something of the package.
    Object {
        /// Its type in addresses: `assignments`, `quizzes`, …
        kind: &'a str,
        /// Its identifier in the package.
        id: &'a str,
    },
    /// A place below the course; blank for the course itself.
    Place(&'a str),
}

impl<'a> Reference<'a> {
    /// The link that an address is; `None` for all other addresses.
    pub fn of(address: &'a str) -> Option<Self> {
        let rest = dollar(address)?;
        let (name, path) = [PAGE, OBJECT, COURSE].iter().find_map(|name| Some((*name, rest.strip_prefix(name)?)))?;
        let path = dollar(path).filter(|path| path.is_empty() || path.starts_with(['/', '?', '#']))?;
        let path = path.strip_prefix('/').unwrap_or(path);
        if name == COURSE {
            let (place, rest) = divided(path, &['?', '#']);
            return Some(Self { target: Target::Place(place.trim_end_matches('/')), rest });
        }
        let (kind, path) = path.split_once('/')?;
        let (id, rest) = divided(path, &['/', '?', '#']);
        let is_page = matches!(kind, "pages" | "wiki");
        let target = match name {
            PAGE if is_page => Target::Page(id),
            OBJECT => Target::Object { kind, id },
            _ => return None,
        };
        (!id.is_empty()).then_some(Self { target, rest })
    }

    /// The identifier of the file that it leads to, if it leads to one, and how it opens that.
    pub fn file(&self) -> Option<(&'a str, Opening)> {
        let Target::Place(place) = self.target else { return None };
        let (id, end) = divided(place.strip_prefix(FILE)?, &['/']);
        Some((id, Opening::of_end(&format!("{end}{}", self.rest))))
    }
}

impl fmt::Display for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.rest;
        match self.target {
            Target::Page(page) => write!(f, "${PAGE}$/pages/{page}{rest}"),
            Target::Object { kind, id } => write!(f, "${OBJECT}$/{kind}/{id}{rest}"),
            Target::Place(place) => write!(f, "${COURSE}$/{place}{rest}"),
        }
    }
}

fn dollar(text: &str) -> Option<&str> {
    text.strip_prefix('$').or_else(|| text.strip_prefix("%24"))
}

/// The text before the first of these characters, and from there on.
fn divided<'t>(text: &'t str, ends: &[char]) -> (&'t str, &'t str) {
    text.split_at_checked(text.find(ends).unwrap_or(text.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_and_written() {
        for (address, target, rest) in [
            ("$WIKI_REFERENCE$/pages/leaves#top", Target::Page("leaves"), "#top"),
            ("$CANVAS_OBJECT_REFERENCE$/quizzes/g7?wrap=1", Target::Object { kind: "quizzes", id: "g7" }, "?wrap=1"),
            ("$CANVAS_COURSE_REFERENCE$/modules?a=1", Target::Place("modules"), "?a=1"),
            ("$CANVAS_COURSE_REFERENCE$/", Target::Place(""), ""),
        ] {
            let reference = Reference { target, rest };
            assert_eq!(Reference::of(address), Some(reference));
            assert_eq!(reference.to_string(), address);
        }
    }

    #[test]
    fn a_link_is_known_in_all_its_spellings() {
        let page = Some(Reference { target: Target::Page("a%20b"), rest: "" });
        for address in ["$WIKI_REFERENCE$/wiki/a%20b", "%24WIKI_REFERENCE%24/pages/a%20b"] {
            assert_eq!(Reference::of(address), page, "{address}");
        }
        let course = Some(Reference { target: Target::Place(""), rest: "" });
        assert_eq!(Reference::of("$CANVAS_COURSE_REFERENCE$"), course);
        for (rest, end) in [
            ("?wrap=1", "/preview?wrap=1"),
            ("/download?wrap=1", "/download?wrap=1"),
            ("/preview", "/preview"),
            ("/", "/preview"),
        ] {
            let address = format!("$CANVAS_COURSE_REFERENCE$/file_ref/g1{rest}");
            let file = Reference::of(&address).and_then(|own| own.file());
            assert_eq!(file, Some(("g1", Opening::of_end(end))), "{address}");
        }
    }

    #[test]
    fn other_addresses_are_no_links() {
        for address in [
            "",
            "$",
            "$WIKI_REFERENCE$",
            "$WIKI_REFERENCE$/pages/",
            "$WIKI_REFERENCE$/files/a",
            "$CANVAS_OBJECT_REFERENCE$/quizzes",
            "$CANVAS_COURSE_REFERENCE$modules",
            "$IMS-CC-FILEBASE$/a.png",
            "/courses/1/pages/a",
        ] {
            assert_eq!(Reference::of(address), None, "{address}");
        }
    }
}
