//! Joining a session by its code, as it stands on the wall: through the log-in to the voting page.

mod markup;

use http::StatusCode;
use serde::Deserialize;
use shared::clock::MINUTE;
use shared::prefetch::Prefetched;
use shared::session::see;
use shared::texts::poll;
use shared::throttle::{self, Limit};
use shared::{Context, JsonSchema, LimitKind, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::join_codes::normal;
use crate::model::overview::Invitation;
use crate::page_links::SessionPath;

/// The wrong codes that somebody may try.
const WRONG_CODES: Limit = Limit { most: 20, seconds: 15 * MINUTE };

endpoints![get_join_page, open_poll_by_code];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct JoinQuery {
    /// The code as it was typed.
    code: String,
}

#[derive(Deserialize, JsonSchema)]
struct JoinPath {
    #[serde(rename = "code")]
    _code: String,
}

/// Asks for the code of a poll, or leads to where it is looked up: a page.
#[endpoint(GET "/join", signed_in, page)]
async fn get_join_page(cx: Context, query: Query<JoinQuery>) -> Result<Reply> {
    let code = normal(&query.decode()?.code);
    match code.as_str() {
        "" => Ok(markup::join(&cx, None)),
        code => see(&format!("/join/{code}")).await,
    }
}

/// Leads to the voting page of the open session with that code.
///
/// A code that the caller can do nothing with counts as a wrong one, of which there may be twenty in a quarter of an hour.
#[endpoint(
    GET "/join/:code",
    signed_in,
    page,
    throttled("wrong codes"),
    answers(403, "The session asks others."),
)]
async fn open_poll_by_code(
    cx: Context,
    Path(_at): Path<JoinPath>,
    invitation: Prefetched<Invitation>,
) -> Result<Reply> {
    // A try counts before it is judged, so that many at once are no more than one after the other; a right one is taken back.
    let key = format!("poll-codes/{}", cx.caller()?.user);
    throttle::require_turn(&cx, LimitKind::PollCodes, &key, WRONG_CODES).await?;
    let found = invitation.into_option()?;
    if let Some(Invitation { poll, session, takes_part: true }) = found {
        throttle::give_back(&cx.db, &key).await?;
        return see(&SessionPath { poll_id: poll, id: session }.page("/vote")).await;
    }
    Ok(match found {
        Some(_) => markup::not_asked(&cx).with_status(StatusCode::FORBIDDEN),
        None => markup::join(&cx, Some(poll::NO_SUCH_CODE)).with_status(StatusCode::NOT_FOUND),
    })
}
