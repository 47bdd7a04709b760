//! Messages to users: digests are made, and what is due is sent.
//!
//! At least once: a message is leased before it is sent and settled after it. Who crashes in between, or gets no answer to
//! a request that was taken, leaves a message that is sent again. A message that was settled is never sent twice.

mod digests;
mod sender;
mod transport;

use std::time::Instant;

use futures::future::join_all;
use shared::background::JobOutcome;
use shared::{Context, Result};

use crate::store::messages;

pub(crate) use crate::store::messages::clear;

/// Makes the digests that are due, and sends the messages that are.
pub(crate) async fn send(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let due = messages::due(&cx.db, cx.now).await?;
    let unfinished = due.digests && digests::make(&cx.db, cx.now, until).await?;
    // Each kind has a lane of its own, so that a slow transport delays nobody else's messages.
    let lanes = due.kinds().into_iter().map(|kind| sender::drain(cx, kind, until));
    let sent: JobOutcome = join_all(lanes).await.into_iter().sum::<Result<_>>()?;
    Ok(JobOutcome { more: sent.more || unfinished, ..sent })
}
