//! The markup of the settings page and of its log-in.

use maud::{Markup, html};
use shared::Reply;
use shared::auth::Caller;
use shared::html::{Page, Width};

use crate::model::checks::MAX_CHARS;
use crate::model::course_settings::{SettingsFields, StateChange};
use crate::routes::courses::settings::{Opened, path};

const TITLE: &str = "Course settings";
/// An input for date and time shows seconds where its steps are seconds, and leaves none away.
const STEP_SECONDS: u32 = 1;

/// What the log-in page shows.
pub(super) struct LoginPage<'a> {
    /// Where its form leads.
    pub(super) action: &'a str,
    pub(super) authenticity_token: &'a str,
    /// The login that was tried before.
    pub(super) login: &'a str,
    pub(super) problem: Option<&'a str>,
}

/// What became of the form that was sent.
pub(super) enum Message {
    Saved,
    Problem(String),
}

fn page<'a>() -> Page<'a> {
    Page { title: TITLE, width: Width::Narrow, forms_to: "'self'", ..Page::default() }
}

/// The page on which a person logs in.
pub(super) fn login(login: &LoginPage<'_>) -> Reply {
    let LoginPage { action, authenticity_token, login, problem } = login;
    page().show(&html! {
        h1 { (TITLE) }
        p { "Log in to change the course." }
        @if let Some(problem) = problem { p class="problem" id="problem" role="alert" { (problem) } }
        form method="post" action=(action) aria-describedby=[problem.map(|_| "problem")] {
            input type="hidden" name="authenticity_token" value=(authenticity_token);
            label for="login" { "Login" }
            input id="login" name="login" value=(login) required
                autocomplete="username" autocapitalize="none" spellcheck="false";
            label for="password" { "Password" }
            input id="password" name="password" type="password" required autocomplete="current-password";
            button { "Log in" }
        }
    })
}

/// The settings of a course: the fields as they were written, and as the page had shown them before.
pub(super) fn settings(
    opened: &Opened,
    caller: &Caller,
    (fields, shown): (&SettingsFields, &SettingsFields),
    message: Option<Message>,
) -> Reply {
    page().show(&html! {
        h1 { (TITLE) }
        p { strong { (opened.course.name) } }
        p {
            @if caller.real_user.is_some() { "You act as " } @else { "You are " }
            (caller.name) "."
        }
        @match &message {
            Some(Message::Saved) => p role="status" { "The course is changed." },
            Some(Message::Problem(problem)) => p class="problem" id="problem" role="alert" { (problem) },
            None => {}
        }
        (fields_form(opened, fields, shown, matches!(message, Some(Message::Problem(_)))))
        (state_form(opened))
    })
}

fn fields_form(opened: &Opened, fields: &SettingsFields, shown: &SettingsFields, has_problem: bool) -> Markup {
    html! {
        form method="post" action=(path(opened.course.id)) aria-describedby=[has_problem.then_some("problem")] {
            (ticket(opened))
            (text("name", "Name", fields.name.as_deref(), shown.name.as_deref()))
            (text("course_code", "Course code", fields.course_code.as_deref(), shown.course_code.as_deref()))
            (moment("start_at", "Begins (UTC)", fields.start_at.as_deref(), shown.start_at.as_deref()))
            (moment("end_at", "Ends (UTC)", fields.end_at.as_deref(), shown.end_at.as_deref()))
            button { "Save" }
        }
    }
}

fn ticket(opened: &Opened) -> Markup {
    html! { input type="hidden" name="ticket" value=(opened.ticket); }
}

fn text(field: &str, label: &str, value: Option<&str>, shown: Option<&str>) -> Markup {
    html! {
        label for=(field) { (label) }
        input id=(field) name={ "course[" (field) "]" } value=(value.unwrap_or_default()) required maxlength=(MAX_CHARS);
        (as_shown(field, shown))
    }
}

fn moment(field: &str, label: &str, value: Option<&str>, shown: Option<&str>) -> Markup {
    html! {
        label for=(field) { (label) }
        input id=(field) name={ "course[" (field) "]" } type="datetime-local" step=(STEP_SECONDS)
            value=(value.unwrap_or_default());
        (as_shown(field, shown))
    }
}

fn as_shown(field: &str, shown: Option<&str>) -> Markup {
    html! { @if let Some(shown) = shown { input type="hidden" name={ "shown[" (field) "]" } value=(shown); } }
}

fn state_form(opened: &Opened) -> Markup {
    let (words, buttons) = state(&opened.course.workflow_state);
    html! {
        h2 { "State" }
        p id="state" { (words) }
        form method="post" action=(path(opened.course.id)) aria-describedby="state" {
            (ticket(opened))
            @for (change, label) in buttons { button class="plain" name="event" value=(change.name()) { (label) } }
        }
    }
}

/// The state of a course in words, and the buttons that lead out of it.
fn state(workflow_state: &str) -> (&'static str, &'static [(StateChange, &'static str)]) {
    match workflow_state {
        "available" => (
            "The course is published: students see it.",
            &[(StateChange::Claim, "Unpublish"), (StateChange::Conclude, "Conclude")],
        ),
        "completed" => ("The course is concluded: students read it.", &[(StateChange::Unconclude, "Take up again")]),
        _ => (
            "The course is unpublished: students do not see it.",
            &[(StateChange::Offer, "Publish"), (StateChange::Conclude, "Conclude")],
        ),
    }
}
