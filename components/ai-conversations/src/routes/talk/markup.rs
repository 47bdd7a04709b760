//! The markup of the page of a conversation. What its script changes has an id of its own.

use maud::{Markup, html};
use shared::html::{Page, hidden_field};
use shared::session::{FORM_TOKEN, SignedIn};
use shared::texts::{Language, course_settings, talk as texts};
use shared::{Context, Error, Reply, Result};
use uuid::Uuid;

use crate::access::Classroom;
use crate::model::conversations::Progress;
use crate::model::experiences::Experience;
use crate::model::own_talk::{OwnTalk, Said};
use crate::model::problem::{MAX_MESSAGE_CHARS, Problem};
use crate::model::text::for_page;
use crate::routes::feedback::MAX_MESSAGE_CHARS as MAX_FEEDBACK_CHARS;
use crate::routes::talk::path;

const STYLE: &str = concat!(include_str!("../transcript.css"), include_str!("talk.css"));
const SCRIPT: &str = include_str!("talk.js");

/// What the page shows.
pub(super) struct View<'a> {
    pub(super) classroom: &'a Classroom,
    pub(super) experience: &'a Experience,
    pub(super) talk: Option<&'a OwnTalk>,
    /// What did not work just now.
    pub(super) problem: Option<Problem>,
    /// A message that was not stored.
    pub(super) draft: &'a str,
}

impl<'a> View<'a> {
    pub(super) fn of(classroom: &'a Classroom, experience: &'a Experience, talk: Option<&'a OwnTalk>) -> Self {
        Self { classroom, experience, talk, problem: None, draft: "" }
    }
}

/// The things that every part of the page needs.
struct Sheet<'a> {
    language: Language,
    signed_in: &'a SignedIn,
    /// The path of the page as browsers call it.
    page: String,
}

/// The conversation of who is signed in, or the way to begin one.
pub(super) fn talk(cx: &Context, view: &View<'_>) -> Result<Reply> {
    let View { experience, .. } = *view;
    let signed_in = cx.signed_in().ok_or_else(Error::forbidden)?;
    let language = cx.language();
    let sheet = Sheet { language, signed_in, page: format!("{}{}", signed_in.prefix, path(experience)) };
    let is_answering = view.talk.is_some_and(|talk| talk.is_answering(cx.now));
    let page = Page {
        language,
        title: &experience.title,
        style: STYLE,
        // It sends messages: where nobody may, votes do without.
        script: view.classroom.may_talk().then_some(SCRIPT),
        signed_in: Some(signed_in),
        ..Page::default()
    };
    Ok(page.show(&html! {
        div id="talk" data-page=(sheet.page) data-conversation=[view.talk.map(|talk| talk.id)]
            data-user=(cx.caller()?.user) data-answering=[is_answering.then_some("")]
            data-you=(texts::YOU.get(language)) data-tutor=(texts::TUTOR.get(language))
            data-beginning=(texts::BEGINNING.get(language)) data-sent=(texts::SENT.get(language))
            data-says=(texts::SAYS.get(language)) data-lost=(texts::NO_CONNECTION.get(language)) {
            (head(&sheet, view))
            div id="problem" {
                @if let Some(problem) = view.problem { p class="problem" role="alert" { (problem.words(language)) } }
            }
            (goals(language, experience, view.talk.and_then(|talk| talk.progress.as_ref()).map(|progress| &progress.0)))
            section aria-labelledby="conversation" {
                h2 id="conversation" { (texts::CONVERSATION.get(language)) }
                @match view.talk {
                    Some(talk) => {
                        (messages(&sheet, view.classroom, talk, is_answering))
                        @if view.classroom.may_talk() {
                            (message_form(&sheet, talk, view.draft))
                            (ending(&sheet))
                        }
                    }
                    None => (beginning(&sheet, view)),
                }
                @if !view.classroom.may_talk() { p class="note" { (course_settings::IS_CONCLUDED.get(language)) } }
            }
            p id="spoken" class="spoken" role="status" {}
        }
    }))
}

fn head(sheet: &Sheet<'_>, view: &View<'_>) -> Markup {
    let (language, experience) = (sheet.language, view.experience);
    let experiences = format!("{}/courses/{}/ai_experiences", sheet.signed_in.prefix, experience.course_id);
    html! {
        p { a href=(experiences) { (texts::ALL_EXPERIENCES.get(language)) } }
        h1 { (experience.title) }
        @if let Some(description) = &experience.description { p class="text" { (description) } }
        @if view.classroom.manager {
            p class="note" {
                (texts::TRYING.get(language)) " "
                a href={ (experiences) "/" (experience.id) "/ai_conversations" } {
                    (shared::texts::experience::CONVERSATIONS.get(language))
                }
            }
        }
    }
}

/// The objectives, and which of them are reached.
fn goals(language: Language, experience: &Experience, progress: Option<&Progress>) -> Markup {
    html! {
        section id="goals" aria-labelledby="objectives" {
            h2 id="objectives" { (texts::OBJECTIVES.get(language)) }
            @match progress {
                None => ul { @for objective in &experience.learning_objectives.0 { li { (objective) } } },
                Some(progress) => {
                    ul {
                        @for objective in &progress.objectives {
                            li class=[objective.is_covered().then_some("reached")] {
                                (objective.objective)
                                @if objective.is_covered() { " " strong { "✓ " (texts::REACHED.get(language)) } }
                            }
                        }
                    }
                    (bar(language, progress))
                }
            }
        }
    }
}

fn bar(language: Language, progress: &Progress) -> Markup {
    let values: [(&str, &dyn std::fmt::Display); 2] = [("current", &progress.current), ("total", &progress.total)];
    html! {
        p id="progress" { (texts::PROGRESS.fill(language, &values)) }
        progress max=(progress.total.max(1)) value=(progress.current) aria-labelledby="progress" {}
        @if progress.is_complete() { p class="note" { (texts::ALL_REACHED.get(language)) } }
    }
}

/// The way to a conversation, where there is none. A message that was written for another one is given back.
fn beginning(sheet: &Sheet<'_>, view: &View<'_>) -> Markup {
    let language = sheet.language;
    let is_completed = view.experience.submission_status.as_deref() == Some("completed");
    let words = if is_completed { texts::COMPLETED_BEFORE } else { texts::NOT_BEGUN };
    html! {
        @if view.classroom.may_talk() { p { (words.get(language)) } }
        @if !view.draft.is_empty() {
            label for="unsent" { (texts::UNSENT.get(language)) }
            textarea id="unsent" rows="4" readonly { (view.draft) }
        }
        @if view.classroom.may_talk() {
            form class="begin" method="post" action=(sheet.page) {
                (sheet.token())
                (hidden_field("action", "start"))
                button { (texts::BEGIN.get(language)) }
            }
        }
    }
}

fn messages(sheet: &Sheet<'_>, classroom: &Classroom, talk: &OwnTalk, is_answering: bool) -> Markup {
    // In a concluded course there is no way to ask for an answer again.
    let unanswered = talk.unanswered().filter(|_| is_answering || classroom.may_talk());
    html! {
        div id="messages" {
            ol class="talk" { @for said in talk.said() { (message(sheet, said)) } }
            @if let Some(last) = unanswered { (waiting(sheet, talk, last, is_answering)) }
        }
    }
}

fn message(sheet: &Sheet<'_>, said: &Said) -> Markup {
    let language = sheet.language;
    let (class, who) = if said.by_user { ("you", texts::YOU) } else { ("tutor", texts::TUTOR) };
    html! {
        li class=(class) {
            p class="who" { (who.get(language)) }
            @if said.by_user { div class="text" { (said.text) } }
            @else {
                div class="text" { (for_page(&said.text)) }
                (vote(sheet, said))
            }
        }
    }
}

/// The vote on an answer. The button of a vote that was given takes it back.
fn vote(sheet: &Sheet<'_>, said: &Said) -> Markup {
    let language = sheet.language;
    let action = format!("{}/messages/{}/feedback", sheet.page, said.id);
    let given = said.vote.as_deref();
    let button = |vote: &str, words: &str| {
        let is_given = given == Some(vote);
        html! {
            button id={ (vote) "-" (said.id) } class="plain" name="vote"
                value=(if is_given { "none" } else { vote }) aria-pressed=(is_given.to_string()) { (words) }
        }
    };
    html! {
        form class="vote" method="post" action=(action) {
            (sheet.token())
            div role="group" aria-label=(texts::FEEDBACK.get(language)) {
                (button("liked", texts::HELPFUL.get(language)))
                (button("disliked", texts::NOT_HELPFUL.get(language)))
            }
        }
        @if given == Some("disliked") {
            form class="vote" method="post" action=(action) {
                (sheet.token())
                input type="hidden" name="vote" value="disliked";
                label for={ "words-" (said.id) } { (texts::WHAT_WAS_WRONG.get(language)) }
                textarea id={ "words-" (said.id) } name="feedback_message" rows="2" maxlength=(MAX_FEEDBACK_CHARS) {
                    (said.vote_words.as_deref().unwrap_or_default())
                }
                button id={ "tell-" (said.id) } class="plain" { (texts::TELL.get(language)) }
            }
        }
    }
}

/// A message that has no answer yet is kept: the answer is being written, or can be asked for again.
fn waiting(sheet: &Sheet<'_>, talk: &OwnTalk, last: &Said, is_answering: bool) -> Markup {
    let language = sheet.language;
    if is_answering {
        return html! {
            p { (texts::BEING_WRITTEN.get(language)) }
            noscript { p { a href=(sheet.page) { (texts::LOOK_AGAIN.get(language)) } } }
        };
    }
    html! {
        form class="again" method="post" action={ (sheet.page) "/messages" } {
            (sheet.token())
            input type="hidden" name="conversation" value=(talk.id);
            input type="hidden" name="message" value=(last.text);
            p { (texts::UNANSWERED.get(language)) }
            button class="plain" { (texts::ASK_AGAIN.get(language)) }
        }
    }
}

fn message_form(sheet: &Sheet<'_>, talk: &OwnTalk, draft: &str) -> Markup {
    let language = sheet.language;
    html! {
        form id="say" method="post" action={ (sheet.page) "/messages" } {
            (sheet.token())
            input type="hidden" name="conversation" value=(talk.id);
            input type="hidden" name="key" value=(Uuid::new_v4());
            label for="message" { (texts::MESSAGE.get(language)) }
            textarea id="message" name="message" rows="3" required maxlength=(MAX_MESSAGE_CHARS) enterkeyhint="send" {
                (draft)
            }
            p id="keys" hidden { (texts::KEYS.get(language)) }
            button { (texts::SEND.get(language)) }
        }
    }
}

fn ending(sheet: &Sheet<'_>) -> Markup {
    let language = sheet.language;
    html! {
        details {
            summary { (texts::END_OR_RESTART.get(language)) }
            p { (texts::WHAT_ENDS.get(language)) }
            @for (action, words) in [("start", texts::RESTART), ("end", texts::END)] {
                form class="begin" method="post" action=(sheet.page) {
                    (sheet.token())
                    (hidden_field("action", action))
                    button class="plain" { (words.get(language)) }
                }
            }
        }
    }
}

impl Sheet<'_> {
    /// By which a form shows that this page sent it.
    fn token(&self) -> Markup {
        html! { input type="hidden" name=(FORM_TOKEN) value=(self.signed_in.form_token); }
    }
}
