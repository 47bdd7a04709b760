//! The markup of the page of polls.

use maud::{Markup, html};
use shared::html::Page;
use shared::texts::{Language, frame, poll as texts};
use shared::{Context, Reply};

use crate::model::overview::{Listed, Overview};
use crate::page_links::SessionPath;

/// The sessions that ask somebody, and those that they run.
pub(super) fn overview(cx: &Context, overview: &Overview) -> Reply {
    let language = cx.language();
    let prefix = cx.signed_in().map_or("", |signed_in| signed_in.prefix.as_str());
    let title = frame::POLLS.get(language);
    Page { title, ..Page::of(cx) }.show(&html! {
        h1 { (title) }
        h2 { (texts::ASKING_YOU.get(language)) }
        (list(&overview.asked.0, prefix, "/vote", language))
        @if !overview.run.0.is_empty() {
            h2 { (texts::YOUR_OWN.get(language)) }
            (list(&overview.run.0, prefix, "/live", language))
        }
    })
}

fn list(sessions: &[Listed], prefix: &str, page: &str, language: Language) -> Markup {
    if sessions.is_empty() {
        return html! { p { (texts::NONE.get(language)) } };
    }
    html! {
        ul {
            @for listed in sessions {
                @let at = SessionPath { poll_id: listed.poll, id: listed.session };
                li {
                    a href={ (prefix) (at.page(page)) } { (listed.question) }
                    ", " (listed.course) ", " @if listed.is_open { (texts::OPEN.get(language)) } @else { (texts::CLOSED.get(language)) }
                }
            }
        }
    }
}
