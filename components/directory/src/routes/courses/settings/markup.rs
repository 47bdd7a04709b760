//! The markup of the settings page.

use maud::{Markup, html};
use shared::Reply;
use shared::auth::Caller;
use shared::html::{Page, Width};

use crate::model::checks::MAX_CHARS;
use crate::model::course_settings::{SettingsFields, StateChange};
use crate::routes::courses::settings::Opened;

const TITLE: &str = "Course settings";
/// An input for date and time shows seconds where its steps are seconds, and leaves none away.
const STEP_SECONDS: u32 = 1;

/// What became of the form that was sent.
pub(super) enum Message {
    Saved,
    Problem(String),
}

/// The settings of a course: the fields as they were written, and as the page had shown them before.
pub(super) fn settings(
    opened: &Opened,
    caller: &Caller,
    (fields, shown): (&SettingsFields, &SettingsFields),
    message: Option<Message>,
) -> Reply {
    let signed_in = opened.signed_in();
    let page = Page { title: TITLE, width: Width::Narrow, forms_to: "'self'", signed_in, ..Page::default() };
    page.show(&html! {
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
        form method="post" action=(opened.path()) aria-describedby=[has_problem.then_some("problem")] {
            (proof(opened))
            (text("name", "Name", fields.name.as_deref(), shown.name.as_deref()))
            (text("course_code", "Course code", fields.course_code.as_deref(), shown.course_code.as_deref()))
            (moment("start_at", "Begins (UTC)", fields.start_at.as_deref(), shown.start_at.as_deref()))
            (moment("end_at", "Ends (UTC)", fields.end_at.as_deref(), shown.end_at.as_deref()))
            button { "Save" }
        }
    }
}

fn proof(opened: &Opened) -> Markup {
    let (name, value) = opened.proof();
    html! { input type="hidden" name=(name) value=(value); }
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
        form method="post" action=(opened.path()) aria-describedby="state" {
            (proof(opened))
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
