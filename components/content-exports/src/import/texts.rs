//! The texts of a package: their HTML is cleaned, and leads to the files where they lie now.

use content_packages::import;
use content_packages::model::{Entry, Report};
use content_packages::references::Reference;
use shared::rich_text::{self, Refusal};
use std::collections::BTreeMap;

use crate::import::references::Targets;

/// The part of an address that leads nowhere which is told.
pub(crate) const MAX_SHOWN_CHARS: usize = 200;

/// The changes of texts.
pub(crate) struct Texts<'a> {
    /// The addresses of the package's files here, but for what a link does with them, by their paths in the package.
    pub(crate) addresses: &'a BTreeMap<String, String>,
    /// What its links to other content lead to.
    pub(crate) targets: &'a mut Targets,
    pub(crate) report: &'a mut Report,
}

impl Texts<'_> {
    /// HTML as it is stored.
    pub(crate) fn html(&mut self, about: &str, html: &str) -> String {
        let mut html = import::with_addresses(html, &mut |address| self.address(about, address));
        self.clean(about, &mut html);
        html
    }

    /// A part of a quiz or bank whose texts may be stored.
    pub(crate) fn entry(&mut self, about: &str, entry: &mut Entry) {
        entry.map_addresses(&mut |address| self.address(about, address));
        entry.change_html(&mut |html| self.clean(about, html));
    }

    /// The address of a file of the package, or of other content of the course. What was not imported keeps its address,
    /// and that is noted.
    fn address(&mut self, about: &str, address: &str) -> Option<String> {
        let Some((path, opening)) = import::file_of(address) else {
            return self.linked(about, address, &Reference::of(address)?);
        };
        if let Some(own) = self.addresses.get(path) {
            return Some(format!("{own}{}", opening.end()));
        }
        self.report.note(about, format!("\u{201c}{path}\u{201d} leads nowhere: the file was not imported"));
        Some(path.to_owned())
    }

    fn linked(&mut self, about: &str, address: &str, reference: &Reference<'_>) -> Option<String> {
        let own = self.targets.address(about, reference);
        if own.is_none() {
            let shown: String = address.chars().take(MAX_SHOWN_CHARS).collect();
            let reason = if self.targets.is_full() {
                "the package has too many links"
            } else {
                "what it names was not imported"
            };
            self.report.note(about, format!("\u{201c}{shown}\u{201d} leads nowhere: {reason}"));
        }
        own
    }

    /// HTML without what would run. HTML that is not taken as rich text is left out, and so are media from where none are
    /// shown; that is noted.
    fn clean(&mut self, about: &str, html: &mut String) {
        if html.is_empty() {
            return;
        }
        let clean = rich_text::sanitize(html).and_then(|clean| match self.targets.length(&clean) {
            bytes if bytes > rich_text::MAX_BYTES => Err(Refusal::TooLong),
            _ => Ok(clean),
        });
        match clean {
            Ok(clean) => {
                for message in left_out(html, &clean) {
                    self.report.note(about, message);
                }
                *html = clean;
            }
            Err(refusal) => {
                self.report.note(about, format!("A text {refusal}: it was left out"));
                html.clear();
            }
        }
    }
}

/// The media that the HTML has lost, for people.
fn left_out(before: &str, clean: &str) -> Vec<&'static str> {
    const MEDIA: [(&str, &str); 5] = [
        ("iframe", "a frame was left out: frames of its host are not shown here"),
        ("video", "a video was left out"),
        ("audio", "a sound was left out"),
        ("object", "an embedded object was left out"),
        ("embed", "an embedded object was left out"),
    ];
    let lost = MEDIA.into_iter().filter(|(name, _)| count(clean, "<", name) < count(before, "<", name));
    let mut messages: Vec<_> = lost.map(|(_, message)| message).collect();
    // A script loses its address with all of it, and is no loss.
    let is_about_media = messages.is_empty() && count(before, "<", "script") == 0;
    if is_about_media && count(clean, " ", "src") < count(before, " ", "src") {
        messages.push(
            "the address of a picture, a sound or a video was left out: it is not one of https or of this service",
        );
    }
    messages
}

/// The number of times that a name begins after a mark, in letters of any size.
fn count(html: &str, mark: &str, name: &str) -> usize {
    let is_named = |rest: &&str| {
        let (start, end) = rest.split_at_checked(name.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(name) && !end.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-')
    };
    html.split(mark).skip(1).filter(is_named).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::references::Kinds;
    use shared::ids::CourseId;
    use std::collections::BTreeSet;

    fn notes(html: &str) -> (String, Vec<String>) {
        let (addresses, mut report) = (BTreeMap::new(), Report::default());
        let kinds = Kinds { classic: &[], new: &[], assignments: &BTreeMap::new() };
        let mut targets = Targets::of(CourseId(1), &[], BTreeSet::new(), &[], &kinds);
        let clean = Texts { addresses: &addresses, targets: &mut targets, report: &mut report }.html("Trees", html);
        (clean, report.notes.into_iter().map(|note| note.message).collect())
    }

    #[test]
    fn a_link_that_leads_nowhere_stays_and_is_noted() {
        let link = "<a href=\"$CANVAS_OBJECT_REFERENCE$/modules/g1\">x</a>";
        let (clean, notes) = notes(link);
        assert!(clean.contains("$CANVAS_OBJECT_REFERENCE$/modules/g1"), "{clean}");
        assert!(notes.len() == 1 && notes[0].contains("modules/g1\u{201d} leads nowhere"), "{notes:?}");
    }

    #[test]
    fn media_that_are_not_shown_are_noted_and_others_are_kept() {
        rich_text::set_frame_hosts("frames.test");
        let kept = "<iframe src=\"https://frames.test/1\"></iframe><video src=\"https://media.test/a.mp4\"></video>";
        let (clean, none) = notes(kept);
        assert!(clean.contains("frames.test/1") && clean.contains("a.mp4") && none.is_empty(), "{clean} {none:?}");
        for (html, message) in [
            ("x<IFRAME src=\"https://elsewhere.test/\"></IFRAME>", "a frame was left out"),
            ("x<object data=\"a.swf\">y</object>", "an embedded object was left out"),
            ("x<embed src=\"a.swf\">", "an embedded object was left out"),
            ("<video src=\"http://media.test/a.mp4\"></video>", "the address of a picture, a sound or a video"),
        ] {
            let (clean, notes) = notes(html);
            assert!(notes.len() == 1 && notes[0].starts_with(message), "{html}: {clean} {notes:?}");
        }
        assert!(notes("<p>&lt;video src=x&gt; <i>iframes</i></p><script src=\"x\"></script>").1.is_empty());
    }
}
