//! Links in the texts of a copied course: those to what was copied along become links to the copies.

use std::collections::BTreeMap;
use std::fmt::Write;

use shared::ids::CourseId;

/// Where links into one course lead in its copy.
pub(crate) struct CopiedLinks {
    /// The address of the installation, where it is known.
    base: Option<String>,
    /// The beginning of links into the course, `/courses/1`, and of those into its copy.
    source: String,
    to: String,
    /// What links name behind the kind of a record, and what they name in the copy.
    copies: BTreeMap<String, BTreeMap<String, String>>,
}

/// A link at the beginning of a text that becomes another one.
struct Found {
    bytes: usize,
    copy: String,
}

impl CopiedLinks {
    pub(crate) fn new(base: Option<&str>, source: CourseId, to: CourseId) -> Self {
        let [source, to] = [source, to].map(|course| format!("/courses/{course}"));
        Self { base: base.map(str::to_owned), source, to, copies: BTreeMap::new() }
    }

    /// Notes what a link names after `kind`: an id, or the address of a page, which browsers encode.
    pub(crate) fn add(&mut self, kind: String, name: String, copy: String) {
        let copies = self.copies.entry(kind).or_default();
        if !name.is_ascii() {
            copies.insert(encoded(&name), encoded(&copy));
        }
        copies.insert(name, copy);
    }

    /// Without this, a text has no link into the course.
    pub(crate) fn course(&self) -> &str {
        &self.source
    }

    /// Without this, a text has no link to a file without its course.
    pub(crate) const FILES: &str = "/files/";

    /// The text with links to copies; `None`: it has no link to anything that was copied. The text may be JSON that holds HTML:
    /// nothing is put in that either would write in another way.
    pub(crate) fn rewritten(&self, text: &str) -> Option<String> {
        let (mut copied, mut done) = (String::new(), 0);
        for (at, _) in text.match_indices('/') {
            let found = text.get(at..).filter(|_| at >= done).and_then(|rest| self.found(rest));
            if let Some(Found { bytes, copy }) = found
                && text.get(..at).is_some_and(|before| self.is_ours_behind(before))
            {
                copied.extend([text.get(done..at).unwrap_or_default(), copy.as_str()]);
                done = at.saturating_add(bytes);
            }
        }
        (done > 0).then(|| copied + text.get(done..).unwrap_or_default())
    }

    fn found(&self, text: &str) -> Option<Found> {
        if let Some(rest) = text.strip_prefix(Self::FILES) {
            let id = name(rest);
            let link = |id: &str| format!("{}{id}", Self::FILES);
            return self.copy_of("files", id).map(|copy| Found { bytes: link(id).len(), copy: link(copy) });
        }
        let rest = text.strip_prefix(self.source.as_str()).filter(|rest| name(rest).is_empty())?;
        let course = Some(Found { bytes: self.source.len(), copy: self.to.clone() });
        let Some(kind) = rest.strip_prefix('/').map(name) else { return course };
        let behind = rest.get(kind.len().saturating_add(1)..).and_then(|behind| behind.strip_prefix('/'));
        match (kind, behind.map(name).unwrap_or_default()) {
            // The course, a list of what it has, or its syllabus: its copy has one as well.
            (_, "") | ("assignments", "syllabus") => course,
            (kind, id) => {
                let copy = self.copy_of(kind, id)?;
                let link = |course: &str, id: &str| format!("{course}/{kind}/{id}");
                Some(Found { bytes: link(&self.source, id).len(), copy: link(&self.to, copy) })
            }
        }
    }

    fn copy_of(&self, kind: &str, name: &str) -> Option<&str> {
        Some(self.copies.get(kind)?.get(name)?)
    }

    /// True if a path that follows that text is one of this installation: elsewhere courses have such paths, too.
    fn is_ours_behind(&self, before: &str) -> bool {
        let before = before.strip_suffix("/api/v1").unwrap_or(before);
        let outside = self.base.as_deref().and_then(|base| before.strip_suffix(base)).unwrap_or(before);
        !outside.ends_with(|c| is_of_name(c) || matches!(c, '/' | '.' | '='))
    }
}

/// The id, or the word of a path, at the beginning of a text.
fn name(text: &str) -> &str {
    text.split(|c| !is_of_name(c)).next().unwrap_or_default()
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '~' | '%')
}

/// As a part of an address is written in ASCII.
fn encoded(name: &str) -> String {
    name.bytes().fold(String::new(), |mut encoded, byte| {
        match byte.is_ascii_alphanumeric() || byte == b'-' {
            true => encoded.push(char::from(byte)),
            // A string takes what is written into it.
            false => _ = write!(encoded, "%{byte:02X}"),
        }
        encoded
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn links() -> CopiedLinks {
        let mut links = CopiedLinks::new(Some("https://lms.test"), CourseId(1), CourseId(2));
        for (kind, name, copy) in [
            ("files", "7", "70"),
            ("pages", "oak", "oak-5"),
            ("pages", "über-bäume", "über-bäume"),
            ("assignments", "8", "80"),
            ("quizzes", "8", "90"),
        ] {
            links.add(kind.to_owned(), name.to_owned(), copy.to_owned());
        }
        links
    }

    #[test]
    fn links_to_what_was_copied_lead_to_the_copies() {
        for (link, copy) in [
            ("/courses/1/files/7/preview", "/courses/2/files/70/preview"),
            ("/courses/1/files/7", "/courses/2/files/70"),
            ("/courses/1/files/7?wrap=1", "/courses/2/files/70?wrap=1"),
            ("/files/7/download", "/files/70/download"),
            ("/courses/1/pages/oak#leaf", "/courses/2/pages/oak-5#leaf"),
            ("/courses/1/pages/über-bäume", "/courses/2/pages/über-bäume"),
            ("/courses/1/pages/%C3%BCber-b%C3%A4ume", "/courses/2/pages/%C3%BCber-b%C3%A4ume"),
            ("/courses/1/assignments/8/take", "/courses/2/assignments/80/take"),
            ("/courses/1/quizzes/8", "/courses/2/quizzes/90"),
            ("/courses/1", "/courses/2"),
            ("/courses/1/", "/courses/2/"),
            ("/courses/1?x=/courses/1", "/courses/2?x=/courses/1"),
            ("/courses/1/pages", "/courses/2/pages"),
            ("/courses/1/assignments/syllabus", "/courses/2/assignments/syllabus"),
            ("https://lms.test/courses/1/pages/oak", "https://lms.test/courses/2/pages/oak-5"),
            ("https://lms.test/api/v1/courses/1/pages/oak", "https://lms.test/api/v1/courses/2/pages/oak-5"),
            ("/api/v1/files/7", "/api/v1/files/70"),
        ] {
            for (before, after) in
                [("", ""), ("<a href=\"", "\">ä</a>"), ("{\"a\":\"<a href=\\\"", "\\\">\"}"), ("(", ").")]
            {
                let expected = format!("{before}{copy}{after}");
                assert_eq!(links().rewritten(&format!("{before}{link}{after}")).as_deref(), Some(expected.as_str()));
            }
        }
    }

    #[test]
    fn other_links_stay() {
        for link in [
            "",
            "/courses/11/files/7/",
            "/courses/3/files/7",
            "/courses/1/files/77/",
            "/courses/1/files/x",
            "/courses/1/pages/oak-tree",
            "/courses/1/discussion_topics/8",
            "/courses/1/assignments/9",
            "/courses/2/pages/oak",
            "/groups/1/files/7",
            "https://other.test/courses/1/pages/oak",
            "https://other.test/files/7",
            "https://other.test/?to=/courses/1",
            "https://not-lms.test/courses/1",
            "../courses/1",
            "//courses/1",
        ] {
            assert_eq!(links().rewritten(&format!("ä <a href=\"{link}\">")), None, "{link}");
        }
    }

    #[test]
    fn each_link_of_a_text_is_looked_at_once() {
        let (text, copy) = ("/courses/1/files/7 /courses/1/files/9, ", "/courses/2/files/70 /courses/1/files/9, ");
        assert_eq!(links().rewritten(&text.repeat(3)), Some(copy.repeat(3)));
        // Of two copies of courses to and fro, neither is taken for the other.
        let mut links = CopiedLinks::new(None, CourseId(1), CourseId(2));
        for (name, copy) in [("7", "8"), ("8", "9")] {
            links.add("files".to_owned(), name.to_owned(), copy.to_owned());
        }
        let changed = links.rewritten("/courses/1/files/7 /courses/1/files/8 /courses/2/files/8");
        assert_eq!(changed.as_deref(), Some("/courses/2/files/8 /courses/2/files/9 /courses/2/files/8"));
    }

    #[test]
    fn a_long_text_costs_no_more_than_its_length() {
        let began = Instant::now();
        for text in ["/", "/courses/1/", "/files/", "/courses/1/pages/", "/courses/1/files/7", "/api/v1/courses/1"] {
            links().rewritten(&text.repeat(40_000));
            links().rewritten(&format!("{text}{}", "a".repeat(400_000)));
        }
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
}
