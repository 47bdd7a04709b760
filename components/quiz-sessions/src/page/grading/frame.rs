//! What the pages of grading have in common: who sees them, and how they say points and show texts.

use maud::{Markup, PreEscaped, html};
use shared::html::Page;
use shared::session::SignedIn;
use shared::texts::{Language, quiz_grading as words};
use submissions::grading::decimal;

const STYLE: &str = include_str!("grade.css");

/// Who sees a page, and how.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// The path of the list, as browsers call it.
    pub(crate) path: &'a str,
    pub(crate) signed_in: &'a SignedIn,
    pub(crate) language: Language,
}

impl Frame<'_> {
    pub(super) fn page<'a>(&'a self, title: &'a str) -> Page<'a> {
        Page { language: self.language, title, style: STYLE, signed_in: Some(self.signed_in), ..Page::default() }
    }
}

/// The score of so many points.
pub(super) fn score(language: Language, score: f64, most: f64) -> Markup {
    html! { (words::SCORE_OF.fill(language, &[("score", &decimal(score)), ("most", &decimal(most))])) }
}

/// Rich text, which is made safe before it is stored.
pub(super) fn rich(html: &str) -> Markup {
    html! { div class="body" { (PreEscaped(html)) } }
}
