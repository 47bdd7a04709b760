//! The markup of the pages that ask for a code.

use maud::html;
use shared::html::{Page, Width};
use shared::{Context, Reply};

const TITLE: &str = "Join a poll";

fn page(cx: &Context) -> Page<'_> {
    Page { title: TITLE, width: Width::Narrow, forms_to: "'self'", signed_in: cx.signed_in(), ..Page::default() }
}

fn path(cx: &Context) -> String {
    format!("{}/join", cx.signed_in().map_or("", |signed_in| signed_in.prefix.as_str()))
}

/// The form for a code.
pub(super) fn join(cx: &Context, problem: Option<&str>) -> Reply {
    page(cx).show(&html! {
        h1 { (TITLE) }
        @if let Some(problem) = problem { p class="problem" id="problem" role="alert" { (problem) } }
        form method="get" action=(path(cx)) aria-describedby=[problem.map(|_| "problem")] {
            label for="code" { "The code on the wall" }
            input id="code" name="code" required autocomplete="off" autocapitalize="characters" spellcheck="false"
                maxlength="20";
            button { "Join" }
        }
    })
}

/// The page for somebody whom the session does not ask.
pub(super) fn not_asked(cx: &Context) -> Reply {
    page(cx).show(&html! {
        h1 { "This poll asks others" }
        p { "You are not in the course or the section that it asks. Whoever teaches it can enroll you." }
        p { a href=(path(cx)) { "Another code" } }
    })
}
