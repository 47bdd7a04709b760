//! The attempts at a quiz, and which of them wait.

use maud::{Markup, html};
use shared::Reply;
use shared::html::{Page, Width, moment, table};
use shared::texts::quiz_grading as words;

use crate::model::attempts::{AttemptLine, AttemptsFilter};
use crate::page::grading::frame::{Frame, score};

/// A list of attempts.
pub(crate) struct ListPage<'a> {
    pub(crate) frame: Frame<'a>,
    /// The title of the quiz.
    pub(crate) quiz: &'a str,
    pub(crate) filter: AttemptsFilter,
    pub(crate) lines: &'a [AttemptLine],
    /// True if there are more behind them.
    pub(crate) has_more: bool,
    /// True for who has graded what waited.
    pub(crate) is_done: bool,
}

impl ListPage<'_> {
    pub(crate) fn show(&self) -> Reply {
        let Frame { language, path, .. } = self.frame;
        let title = words::GRADING_OF.fill(language, &[("title", &self.quiz)]);
        let columns = [words::STUDENT, words::ATTEMPT, words::ANSWERS, words::STATE, words::SCORE, words::HANDED_IN];
        let columns = columns.map(|text| text.get(language));
        let rows = html! { @for line in self.lines { (self.row(line)) } };
        let page = Page { width: Width::Wide, ..self.frame.page(&title) };
        page.show(&html! {
            h1 { (title) }
            @if self.is_done { p class="note" role="status" { (words::ALL_DONE.get(language)) } }
            nav aria-label=(words::ATTEMPTS.get(language)) {
                ul class="tabs" {
                    li { a href={ (path) "?waiting=true" } aria-current=[self.current(true)] { (words::WAITING_ONLY.get(language)) } }
                    li { a href=(path) aria-current=[self.current(false)] { (words::ALL_ATTEMPTS.get(language)) } }
                }
            }
            @if self.lines.is_empty() {
                p { (if self.filter.waiting { words::NOTHING_WAITS } else { words::NO_ATTEMPTS }.get(language)) }
            } @else {
                (table(&title, &columns, &rows))
            }
            @if let Some(last) = self.lines.last().filter(|_| self.has_more) {
                p { a href={ (path) "?" (self.query()) "after=" (last.id) } { (words::MORE.get(language)) } }
            }
        })
    }

    fn row(&self, line: &AttemptLine) -> Markup {
        let Frame { language, path, .. } = self.frame;
        let name = words::GRADE_ATTEMPT.fill(language, &[("attempt", &line.attempt), ("name", &line.student)]);
        html! {
            tr {
                th scope="row" {
                    @match line.user_id {
                        Some(user) => a href={ (path) "?user_id=" (user) } { (line.student) },
                        None => (line.student),
                    }
                }
                td { (line.attempt) }
                td {
                    @if line.submitted_at.is_some() {
                        a href={ (path) "/" (line.id) } aria-label=(name) { (words::GRADE.get(language)) }
                    }
                }
                td {
                    @match line.is_scored {
                        None => (words::RUNS.get(language)),
                        Some(true) => (words::GRADED.get(language)),
                        Some(false) => span class="waits" {
                            (words::WAITING.get(language, line.waiting))
                        },
                    }
                }
                td { @if let Some(points) = line.score { (score(language, points, line.points_possible)) } }
                td { @if let Some(at) = line.submitted_at { (moment(at)) } }
            }
        }
    }

    fn current(&self, waiting: bool) -> Option<&'static str> {
        let is_shown = self.filter.user.is_none() && self.filter.waiting == waiting;
        is_shown.then_some("page")
    }

    /// What the list asks for, as the beginning of a query.
    fn query(&self) -> String {
        let waiting = if self.filter.waiting { "waiting=true&" } else { "" };
        let user = self.filter.user.map_or_else(String::new, |user| format!("user_id={user}&"));
        format!("{waiting}{user}")
    }
}
