//! The pages' markup.

mod invitation;

use maud::{Markup, html};
use shared::Reply;
use shared::html::{Page, Width, fill};
use shared::texts::{Language, Text, poll as texts};

use crate::model::board::Board;
use crate::page_links::Audience;
use crate::routes::sessions::Opened;

const STYLE: &str = include_str!("live.css");
const SCRIPT: &str = include_str!("follow.js");

/// The votes as they come in, and the way to vote. `base_url` is the address of the service, where it is known.
pub(crate) fn live(opened: &Opened, base_url: Option<&str>) -> Reply {
    let board = &opened.board;
    page(opened, Width::Screen).show(&html! {
        div class="stage" {
            (head(board))
            (following(opened, "/live", &chart(board, opened.language())))
        }
        @if let Some(code) = board.join_code.as_deref() { (invitation::aside(code, base_url, opened.language())) }
        @if board.runs { (controls(opened)) }
    })
}

/// The question to a student, or what became of the answer.
pub(crate) fn ballot(opened: &Opened, problem: Option<Text>) -> Reply {
    let (board, language) = (&opened.board, opened.language());
    page(opened, Width::Narrow).show(&html! {
        (head(board))
        @if let Some(problem) = problem { p class="problem" role="alert" { (problem.get(language)) } }
        (following(opened, "/vote", &html! {
            @if let Some(answer) = board.own_answer() {
                p { (fill(&texts::YOUR_ANSWER_IS, language, &[("answer", &html! { strong { (answer) } })])) }
            }
            @if board.takes_votes() { (form(opened)) }
            @if board.shows_bars(Audience::Student) { (chart(board, language)) }
        }))
    })
}

fn page(opened: &Opened, width: Width) -> Page<'_> {
    Page {
        title: &opened.board.question,
        width,
        style: STYLE,
        script: Some(SCRIPT),
        forms_to: "'self'",
        ..opened.page()
    }
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
    let page = opened.address(page);
    let language = opened.language();
    // A ticket says whose page it opens; of who is signed in the page says it.
    let asking = match audience {
        _ if opened.ticket().is_some() => "",
        Audience::Teacher => "audience=teacher",
        Audience::Student => "audience=student",
    };
    let results = opened.address_with("/results", asking);
    html! {
        div id="board" data-page=(page) data-results=(results) data-state=(board.state()) {
            p id="summary" { (board.summary(audience, language)) }
            p id="news" class="spoken" role="status" {}
            (content)
            noscript { p { a href=(page) { (texts::LOOK_AGAIN.get(language)) } } }
        }
    }
}

fn form(opened: &Opened) -> Markup {
    let language = opened.language();
    html! {
        form method="post" action=(opened.address("/vote")) {
            (opened.proof())
            fieldset {
                legend { (texts::YOUR_ANSWER.get(language)) }
                @for choice in opened.board.choices() {
                    label class="choice" {
                        input type="radio" name="poll_choice_id" value=(choice.id) required;
                        span { (choice.text) }
                    }
                }
            }
            button { (texts::VOTE.get(language)) }
        }
    }
}

/// The choices, with the votes for each where they are not kept back.
fn chart(board: &Board, language: Language) -> Markup {
    let is_told = !board.keeps_results_back();
    html! {
        @if !is_told { p { (texts::RESULTS_WHEN_CLOSED.get(language)) } }
        ul class="chart" aria-label=[is_told.then(|| texts::VOTES_FOR_EACH.get(language))] {
            @for bar in board.choices() {
                @let length = board.length(bar, language);
                li id=(format!("choice-{}", bar.id)) {
                    span { (bar.text) }
                    @if is_told {
                        span class="count" { (length.label) }
                        svg aria-hidden="true" focusable="false" {
                            rect width=(format!("{}%", length.percent)) height="100%" {}
                        }
                    }
                }
            }
        }
    }
}

/// The buttons of who runs the session. A signed link has none: its address may stand on the wall.
fn controls(opened: &Opened) -> Markup {
    let (board, language) = (&opened.board, opened.language());
    html! {
        @if opened.signed_in().is_some() {
            form class="controls" method="post" action=(opened.address("/live")) {
                (opened.proof())
                @if board.is_published { (action("close", texts::CLOSE_POLL.get(language), false)) }
                @else { (action("open", texts::OPEN_POLL.get(language), false)) }
                @if board.hides_results { (action("show", texts::SHOW_RESULTS.get(language), true)) }
                @else { (action("hide", texts::HIDE_RESULTS.get(language), true)) }
            }
        } @else {
            p class="controls" { a href={ (opened.path()) "/live" } { (texts::LOG_IN_TO_RUN.get(language)) } }
        }
    }
}

fn action(value: &str, words: &str, is_plain: bool) -> Markup {
    html! { button class=[is_plain.then_some("plain")] name="action" value=(value) { (words) } }
}
