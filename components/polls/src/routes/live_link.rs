//! The link to a page.

use serde::{Deserialize, Serialize};
use shared::{Context, Error, Form, JsonSchema, Path, Reply, Result, Timestamp, endpoint, endpoints};

use crate::page_links::{Audience, PAGES, Pass, SessionPath};
use crate::store::needs::{NeededBallot, may};

endpoints![create_live_link];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct LiveLinkForm {
    /// `teacher`: the live page. `student`: the voting page, on which the caller votes.
    audience: Audience,
}

/// A link that opens a page without a token.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LiveLink {
    url: String,
    /// When the link ends.
    expires_at: Timestamp,
}

/// Makes a link to the live page of a session, or to the caller's voting page.
#[endpoint(
    POST "/api/v1/polls/:poll_id/poll_sessions/:id/live_link",
    students(400, "students have a page to vote on"),
)]
pub(crate) async fn create_live_link(
    cx: Context,
    Path(at): Path<SessionPath>,
    ballot: NeededBallot<may::WatchOrVote>,
    body: Form<LiveLinkForm>,
) -> Result<Reply<LiveLink>> {
    let user = cx.caller()?.user;
    let audience = body.decode()?.audience;
    let (page, allowed) = match audience {
        Audience::Teacher => ("/live", ballot.watches),
        Audience::Student => ("/vote", ballot.takes_part),
    };
    if !allowed {
        return Err(Error::forbidden());
    }
    let pass = Pass { audience, session: at.id, user };
    let (url, expires_at) = PAGES.link(&cx, (&at.pages(), page), &pass).await?;
    Ok(Reply::ok(LiveLink { url, expires_at }))
}
