//! The markup of the pages that ask for a code.

use maud::html;
use shared::html::{Page, Width};
use shared::texts::{Text, frame, poll as texts};
use shared::{Context, Reply};

fn page(cx: &Context) -> Page<'_> {
    let title = frame::JOIN_POLL.get(cx.language());
    Page { title, width: Width::Narrow, forms_to: "'self'", ..Page::of(cx) }
}

fn path(cx: &Context) -> String {
    format!("{}/join", cx.signed_in().map_or("", |signed_in| signed_in.prefix.as_str()))
}

/// The form for a code.
pub(super) fn join(cx: &Context, problem: Option<Text>) -> Reply {
    let language = cx.language();
    page(cx).show(&html! {
        h1 { (frame::JOIN_POLL.get(language)) }
        @if let Some(problem) = problem { p class="problem" id="problem" role="alert" { (problem.get(language)) } }
        form method="get" action=(path(cx)) {
            label for="code" { (texts::CODE_ON_THE_WALL.get(language)) }
            input id="code" name="code" required autocomplete="off" autocapitalize="characters" spellcheck="false"
                maxlength="20" aria-describedby=[problem.map(|_| "problem")];
            button { (texts::JOIN.get(language)) }
        }
    })
}

/// The page for somebody whom the session does not ask.
pub(super) fn not_asked(cx: &Context) -> Reply {
    let language = cx.language();
    page(cx).show(&html! {
        h1 { (texts::ASKS_OTHERS.get(language)) }
        p { (texts::NOT_IN_COURSE.get(language)) }
        p { a href=(path(cx)) { (texts::ANOTHER_CODE.get(language)) } }
    })
}
