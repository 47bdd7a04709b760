//! The link to a page.

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::{Body, Context, Error, Reply, Result, Timestamp};

use super::pass::{Audience, Pass};
use super::{SessionPath, address};
use crate::store::submissions as store;

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(super) struct Wanted {
    /// `teacher`: the live page. `student`: the voting page, on which the caller votes.
    audience: Audience,
}

/// A link that opens a page without a token.
#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(super) struct LiveLink {
    url: String,
    /// When the link ends.
    expires_at: Timestamp,
}

pub(super) async fn create(cx: Context, at: SessionPath, body: Body<Wanted>) -> Result<Reply<LiveLink>> {
    let user = cx.caller()?.user;
    let ballot = store::ballot(&cx.db, user, at.poll_id, at.id).await?.or_not_found()?;
    if !ballot.runs && !ballot.takes_part {
        return Err(Error::forbidden());
    }
    let audience = body.decode()?.audience;
    let (page, allowed) = match audience {
        Audience::Teacher => ("live", ballot.runs),
        Audience::Student => ("vote", ballot.takes_part),
    };
    if !allowed {
        return Err(Error::forbidden());
    }
    let base = cx.lasting_base_url().await?;
    let (ticket, expires_at) = Pass { audience, session: at.id, user }.issue(cx.now).await?;
    let url = format!("{base}{}", address(at, page, &ticket));
    Ok(Reply::ok(LiveLink { url, expires_at }))
}
