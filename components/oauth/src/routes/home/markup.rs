//! The markup of the home.

use maud::{Markup, html};
use shared::html::{Page, fill, moment};
use shared::session::{FORM_TOKEN, SignedIn};
use shared::texts::{Language, Text, experience, frame, home as texts, operator};
use shared::{Context, Reply, Timestamp};

use crate::model::home::{Course, Home, MAX_COURSES, MAX_QUIZZES, Quiz, QuizState};

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
        (courses(prefix, &home.courses.0, language, cx.now))
        @if let Some(signed_in) = signed_in { (everywhere(signed_in, language)) }
    })
}

fn courses(prefix: &str, courses: &[Course], language: Language, now: Timestamp) -> Markup {
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
                    (quizzes(prefix, course, language, now))
                }
            }
        }
        @if courses.iter().zip(1..).any(|(_, number)| number == MAX_COURSES) { p { (texts::MAY_BE_MORE.get(language)) } }
    }
}

/// The new quizzes of the course, each with the way to take it or to see what students see, and to those who grade with the way
/// to its attempts.
fn quizzes(prefix: &str, course: &Course, language: Language, now: Timestamp) -> Markup {
    if course.quizzes.is_empty() {
        return html! {};
    }
    html! {
        ul aria-label=(texts::QUIZZES_OF.fill(language, &[("course", &course.name)])) {
            @for quiz in course.quizzes.iter().take(MAX_QUIZZES) {
                @let path = format!("{prefix}/courses/{}/assignments/{}", course.id, quiz.id);
                li {
                    a href={ (path) "/take" } { (quiz.title) }
                    (state(quiz, course.is_over, language, now))
                    @if course.grades {
                        ", "
                        a href={ (path) "/grade" } aria-label=(texts::GRADE_ATTEMPTS_AT.fill(language, &[("quiz", &quiz.title)])) {
                            (texts::GRADE.get(language))
                        }
                    }
                }
            }
            @if course.quizzes.len() > MAX_QUIZZES { li { (texts::MORE_QUIZZES.get(language)) } }
        }
    }
}

fn state(quiz: &Quiz, is_over: bool, language: Language, now: Timestamp) -> Markup {
    let words = match quiz.state(is_over, now) {
        QuizState::Open => return html! {},
        QuizState::Unpublished => html! { (texts::QUIZ_UNPUBLISHED.get(language)) },
        QuizState::Closed => html! { (texts::QUIZ_CLOSED.get(language)) },
        QuizState::Opens(at) => fill(&texts::QUIZ_OPENS, language, &[("moment", &moment(at))]),
        QuizState::Due(at) => fill(&texts::QUIZ_DUE, language, &[("moment", &moment(at))]),
    };
    html! { " (" (words) ")" }
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
