//! The markup of the home.

use maud::{Markup, html};
use shared::html::{Page, fill};
use shared::session::{FORM_TOKEN, SignedIn};
use shared::texts::{Language, Text, experience, frame, home as texts, operator};
use shared::{Context, Reply};

use crate::model::home::{Course, Home, MAX_COURSES};

/// What somebody may open.
pub(super) fn home(cx: &Context, home: &Home) -> Reply {
    let (signed_in, language) = (cx.signed_in(), cx.language());
    let prefix = signed_in.map_or("", |signed_in| signed_in.prefix.as_str());
    let polls = html! { a href={ (prefix) "/polls" } { (frame::POLLS.get(language)) } };
    let backpack = html! { a href={ (prefix) "/backpack" } { (frame::BACKPACK.get(language)) } };
    let join = html! { a href={ (prefix) "/join" } { (frame::JOIN_POLL.get(language)) } };
    Page { title: frame::HOME.get(language), forms_to: "'self'", ..Page::of(cx) }.show(&html! {
        h1 { (texts::HELLO.fill(language, &[("name", &home.name)])) }
        ul {
            @if home.is_administrator { li { a href={ (prefix) "/operator" } { (operator::TITLE.get(language)) } } }
            li { (fill(&texts::POLLS, language, &[("polls", &polls)])) }
            li { (fill(&texts::JOIN_POLL, language, &[("join", &join)])) }
            li { (fill(&texts::BACKPACK, language, &[("backpack", &backpack)])) }
        }
        h2 { (texts::COURSES.get(language)) }
        (courses(prefix, &home.courses.0, language))
        @if let Some(signed_in) = signed_in { (everywhere(signed_in, language)) }
    })
}

fn courses(prefix: &str, courses: &[Course], language: Language) -> Markup {
    if courses.is_empty() {
        return html! { p { (texts::NO_COURSES.get(language)) } };
    }
    html! {
        ul {
            @for course in courses {
                li {
                    (course.name)
                    @if course.has_experiences {
                        " (" (link(prefix, course, "ai_experiences", &texts::EXPERIENCES, &experience::OF_COURSE, language)) ")"
                    }
                    @if course.manages {
                        " (" (link(prefix, course, "settings", &texts::SETTINGS, &texts::SETTINGS_OF, language)) ")"
                    }
                }
            }
        }
        @if courses.iter().zip(1..).any(|(_, number)| number == MAX_COURSES) { p { (texts::MAY_BE_MORE.get(language)) } }
    }
}

/// The link to a page of the course. Its label names the course, for those who hear links alone.
fn link(prefix: &str, course: &Course, page: &str, words: &Text, label: &Text, language: Language) -> Markup {
    let path = format!("{prefix}/courses/{}/{page}", course.id);
    html! { a href=(path) aria-label=(label.fill(language, &[("course", &course.name)])) { (words.get(language)) } }
}

/// The log-out of all browsers.
fn everywhere(signed_in: &SignedIn, language: Language) -> Markup {
    html! {
        form method="post" action={ (signed_in.prefix) "/logout" } {
            input type="hidden" name=(FORM_TOKEN) value=(signed_in.form_token);
            input type="hidden" name="everywhere" value="true";
            button class="plain" { (texts::LOG_OUT_EVERYWHERE.get(language)) }
        }
    }
}
