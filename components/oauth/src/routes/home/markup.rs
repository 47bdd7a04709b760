//! The markup of the home.

use maud::{Markup, html};
use shared::html::Page;
use shared::session::{FORM_TOKEN, SignedIn};
use shared::{Context, Reply};

use crate::model::home::{Course, Home, MAX_COURSES};

/// What somebody may open.
pub(super) fn home(cx: &Context, home: &Home) -> Reply {
    let signed_in = cx.signed_in();
    let prefix = signed_in.map_or("", |signed_in| signed_in.prefix.as_str());
    Page { title: "Home", forms_to: "'self'", signed_in, ..Page::default() }.show(&html! {
        h1 { "Hello, " (home.name) }
        ul {
            @if home.is_administrator { li { a href={ (prefix) "/operator" } { "Operation" } } }
            li { a href={ (prefix) "/polls" } { "Polls" } " that you run, or that ask you" }
            li { a href={ (prefix) "/join" } { "Join a poll" } " by its code" }
        }
        h2 { "Courses" }
        (courses(prefix, &home.courses.0))
        @if let Some(signed_in) = signed_in { (everywhere(signed_in)) }
    })
}

fn courses(prefix: &str, courses: &[Course]) -> Markup {
    if courses.is_empty() {
        return html! { p { "None." } };
    }
    html! {
        ul {
            @for course in courses {
                li {
                    (course.name)
                    @if course.has_experiences { " (" (link(prefix, course, "ai_experiences", "AI experiences")) ")" }
                    @if course.manages { " (" (link(prefix, course, "settings", "settings")) ")" }
                }
            }
        }
        @if courses.iter().zip(1..).any(|(_, number)| number == MAX_COURSES) { p { "There may be more." } }
    }
}

/// The link to a page of the course.
fn link(prefix: &str, course: &Course, page: &str, words: &str) -> Markup {
    let path = format!("{prefix}/courses/{}/{page}", course.id);
    html! { a href=(path) aria-label={ (words) " of " (course.name) } { (words) } }
}

/// The log-out of all browsers.
fn everywhere(signed_in: &SignedIn) -> Markup {
    html! {
        form method="post" action={ (signed_in.prefix) "/logout" } {
            input type="hidden" name=(FORM_TOKEN) value=(signed_in.form_token);
            input type="hidden" name="everywhere" value="true";
            button class="plain" { "Log out in all browsers" }
        }
    }
}
