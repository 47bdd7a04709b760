//! Confirming a channel with the code that its owner was sent. Fact sheet: 1.4.

use serde::{Deserialize, Serialize};
use shared::background;
use shared::channels;
use shared::throttle::Turn;
use shared::{Body, Context, Endpoint, Error, Reply, Result, post};

use crate::channels::{Channel, ChannelPath, find};
use crate::store::confirmations::{self as store, Try};

pub(crate) fn endpoints() -> [Endpoint; 2] {
    [
        post("/api/v1/users/:user_id/communication_channels/:id/confirm", confirm)
            .about("Confirms a channel with the code that was sent to it"),
        post("/api/v1/users/:user_id/communication_channels/:id/resend", resend)
            .about("Sends a new code to a channel that is not confirmed"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct CodeForm {
    code: String,
}

#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Sent {
    re_sent: bool,
}

async fn confirm(cx: Context, at: ChannelPath, body: Body<CodeForm>) -> Result<Reply<Channel>> {
    let (user, channel) = find(&cx, &at).await?;
    user.must_be_own_or_administered()?;
    let code = body.decode()?.code;
    match store::try_code(&cx.db, channel.id, &code, cx.now).await? {
        Try::Right(row) => Ok(Reply::ok(Channel::seen_by(&cx, *row)?)),
        Try::Wrong => Err(Error::invalid("code", "invalid", "is not the one that was sent")),
        Try::NoneLeft => Err(Error::invalid("code", "expired", "is not good any more; ask for another")),
    }
}

async fn resend(cx: Context, at: ChannelPath) -> Result<Reply<Sent>> {
    let (user, channel) = find(&cx, &at).await?;
    user.must_be_own_or_administered()?;
    if channel.is_active() {
        return Err(Error::invalid("workflow_state", "confirmed", "is confirmed already"));
    }
    // What came back once would come back again.
    if channel.bounce_count > 0 {
        return Ok(Reply::ok(Sent { re_sent: false }));
    }
    let base_url = cx.lasting_base_url().await?;
    let asked = cx.db.transaction(async |db| {
        channels::ask(db, &base_url, channel.id, channel.r#type, &channel.address, cx.now).await
    });
    match asked.await? {
        Turn::Taken { .. } => {
            background::nudge();
            Ok(Reply::ok(Sent { re_sent: true }))
        }
        Turn::Wait { seconds } => Err(Error::throttled(seconds)),
    }
}
