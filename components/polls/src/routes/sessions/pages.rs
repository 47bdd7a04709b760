//! The pages' markup.

use maud::{Markup, html};
use shared::Reply;
use shared::html::{Page, Width};

use crate::model::board::Board;
use crate::page_links::Audience;
use crate::routes::sessions::Opened;

const STYLE: &str = include_str!("live.css");
const SCRIPT: &str = include_str!("follow.js");

/// The votes as they come in.
pub(crate) fn live(opened: &Opened) -> Reply {
    let board = &opened.board;
    page(&board.question, Width::Text).show(&html! {
        (head(board))
        (following(opened, "/live", &chart(board)))
    })
}

/// The question to a student, or what became of the answer.
pub(crate) fn ballot(opened: &Opened, problem: Option<&str>) -> Reply {
    let board = &opened.board;
    page(&board.question, Width::Narrow).show(&html! {
        (head(board))
        @if let Some(problem) = problem { p class="problem" role="alert" { (problem) } }
        (following(opened, "/vote", &html! {
            @if let Some(answer) = board.own_answer() { p { "Your answer: " strong { (answer) } } }
            @if board.takes_votes() { (form(opened)) }
            @if board.shows_bars(Audience::Student) { (chart(board)) }
        }))
    })
}

fn page(title: &str, width: Width) -> Page<'_> {
    Page { title, width, style: STYLE, script: Some(SCRIPT), forms_to: "'self'", ..Page::default() }
}

fn head(board: &Board) -> Markup {
    html! {
        h1 { (board.question) }
        @if let Some(description) = &board.description { p { (description) } }
    }
}

/// The event that follows the votes. Those who see read the summary, which changes at once; to those who listen it is
/// told now and then.
fn following(opened: &Opened, page: &str, content: &Markup) -> Markup {
    let (audience, board) = (opened.audience, &opened.board);
    let (page, results) = (opened.address(page), opened.address("/results"));
    html! {
        div id="board" data-page=(page) data-results=(results) data-state=(board.state()) {
            p id="summary" { (board.summary(audience)) }
            p id="news" class="spoken" role="status" {}
            (content)
            noscript { p { a href=(page) { "Look again" } } }
        }
    }
}

fn form(opened: &Opened) -> Markup {
    html! {
        form method="post" action=(opened.address("/vote")) {
            fieldset {
                legend { "Your answer" }
                @for choice in opened.board.choices() {
                    label class="choice" {
                        input type="radio" name="poll_choice_id" value=(choice.id) required;
                        span { (choice.text) }
                    }
                }
            }
            button { "Vote" }
        }
    }
}

fn chart(board: &Board) -> Markup {
    html! {
        ul class="chart" aria-label="Votes for each answer" {
            @for bar in board.choices() {
                @let length = board.length(bar);
                li id=(format!("choice-{}", bar.id)) {
                    span { (bar.text) }
                    span class="count" { (length.label) }
                    svg aria-hidden="true" focusable="false" {
                        rect width=(format!("{}%", length.percent)) height="100%" {}
                    }
                }
            }
        }
    }
}
