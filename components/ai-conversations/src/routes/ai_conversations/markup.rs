//! The markup of the pages on which those who manage an experience see the conversations with it.

use maud::{Markup, html};
use shared::html::{self, Page, Width, moment};
use shared::texts::{Language, experience as texts, talk};
use shared::{Context, Reply};

use crate::model::conversations::{Message, Progress};
use crate::model::experiences::Experience;
use crate::model::overview::Latest;
use crate::model::text::for_page;
use crate::model::transcript::Transcript;
use crate::routes::ai_conversations::counts;
use crate::routes::ai_experiences::status_words;

const STYLE: &str = include_str!("../transcript.css");

/// The latest conversation of each student.
pub(super) fn overview(cx: &Context, experience: &Experience, conversations: &[Latest]) -> Reply {
    let (language, path) = (cx.language(), path(cx, experience));
    let title = texts::CONVERSATIONS_WITH.fill(language, &[("title", &experience.title)]);
    let columns = [texts::STUDENT, texts::STATUS, texts::OBJECTIVES, texts::LAST_CHANGE, texts::CONVERSATIONS];
    let columns = columns.map(|text| text.get(language));
    let [completed, in_progress, not_started] = counts(conversations);
    let counted: [(&str, &dyn std::fmt::Display); 3] =
        [("completed", &completed), ("in_progress", &in_progress), ("not_started", &not_started)];
    let rows = html! { @for latest in conversations { (row(language, &path, latest)) } };
    page(cx, &title).show(&html! {
        h1 { (title) }
        p { a href={ (path) "/talk" } { (texts::TRY_TITLE.fill(language, &[("title", &experience.title)])) } }
        @if conversations.is_empty() { p { (texts::NO_STUDENTS.get(language)) } }
        @else {
            p { (texts::COUNTS.fill(language, &counted)) }
            (html::table(&title, &columns, &rows))
        }
    })
}

fn row(language: Language, path: &str, latest: &Latest) -> Markup {
    let name = &latest.student.0.name;
    html! {
        tr {
            th scope="row" { (name) }
            td { (status_words(language, &latest.status)) }
            td { @if let Some(progress) = &latest.progress { (reached(language, &progress.0)) } }
            td { @if let Some(at) = latest.updated_at { (moment(at)) } }
            td {
                @if let Some(id) = latest.id {
                    a href={ (path) "/ai_conversations/" (id) }
                        aria-label=(texts::READ_OF.fill(language, &[("name", name)])) { (texts::READ.get(language)) }
                }
            }
        }
    }
}

/// A conversation from its beginning.
pub(super) fn transcript(cx: &Context, experience: &Experience, transcript: &Transcript) -> Reply {
    let language = cx.language();
    let conversations = format!("{}/ai_conversations", path(cx, experience));
    let title = talk::OF_STUDENT.fill(language, &[("name", &transcript.student)]);
    Page { style: STYLE, width: Width::Text, ..page(cx, &title) }.show(&html! {
        p { a href=(conversations) { (texts::CONVERSATIONS_WITH.fill(language, &[("title", &experience.title)])) } }
        h1 { (title) }
        p {
            @if transcript.workflow_state != "active" { (talk::ENDED.get(language)) " " }
            (texts::LAST_CHANGE.get(language)) ": " (moment(transcript.updated_at))
        }
        @if let Some(progress) = &transcript.progress {
            h2 { (texts::OBJECTIVES.get(language)) }
            p { (reached(language, &progress.0)) }
            ul {
                @for objective in &progress.0.objectives {
                    li {
                        (objective.objective)
                        @if objective.is_covered() { " " strong { "✓ " (talk::REACHED.get(language)) } }
                    }
                }
            }
        }
        h2 { (talk::CONVERSATION.get(language)) }
        ol class="talk" { @for said in transcript.said() { (message(language, said)) } }
    })
}

fn message(language: Language, said: &Message) -> Markup {
    let (class, who) = if said.is_by_user() { ("you", talk::STUDENT) } else { ("tutor", talk::TUTOR) };
    html! {
        li class=(class) {
            p class="who" { (who.get(language)) }
            div class="text" { @if said.is_by_user() { (said.text) } @else { (for_page(&said.text)) } }
        }
    }
}

fn reached(language: Language, progress: &Progress) -> String {
    talk::PROGRESS.fill(language, &[("current", &progress.current), ("total", &progress.total)])
}

fn page<'a>(cx: &'a Context, title: &'a str) -> Page<'a> {
    Page { language: cx.language(), title, width: Width::Wide, signed_in: cx.signed_in(), ..Page::default() }
}

/// The path of the experience as browsers call it.
fn path(cx: &Context, experience: &Experience) -> String {
    let prefix = cx.signed_in().map_or("", |signed_in| signed_in.prefix.as_str());
    format!("{prefix}/courses/{}/ai_experiences/{}", experience.course_id, experience.id)
}
