//! The markup of the page of polls.

use maud::{Markup, html};
use shared::html::Page;
use shared::{Context, Reply};

use crate::model::overview::{Listed, Overview};
use crate::page_links::SessionPath;

/// The sessions that ask somebody, and those that they run.
pub(super) fn overview(cx: &Context, overview: &Overview) -> Reply {
    let signed_in = cx.signed_in();
    let prefix = signed_in.map_or("", |signed_in| signed_in.prefix.as_str());
    Page { title: "Polls", signed_in, ..Page::default() }.show(&html! {
        h1 { "Polls" }
        h2 { "Open, and asking you" }
        (list(&overview.asked.0, prefix, "/vote"))
        @if !overview.run.0.is_empty() {
            h2 { "Your own" }
            (list(&overview.run.0, prefix, "/live"))
        }
    })
}

fn list(sessions: &[Listed], prefix: &str, page: &str) -> Markup {
    if sessions.is_empty() {
        return html! { p { "None." } };
    }
    html! {
        ul {
            @for listed in sessions {
                @let at = SessionPath { poll_id: listed.poll, id: listed.session };
                li {
                    a href={ (prefix) (at.page(page)) } { (listed.question) }
                    ", " (listed.course) @if listed.is_open { ", open" } @else { ", closed" }
                }
            }
        }
    }
}
