//! The texts of a package: their HTML is cleaned, and leads to the files where they lie now.

use content_packages::import::{self, PACKAGE};
use content_packages::model::{Entry, Report};
use shared::{Timestamp, rich_text};
use std::collections::BTreeMap;

/// The changes of texts.
pub(crate) struct Texts<'a> {
    /// The addresses of the package's files here, by their paths in the package.
    pub(crate) addresses: &'a BTreeMap<String, String>,
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

    /// The address of a file of the package. A file that was not imported keeps its path, and that is noted.
    fn address(&mut self, about: &str, address: &str) -> Option<String> {
        let path = address.strip_prefix(PACKAGE)?;
        if let Some(own) = self.addresses.get(path) {
            return Some(own.clone());
        }
        self.report.note(about, format!("\u{201c}{path}\u{201d} leads nowhere: the file was not imported"));
        Some(path.to_owned())
    }

    /// HTML without what would run. HTML that is not taken as rich text is left out, and that is noted.
    fn clean(&mut self, about: &str, html: &mut String) {
        if html.is_empty() {
            return;
        }
        match rich_text::sanitize(html) {
            Ok(clean) => *html = clean,
            Err(refusal) => {
                self.report.note(about, format!("A text {refusal}: it was left out"));
                html.clear();
            }
        }
    }
}

/// A title of no more characters than there is room for.
pub(crate) fn title(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { "Untitled".to_owned() } else { text.chars().take(255).collect() }
}

pub(crate) fn state(published: bool) -> &'static str {
    if published { "published" } else { "unpublished" }
}

/// A moment as the database has it.
pub(crate) fn moment(text: &Option<String>) -> Option<String> {
    text.as_deref().and_then(Timestamp::parse).map(|moment| moment.to_string())
}
