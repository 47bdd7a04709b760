//! The pages on which attempts at a new quiz are graded: the list of them, and one with its answers. They need no script.

mod attempt;
mod list;
mod response;

use maud::{Markup, html};
use shared::html::Page;
use shared::session::SignedIn;
use shared::texts::Language;

pub(crate) use attempt::{AttemptPage, GradingNote};
pub(crate) use list::ListPage;

const STYLE: &str = include_str!("grade.css");
const SCRIPT: &str = include_str!("images.js");
/// Texts of authors and students may show images of any host that has a certificate. Those of a course are fetched by the script.
const IMAGES_FROM: &str = "'self' https: blob:";

/// Who sees a page, and how.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// The path of the list, as browsers call it.
    pub(crate) path: &'a str,
    pub(crate) signed_in: &'a SignedIn,
    pub(crate) language: Language,
}

impl Frame<'_> {
    fn page<'a>(&'a self, title: &'a str) -> Page<'a> {
        Page { language: self.language, title, style: STYLE, signed_in: Some(self.signed_in), ..Page::default() }
    }
}

/// The score of so many points.
fn score(language: Language, score: f64, most: f64) -> Markup {
    let (score, most) = (submissions::grading::decimal(score), submissions::grading::decimal(most));
    html! { (shared::texts::quiz_grading::SCORE_OF.fill(language, &[("score", &score), ("most", &most)])) }
}
