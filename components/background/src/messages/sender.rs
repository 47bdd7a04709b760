//! Sending: leased messages go out side by side, a bounded number at a time, and each is settled as soon as it is answered.

use std::time::Instant;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde_json::json;
use shared::background::{self, JobOutcome};
use shared::channels::Kind;
use shared::clock::{HOUR, MINUTE};
use shared::retries::Schedule;
use shared::{Context, Result};

use crate::messages::transport::{self, Failure, Outcome, Transport};
use crate::model::bounces::Bounce;
use crate::store::bounces;
use crate::store::messages::{self as store, Message};

/// When a message is tried again.
const SCHEDULE: Schedule = Schedule {
    waits: &[30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
    shorter: 20,
    longer: 20,
};

/// The number of messages that this call has on their way at once.
const AT_ONCE: usize = 8;

/// Sends what is due of a kind, until the deadline.
pub(super) async fn drain(cx: &Context, kind: Kind, until: Instant) -> Result<JobOutcome> {
    let transport = transport::of(kind).await?;
    let mut flying = FuturesUnordered::new();
    let (mut done, mut more, mut failure) = (0_i64, true, None);
    loop {
        let room = AT_ONCE.saturating_sub(flying.len());
        if more && failure.is_none() && room >= AT_ONCE / 2 && Instant::now() < until {
            match store::lease(&cx.db, kind, i64::try_from(room).unwrap_or(1), cx.now).await {
                Ok(leased) => {
                    more = leased.first().is_some_and(|message| message.others_due);
                    flying.extend(leased.into_iter().map(|message| attempt(cx, transport.as_ref(), message)));
                }
                Err(error) => failure = Some(error.into()),
            }
        }
        match flying.next().await {
            Some(Ok(())) => done = done.saturating_add(1),
            // The others are on their way: they are settled before anybody hears of it.
            Some(Err(error)) => failure = Some(error),
            None if more && failure.is_none() && Instant::now() < until => {}
            None => break,
        }
    }
    failure.map_or(Ok(JobOutcome { done, more }), Err)
}

async fn attempt(cx: &Context, transport: &dyn Transport, message: Message) -> Result<()> {
    match transport.send(cx, &message).await {
        Outcome::Sent { reference } => {
            store::sent(&cx.db, &message, reference.as_deref(), transport.delivers(), cx.now).await?;
        }
        Outcome::Later { failure, after } => {
            log(transport, &message, &failure);
            match SCHEDULE.wait(message.attempts, after) {
                Some(pause) => {
                    store::put_off(&cx.db, &message, &failure.to_string(), cx.now.plus_seconds(pause)).await?
                }
                None => store::give_up(&cx.db, &message, &failure.to_string()).await?,
            }
        }
        Outcome::Never { failure, bounced } => {
            log(transport, &message, &failure);
            cx.db
                .transaction(async |db| {
                    store::give_up(db, &message, &failure.to_string()).await?;
                    match bounced {
                        true => {
                            bounces::note_of_channel(
                                db,
                                message.channel_id,
                                Bounce::permanent(cx.now, failure.to_string()),
                            )
                            .await
                        }
                        false => Ok(()),
                    }
                })
                .await?;
        }
        Outcome::Gone { failure } => {
            log(transport, &message, &failure);
            cx.db
                .transaction(async |db| {
                    store::give_up(db, &message, &failure.to_string()).await?;
                    match message.push_endpoint_id {
                        Some(endpoint) => store::forget_device(db, endpoint).await,
                        None => Ok(()),
                    }
                })
                .await?;
        }
    }
    Ok(())
}

/// The words of the transport are kept with the message: they may name the address, which does not belong into a log.
fn log(transport: &dyn Transport, message: &Message, failure: &Failure) {
    let Message { id, attempts, .. } = message;
    let reason = &failure.reason;
    background::log(&json!({ "message": id, "transport": transport.name(), "attempt": attempts, "failure": reason }));
}
