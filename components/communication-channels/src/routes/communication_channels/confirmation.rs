//! Confirming a channel with the code that its owner was sent. See "States" in
//! `docs/contract/communication-channels.md`.

use serde::{Deserialize, Serialize};
use shared::background;
use shared::channels::{self, Question};
use shared::needs::NeededUser;
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, LimitKind, Reply, Result, endpoint, endpoints};

use crate::model::channels::{Channel, Row};
use crate::store::confirmations::{self as store, Try};

endpoints![confirm_communication_channel, resend_confirmation];

#[derive(Deserialize, JsonSchema)]
struct CodeForm {
    code: String,
}

#[derive(Serialize, JsonSchema)]
struct Sent {
    re_sent: bool,
}

/// Confirms a channel with the code that was sent to it.
#[endpoint(POST "/api/v1/users/:user_id/communication_channels/:id/confirm")]
async fn confirm_communication_channel(
    cx: Context,
    user: NeededUser,
    channel: Prefetched<Row>,
    body: Form<CodeForm>,
) -> Result<Reply<Channel>> {
    let channel = channel.record()?;
    user.require_own_or_administered()?;
    let code = body.decode()?.code;
    match store::try_code(&cx.db, channel.id, &code, cx.now).await? {
        Try::Right(row) => Ok(Reply::ok(Channel::seen_by(&cx, *row)?)),
        Try::Wrong => Err(Error::invalid("code", "invalid", "is not the one that was sent")),
        Try::NoneLeft => Err(Error::invalid("code", "expired", "is not good any more; ask for another")),
    }
}

/// Sends a new code to a channel that is not confirmed.
#[endpoint(POST "/api/v1/users/:user_id/communication_channels/:id/resend", throttled("codes for one channel"))]
async fn resend_confirmation(cx: Context, user: NeededUser, channel: Prefetched<Row>) -> Result<Reply<Sent>> {
    let channel = channel.record()?;
    user.require_own_or_administered()?;
    if channel.is_active() {
        return Err(Error::invalid("workflow_state", "confirmed", "is confirmed already"));
    }
    // A message that came back once would come back again.
    if channel.bounce_count > 0 {
        return Ok(Reply::ok(Sent { re_sent: false }));
    }
    let base_url = cx.lasting_base_url().await?;
    let asked = cx.db.transaction(async |db| {
        let Row { id, r#type: kind, ref address, .. } = channel;
        let question = Question { tenant: user.root_account, channel: id, kind, address };
        channels::ask(db, &base_url, question, None, cx.now).await
    });
    asked.await?.require(LimitKind::ConfirmationCodes)?;
    background::run_soon();
    Ok(Reply::ok(Sent { re_sent: true }))
}
