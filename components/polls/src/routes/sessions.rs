//! Two pages that a signed link opens, for people who have no token: the live page shows how the votes come in, the voting
//! page takes one. Both work without script; with it, they follow the votes.

mod pages;

use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use shared::error::Kind;
use shared::ids::{PollId, PollSessionId};
use shared::signed_pages::{self, SignedLink};
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::board::Board;
use crate::model::board::News;
use crate::page_links::{Audience, PAGES, Pass};
use crate::routes::poll_submissions::{self, choice_id};
use crate::store::live as store;

endpoints![get_live_page, get_voting_page, vote_in_poll, get_live_results];

#[derive(Deserialize, Clone, Copy, JsonSchema)]
pub(crate) struct SessionPath {
    pub(crate) poll_id: PollId,
    pub(crate) id: PollSessionId,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Vote {
    ticket: String,
    #[schemars(with = "shared::ids::PollChoiceId")]
    poll_choice_id: Patch<Value>,
}

/// The session that a link opens.
pub(crate) struct OpenedSession {
    pub(crate) audience: Audience,
    pub(crate) board: Board,
}

pub(crate) type Opened = signed_pages::Opened<OpenedSession>;

/// Shows how the votes come in: a page.
#[endpoint(
    GET "/polls/:poll_id/sessions/:id/live",
    public,
    page,
    nobody(403, "a page for whoever has its link; there is none"),
)]
async fn get_live_page(cx: Context, Path(at): Path<SessionPath>, link: Query<SignedLink>) -> Result<Reply> {
    Ok(match opened(&cx, at, link.decode()?.ticket).await? {
        Some(opened) if opened.audience == Audience::Teacher => pages::live(&opened),
        _ => PAGES.ended(),
    })
}

/// Asks a student: a page.
#[endpoint(
    GET "/polls/:poll_id/sessions/:id/vote",
    public,
    page,
    nobody(403, "a page for whoever has its link; there is none"),
)]
async fn get_voting_page(cx: Context, Path(at): Path<SessionPath>, link: Query<SignedLink>) -> Result<Reply> {
    Ok(match opened(&cx, at, link.decode()?.ticket).await? {
        Some(opened) if opened.audience == Audience::Student => pages::ballot(&opened, None),
        _ => PAGES.ended(),
    })
}

/// Takes the student's vote, and leads back to the page.
///
/// The ticket is the right, so that no other site can send this form for the student. Whatever becomes of the vote, the page
/// that the student comes back to tells.
#[endpoint(
    POST "/polls/:poll_id/sessions/:id/vote",
    public,
    page,
    nobody(403, "a page for whoever has its link; there is none"),
    answers(303, "It is done; the page is shown anew."),
)]
async fn vote_in_poll(cx: Context, Path(at): Path<SessionPath>, body: Form<Vote>) -> Result<Reply> {
    let Vote { ticket, poll_choice_id } = body.decode()?;
    let pass: Option<Pass> = PAGES.holder(&cx, &ticket).await?;
    let pass = pass.filter(|pass| pass.opens(at.id, Audience::Student));
    let Some(pass) = pass else { return Ok(PAGES.ended()) };
    let back =
        Reply::redirect(&signed_pages::address(&at.pages(), "/vote", &ticket)).with_status(StatusCode::SEE_OTHER);
    let cast = match choice_id(&poll_choice_id) {
        Some(choice) => poll_submissions::cast(&cx, at.poll_id, at.id, pass.user, choice).await,
        None => Ok(None),
    };
    match cast {
        Ok(Some(_)) => return Ok(back),
        Ok(None) => {}
        Err(error) if matches!(error.kind(), Kind::Invalid(_)) => return Ok(back),
        Err(error) => return Err(error),
    }
    Ok(match opened(&cx, at, ticket).await? {
        Some(opened) if opened.board.takes_votes() => {
            let page = pages::ballot(&opened, Some("Please choose one of the answers."));
            page.with_status(StatusCode::BAD_REQUEST)
        }
        Some(_) => back,
        None => PAGES.ended(),
    })
}

/// Tells the pages what has changed.
#[endpoint(
    GET "/polls/:poll_id/sessions/:id/results",
    public,
    nobody(403, "the news for these pages"),
)]
async fn get_live_results(cx: Context, Path(at): Path<SessionPath>, link: Query<SignedLink>) -> Result<Reply<News>> {
    match opened(&cx, at, link.decode()?.ticket).await? {
        Some(opened) => Ok(Reply::ok(opened.board.news(opened.audience))),
        None => Err(Error::forbidden()),
    }
}

/// The session that the ticket opens, if it is for this one and its holder still has the right.
async fn opened(cx: &Context, at: SessionPath, ticket: String) -> Result<Option<Opened>> {
    let find = async |Pass { audience, user, session }| {
        if session != at.id {
            return Ok(None);
        }
        let board = store::board(&cx.db, user, at.poll_id, at.id).await?.filter(|board| board.is_for(audience));
        Ok(board.map(|board| OpenedSession { audience, board }))
    };
    PAGES.open(cx, at.pages(), ticket, find).await
}

impl SessionPath {
    /// The path behind which the session's pages stand.
    pub(crate) fn pages(self) -> String {
        format!("/polls/{}/sessions/{}", self.poll_id, self.id)
    }
}
