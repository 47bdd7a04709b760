//! The markup of the settings page.

use maud::{Markup, html};
use shared::Reply;
use shared::auth::Caller;
use shared::html::{Page, Width, of_api};
use shared::texts::{Language, Text, course_settings as texts};

use crate::model::checks::MAX_CHARS;
use crate::model::course_settings::{SettingsFields, StateChange};
use crate::routes::courses::settings::Opened;

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
    // Who has opened a link is known by now, and with that one the language of the profile.
    let language = opened.cx.language();
    let title = texts::TITLE.get(language);
    let whose = if caller.real_user.is_some() { texts::YOU_ACT_AS } else { texts::YOU_ARE };
    let page = Page { title, language, width: Width::Narrow, forms_to: "'self'", ..opened.page() };
    page.show(&html! {
        h1 { (title) }
        p { strong { (opened.course.name) } }
        p { (whose.fill(language, &[("name", &caller.name)])) }
        @match &message {
            Some(Message::Saved) => p role="status" { (texts::SAVED.get(language)) },
            Some(Message::Problem(problem)) => p class="problem" id="problem" role="alert" { (of_api(problem, language)) },
            None => {}
        }
        (fields_form(opened, fields, shown, matches!(message, Some(Message::Problem(_))), language))
        (state_form(opened, language))
    })
}

fn fields_form(
    opened: &Opened,
    fields: &SettingsFields,
    shown: &SettingsFields,
    has_problem: bool,
    language: Language,
) -> Markup {
    let [name, course_code, begins, ends] =
        [texts::NAME, texts::COURSE_CODE, texts::BEGINS, texts::ENDS].map(|text| text.get(language));
    html! {
        form method="post" action=(opened.path()) aria-describedby=[has_problem.then_some("problem")] {
            (opened.proof())
            (text("name", name, fields.name.as_deref(), shown.name.as_deref()))
            (text("course_code", course_code, fields.course_code.as_deref(), shown.course_code.as_deref()))
            (moment("start_at", begins, fields.start_at.as_deref(), shown.start_at.as_deref()))
            (moment("end_at", ends, fields.end_at.as_deref(), shown.end_at.as_deref()))
            button { (texts::SAVE.get(language)) }
        }
    }
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

fn state_form(opened: &Opened, language: Language) -> Markup {
    let (words, buttons) = state(&opened.course.workflow_state);
    html! {
        h2 { (texts::STATE.get(language)) }
        p id="state" { (words.get(language)) }
        form method="post" action=(opened.path()) aria-describedby="state" {
            (opened.proof())
            @for (change, label) in buttons { button class="plain" name="event" value=(change.name()) { (label.get(language)) } }
        }
    }
}

/// The state of a course in words, and the buttons that lead out of it.
fn state(workflow_state: &str) -> (Text, &'static [(StateChange, Text)]) {
    match workflow_state {
        "available" => {
            (texts::IS_PUBLISHED, &[(StateChange::Claim, texts::UNPUBLISH), (StateChange::Conclude, texts::CONCLUDE)])
        }
        "completed" => (texts::IS_CONCLUDED, &[(StateChange::Unconclude, texts::TAKE_UP_AGAIN)]),
        _ => (texts::IS_UNPUBLISHED, &[(StateChange::Offer, texts::PUBLISH), (StateChange::Conclude, texts::CONCLUDE)]),
    }
}
