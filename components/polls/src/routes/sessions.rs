//! The pages of a session, which a log-in opens, or a signed link: the live page shows how the votes come in, the voting page takes
//! one. Both work without script; with it, they follow the votes. Who runs the session opens and closes it on the live page.

mod pages;

use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use shared::error::Kind;
use shared::prefetch::Prefetched;
use shared::session::{page_path, see};
use shared::signed_pages::{self, SignedLink, open_to_signed_in};
use shared::texts::poll;
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::board::Board;
use crate::model::board::News;
use crate::opening;
use crate::page_links::{Audience, PAGES, Pass, SessionPath};
use crate::routes::poll_submissions::{self, choice_id};
use crate::store::needs::{NeededSession, may};
use crate::store::{live as store, sessions};

endpoints![get_live_page, run_poll_on_live_page, get_voting_page, vote_in_poll, get_live_results];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Vote {
    /// The ticket of a signed link.
    ticket: String,
    #[schemars(with = "shared::ids::PollChoiceId")]
    poll_choice_id: Patch<Value>,
}

/// The changes on the live page.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// Votes are taken.
    Open,
    /// Votes are no longer taken.
    Close,
    /// The pages keep the results back until the session is closed.
    Hide,
    /// The pages show the results as they come in.
    Show,
}

#[derive(Deserialize, JsonSchema)]
struct ActionForm {
    action: Action,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ResultsQuery {
    /// The ticket of a signed link.
    ticket: String,
    /// For who is signed in: the page that asks, that of a student unless given.
    audience: Option<Audience>,
}

/// The session that a link or a log-in opens.
pub(crate) struct OpenedSession {
    pub(crate) audience: Audience,
    pub(crate) board: Board,
}

pub(crate) type Opened = signed_pages::Opened<OpenedSession>;

/// Shows how the votes come in: a page.
#[endpoint(GET "/polls/:poll_id/sessions/:id/live", signed_in_or_linked, page)]
async fn get_live_page(
    cx: Context,
    Path(at): Path<SessionPath>,
    link: Query<SignedLink>,
    board: Prefetched<Board>,
) -> Result<Reply> {
    match opened_with(&cx, at, link.decode()?.ticket, Audience::Teacher, board).await? {
        Some(opened) if opened.audience == Audience::Teacher => {
            let base_url = cx.known_base_url().await?;
            Ok(pages::live(&opened, base_url.as_deref()))
        }
        _ => PAGES.ended(&at.page("/live")).await,
    }
}

/// Opens or closes a session, or keeps its results back until it is closed, and leads back to the live page.
#[endpoint(POST "/polls/:poll_id/sessions/:id/live", signed_in, page)]
async fn run_poll_on_live_page(
    cx: Context,
    Path(at): Path<SessionPath>,
    session: NeededSession<may::Run>,
    form: Form<ActionForm>,
) -> Result<Reply> {
    match form.decode()?.action {
        Action::Open => opening::open(&cx, &session).await?,
        Action::Close => opening::close(&cx, &session).await?,
        Action::Hide => sessions::set_hiding(&cx.db, session.id, true, cx.now).await?,
        Action::Show => sessions::set_hiding(&cx.db, session.id, false, cx.now).await?,
    }
    see(&at.page("/live")).await
}

/// Asks a student: a page.
#[endpoint(GET "/polls/:poll_id/sessions/:id/vote", signed_in_or_linked, page)]
async fn get_voting_page(
    cx: Context,
    Path(at): Path<SessionPath>,
    link: Query<SignedLink>,
    board: Prefetched<Board>,
) -> Result<Reply> {
    match opened_with(&cx, at, link.decode()?.ticket, Audience::Student, board).await? {
        Some(opened) if opened.audience == Audience::Student => Ok(pages::ballot(&opened, None)),
        _ => PAGES.ended(&at.page("/vote")).await,
    }
}

/// Takes the student's vote, and leads back to the page.
///
/// The form shows that our page sent it, by its ticket or for the session, so that no other site can send it for the student.
/// Whatever becomes of the vote, the page that the student comes back to tells.
#[endpoint(
    POST "/polls/:poll_id/sessions/:id/vote",
    signed_in_or_linked,
    page,
    answers(303, "It is done; the page is shown anew."),
)]
async fn vote_in_poll(cx: Context, Path(at): Path<SessionPath>, body: Form<Vote>) -> Result<Reply> {
    let Vote { ticket, poll_choice_id } = body.decode()?;
    let voter = match cx.known_caller() {
        Some(caller) => Some(caller.user),
        None => {
            let pass: Option<Pass> = PAGES.holder(&cx, &ticket).await?;
            pass.filter(|pass| pass.opens(at.id, Audience::Student)).map(|pass| pass.user)
        }
    };
    let page = at.page("/vote");
    let Some(voter) = voter else { return PAGES.ended(&page).await };
    let cast = match choice_id(&poll_choice_id) {
        Some(choice) => poll_submissions::cast(&cx, at.poll_id, at.id, voter, choice).await,
        None => Ok(None),
    };
    let path = page_path(&page).await?;
    let back = if ticket.is_empty() { path } else { signed_pages::address(&path, "", &ticket) };
    let back = Reply::redirect(&back).with_status(StatusCode::SEE_OTHER);
    match cast {
        Ok(Some(_)) => return Ok(back),
        Ok(None) => {}
        Err(error) if matches!(error.kind(), Kind::Invalid(_)) => return Ok(back),
        Err(error) => return Err(error),
    }
    match opened(&cx, at, ticket, Audience::Student).await? {
        Some(opened) if opened.board.takes_votes() => {
            let page = pages::ballot(&opened, Some(poll::CHOOSE_ONE));
            Ok(page.with_status(StatusCode::BAD_REQUEST))
        }
        Some(_) => Ok(back),
        None => PAGES.ended(&page).await,
    }
}

/// Tells the pages what has changed.
#[endpoint(GET "/polls/:poll_id/sessions/:id/results", signed_in_or_linked)]
async fn get_live_results(
    cx: Context,
    Path(at): Path<SessionPath>,
    query: Query<ResultsQuery>,
    board: Prefetched<Board>,
) -> Result<Reply<News>> {
    let ResultsQuery { ticket, audience } = query.decode()?;
    match opened_with(&cx, at, ticket, audience.unwrap_or(Audience::Student), board).await? {
        Some(opened) => Ok(Reply::ok(opened.board.news(opened.audience, opened.language()))),
        None => Err(Error::forbidden()),
    }
}

/// The session as who is signed in was found with it, or as the ticket opens it.
async fn opened_with(
    cx: &Context,
    at: SessionPath,
    ticket: String,
    audience: Audience,
    board: Prefetched<Board>,
) -> Result<Option<Opened>> {
    if cx.signed_in().is_none() {
        return opened(cx, at, ticket, audience).await;
    }
    let board = Some(board.record()?).filter(|board| board.is_for(audience));
    let content = board.map(|board| OpenedSession { audience, board });
    open_to_signed_in(cx, &at.pages(), content).await.map(Some)
}

/// The session that the ticket opens to its audience, if it is for this one and its holder still has the right; or the one that
/// stands open to who is signed in.
async fn opened(cx: &Context, at: SessionPath, ticket: String, audience: Audience) -> Result<Option<Opened>> {
    let find = async |Pass { audience, user, session }| {
        if session != at.id {
            return Ok(None);
        }
        let board = store::board(&cx.db, user, at.poll_id, at.id).await?.filter(|board| board.is_for(audience));
        Ok(board.map(|board| OpenedSession { audience, board }))
    };
    PAGES.open(cx, &at.pages(), ticket, |caller| Pass { audience, session: at.id, user: caller.user }, find).await
}
