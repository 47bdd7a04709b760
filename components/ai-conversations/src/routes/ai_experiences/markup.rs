//! The markup of the list of a course's AI experiences.

use maud::{Markup, html};
use shared::html::Page;
use shared::texts::{Language, experience as texts};
use shared::{Context, Reply};

use crate::access::Classroom;
use crate::model::experiences::ListedExperience;

/// The experiences, with the way to talk with each; to those who manage them, with the way to the conversations of students.
/// `page` is the number of this page, and whether there is another one.
pub(super) fn experiences(
    cx: &Context,
    classroom: &Classroom,
    experiences: &[ListedExperience],
    (page, has_more): (i64, bool),
) -> Reply {
    let (language, signed_in) = (cx.language(), cx.signed_in());
    let prefix = signed_in.map_or("", |signed_in| signed_in.prefix.as_str());
    let path = format!("{prefix}/courses/{}/ai_experiences", classroom.course.id);
    let title = texts::OF_COURSE.fill(language, &[("course", &classroom.course.name)]);
    Page { language, title: &title, signed_in, ..Page::default() }.show(&html! {
        h1 { (title) }
        @if experiences.is_empty() { p { (texts::NONE.get(language)) } }
        @else { ul { @for experience in experiences { (item(language, classroom, &path, experience)) } } }
        @if page > 1 { p { a href={ (path) "?page=" (page.saturating_sub(1)) } { (texts::EARLIER.get(language)) } } }
        @if has_more { p { a href={ (path) "?page=" (page.saturating_add(1)) } { (texts::LATER.get(language)) } } }
    })
}

fn item(language: Language, classroom: &Classroom, path: &str, experience: &ListedExperience) -> Markup {
    let path = format!("{path}/{}", experience.id);
    let title = &experience.title;
    html! {
        li {
            a href={ (path) "/talk" } { (title) }
            @if let Some(status) = &experience.submission_status { " (" (status_words(language, status)) ")" }
            @if experience.workflow_state == "unpublished" { " (" (texts::UNPUBLISHED.get(language)) ")" }
            @if classroom.manager {
                ", "
                a href={ (path) "/ai_conversations" }
                    aria-label=(texts::CONVERSATIONS_WITH.fill(language, &[("title", title)])) {
                    (texts::CONVERSATIONS.get(language))
                }
            }
        }
    }
}

/// `not_started`, `in_progress` or `completed`, in words.
pub(crate) fn status_words(language: Language, status: &str) -> &'static str {
    match status {
        "completed" => texts::COMPLETED,
        "in_progress" => texts::IN_PROGRESS,
        _ => texts::NOT_STARTED,
    }
    .get(language)
}
