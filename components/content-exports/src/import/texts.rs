//! The texts of a package: their HTML is cleaned, and leads to the files where they lie now.

use std::collections::BTreeMap;

use content_packages::import::{self, PACKAGE};
use content_packages::model::{Bank, Quiz, Report};
use shared::rich_text;

/// What texts are changed by.
pub(crate) struct Texts<'a> {
    /// The addresses of the package's files here, by their paths in the package.
    pub(crate) addresses: &'a BTreeMap<String, String>,
    pub(crate) report: &'a mut Report,
}

impl Texts<'_> {
    /// The address of a file of the package.
    pub(crate) fn address(&self, address: &str) -> Option<String> {
        let path = address.strip_prefix(PACKAGE)?;
        Some(self.addresses.get(path).cloned().unwrap_or_default())
    }

    /// The HTML of a page or assignment as it is stored.
    pub(crate) fn html(&mut self, about: &str, html: String) -> String {
        let mut html = import::with_addresses(&html, &mut |address| self.address(address));
        self.clean(about, &mut html);
        html
    }

    /// HTML without what would run. What is not taken as rich text is left out, and that is noted.
    pub(crate) fn clean(&mut self, about: &str, html: &mut String) {
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

impl Texts<'_> {
    /// A quiz whose texts may be stored.
    pub(crate) fn of_quiz(&mut self, quiz: &mut Quiz) {
        quiz.map_addresses(&mut |address| self.address(address));
        let about = quiz.title.clone();
        quiz.change_html(&mut |html| self.clean(&about, html));
    }

    /// A bank whose texts may be stored.
    pub(crate) fn of_bank(&mut self, bank: &mut Bank) {
        bank.map_addresses(&mut |address| self.address(address));
        let about = bank.title.clone();
        bank.change_html(&mut |html| self.clean(&about, html));
    }
}

/// A title of no more characters than there is room for.
pub(crate) fn title(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { "Untitled".to_owned() } else { text.chars().take(255).collect() }
}
