//! Links in the texts of a copied course: those to what was copied along become links to the copies.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use shared::ids::CourseId;

/// The beginnings of addresses of the API. In those of new quizzes a quiz is named by its assignment.
const API: &str = "/api/v1";
const NEW_QUIZZES: &str = "/api/quiz/v1";

/// What stands encoded in the address of a page.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-');

/// Where links into one course lead in its copy.
pub(crate) struct CopiedLinks {
    /// The address of the installation, where it is known.
    base: Option<String>,
    /// The beginning of links into the course, `/courses/1`, and of those into its copy.
    source: String,
    to: String,
    /// What links name behind the kind of a record, and what they name in the copy, as it is without `%20` and the like.
    copies: BTreeMap<String, BTreeMap<String, String>>,
}

/// What a text is.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// HTML, or an address.
    Html,
    /// JSON with both in it. What it says besides, such as an answer that students have to give, is no link.
    Json,
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

    /// Notes that all folders are copied, which are named by their paths: these are the same in the copy.
    pub(crate) fn add_folders(&mut self) {
        self.add("files".to_owned(), "folder".to_owned(), "folder".to_owned());
    }

    /// Notes what a link names after `kind`: an id, or the address of a page.
    pub(crate) fn add(&mut self, kind: String, name: String, copy: String) {
        self.copies.entry(kind).or_default().insert(name, copy);
    }

    /// Without this, a text has no link into the course.
    pub(crate) fn course(&self) -> &str {
        &self.source
    }

    /// Without this, a text has no link to a file without its course.
    pub(crate) const FILES: &str = "/files/";

    /// The text with links to copies; `None`: it has no link to anything that was copied. Nothing is put in that HTML or JSON would
    /// write in another way.
    pub(crate) fn rewritten(&self, text: &str, form: Form) -> Option<String> {
        let (mut copied, mut done) = (String::new(), 0);
        for (at, _) in text.match_indices('/') {
            let Some((before, rest)) = text.split_at_checked(at).filter(|_| at >= done) else { continue };
            if let Some(Found { bytes, copy }) = self.found(rest, before.ends_with(NEW_QUIZZES))
                && self.begins_behind(before, form)
            {
                copied.extend([text.get(done..at).unwrap_or_default(), copy.as_str()]);
                done = at.saturating_add(bytes);
            }
        }
        (done > 0).then(|| copied + text.get(done..).unwrap_or_default())
    }

    /// The files of the course to which links of the text lead.
    pub(crate) fn files_in(&self, text: &str, form: Form) -> impl Iterator<Item = i64> {
        text.match_indices('/').filter_map(move |(at, _)| {
            let (before, link) = text.split_at_checked(at)?;
            let file = link.strip_prefix(self.source.as_str()).unwrap_or(link).strip_prefix(Self::FILES)?;
            let id = name(file).parse().ok()?;
            self.begins_behind(before, form).then_some(id)
        })
    }

    fn found(&self, text: &str, is_of_new_quizzes: bool) -> Option<Found> {
        if let Some(rest) = text.strip_prefix(Self::FILES) {
            let id = name(rest);
            let link = |id: &str| format!("{}{id}", Self::FILES);
            return self.copy_of("files", id).map(|copy| Found { bytes: link(id).len(), copy: link(&copy) });
        }
        let rest = text.strip_prefix(self.source.as_str()).filter(|rest| name(rest).is_empty())?;
        let course = Some(Found { bytes: self.source.len(), copy: self.to.clone() });
        let Some(kind) = rest.strip_prefix('/').map(name) else { return course };
        let behind = rest.get(kind.len().saturating_add(1)..).and_then(|behind| behind.strip_prefix('/'));
        match (kind, behind.map(name).unwrap_or_default()) {
            // The course, a list of what it has, or its syllabus: its copy has one as well.
            (_, "") | ("assignments", "syllabus") => course,
            (kind, id) => {
                let copies = match kind {
                    "quizzes" if is_of_new_quizzes => "assignments",
                    "wiki" => "pages",
                    other => other,
                };
                let copy = self.copy_of(copies, id)?;
                let link = |course: &str, id: &str| format!("{course}/{kind}/{id}");
                Some(Found { bytes: link(&self.source, id).len(), copy: link(&self.to, &copy) })
            }
        }
    }

    /// What a link to the copy names, encoded as the link is: browsers encode the addresses of pages.
    fn copy_of(&self, kind: &str, name: &str) -> Option<String> {
        let copies = self.copies.get(kind)?;
        let encoded = || {
            let copy = copies.get(&*percent_decode_str(name).decode_utf8().ok()?)?;
            Some(utf8_percent_encode(copy, ENCODED).to_string())
        };
        copies.get(name).cloned().or_else(encoded)
    }

    /// True if an address of this installation begins behind that text with a path: elsewhere courses have such paths, too.
    fn begins_behind(&self, before: &str, form: Form) -> bool {
        let before = [API, NEW_QUIZZES].iter().find_map(|api| before.strip_suffix(api)).unwrap_or(before);
        let outside = self.base.as_deref().and_then(|base| before.strip_suffix(base)).unwrap_or(before);
        match form {
            Form::Html => outside
                .chars()
                .next_back()
                .is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | '>' | ';')),
            // An attribute of HTML, or a member like `image_url`.
            Form::Json => [r#"=\""#, r#"url":""#].iter().any(|end| outside.ends_with(end)),
        }
    }
}

/// The id, or the word of a path, at the beginning of a text.
fn name(text: &str) -> &str {
    text.split(|c| !is_of_name(c)).next().unwrap_or_default()
}

/// Some letters are several characters, of which those behind the first are none by themselves. Quotation marks end an address.
fn is_of_name(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '~' | '%'),
        false => !c.is_whitespace() && !matches!(c, '«' | '»' | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}'),
    }
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
            ("pages", "i\u{307}zmir", "i\u{307}zmir"),
            ("assignments", "8", "80"),
            ("quizzes", "8", "90"),
        ] {
            links.add(kind.to_owned(), name.to_owned(), copy.to_owned());
        }
        links.add_folders();
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
            ("/courses/1/pages/%c3%bcber-b%c3%a4ume", "/courses/2/pages/%C3%BCber-b%C3%A4ume"),
            ("/courses/1/pages/i\u{307}zmir", "/courses/2/pages/i\u{307}zmir"),
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
            ("/courses/1/wiki/oak", "/courses/2/wiki/oak-5"),
            ("/courses/1/wiki", "/courses/2/wiki"),
            ("/courses/1/files/folder/a/b%20c", "/courses/2/files/folder/a/b%20c"),
            ("/api/quiz/v1/courses/1/quizzes/8", "/api/quiz/v1/courses/2/quizzes/80"),
            ("https://lms.test/api/quiz/v1/courses/1/quizzes", "https://lms.test/api/quiz/v1/courses/2/quizzes"),
        ] {
            for (before, after, form) in [
                ("", "", Form::Html),
                ("<a href=\"", "\">ä</a>", Form::Html),
                ("(", ").", Form::Html),
                ("{\"a\":\"<a href=\\\"", "\\\">\"}", Form::Json),
                ("{\"image_url\":\"", "\"}", Form::Json),
            ] {
                let (text, expected) = (format!("{before}{link}{after}"), format!("{before}{copy}{after}"));
                assert_eq!(links().rewritten(&text, form).as_deref(), Some(expected.as_str()));
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
            "/api/quiz/v1/courses/1/quizzes/9",
            "https://other.test/api/quiz/v1/courses/1/quizzes/8",
            "/courses/1/wiki/8",
            "/courses/2/pages/oak",
            "/groups/1/files/7",
            "https://other.test/courses/1/pages/oak",
            "https://other.test/files/7",
            "https://other.test/?to=/courses/1",
            "https://not-lms.test/courses/1",
            "https://other.test/#/courses/1/pages/oak",
            "https://other.test/app?/courses/1",
            "https://other.test/a:/courses/1",
            "https://other.test/p#!/files/7",
            "../courses/1",
            "//courses/1",
        ] {
            assert_eq!(links().rewritten(&format!("ä <a href=\"{link}\">"), Form::Html), None, "{link}");
        }
    }

    #[test]
    fn files_to_which_a_text_leads_are_told() {
        let files = |text: &str, form| links().files_in(text, form).collect::<Vec<_>>();
        let html =
            "<a href=\"/courses/1/files/7/preview\"><img src='/files/8'> (https://lms.test/api/v1/courses/1/files/9?a)
            <a href=\"/courses/11/files/3\"> <a href=\"/courses/1/files/folder\"> https://other.test/files/4 /files/x";
        assert_eq!(files(html, Form::Html), [7, 8, 9]);
        assert_eq!(files(r#"{"image_url":"/files/7","text":"/files/8"}"#, Form::Json), [7]);
    }

    #[test]
    fn an_answer_that_looks_like_a_link_stays() {
        let answers = r#"[{"answer_text":"/courses/1/pages/oak"},{"answer_text":"see /files/7"}]"#;
        assert_eq!(links().rewritten(answers, Form::Json), None);
    }

    #[test]
    fn each_link_of_a_text_is_looked_at_once() {
        let (text, copy) = ("/courses/1/files/7 /courses/1/files/9, ", "/courses/2/files/70 /courses/1/files/9, ");
        assert_eq!(links().rewritten(&text.repeat(3), Form::Html), Some(copy.repeat(3)));
        // Of two copies of courses to and fro, neither is taken for the other.
        let mut links = CopiedLinks::new(None, CourseId(1), CourseId(2));
        for (name, copy) in [("7", "8"), ("8", "9")] {
            links.add("files".to_owned(), name.to_owned(), copy.to_owned());
        }
        let changed = links.rewritten("/courses/1/files/7 /courses/1/files/8 /courses/2/files/8", Form::Html);
        assert_eq!(changed.as_deref(), Some("/courses/2/files/8 /courses/2/files/9 /courses/2/files/8"));
    }

    #[test]
    fn a_long_text_costs_no_more_than_its_length() {
        let began = Instant::now();
        for text in ["/", "/courses/1/", "/files/", "/courses/1/pages/", "/courses/1/files/7", "/api/v1/courses/1"] {
            links().rewritten(&text.repeat(40_000), Form::Html);
            links().rewritten(&format!("{text}{}", "a".repeat(400_000)), Form::Html);
        }
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
}
