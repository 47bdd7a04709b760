//! Push channels: one for a user, with the devices behind it. See
//! `docs/contract/communication-channels.md`.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::auth::UserAccess;
use shared::channels::Kind;
use shared::channels::PUSH_ADDRESS;
use shared::error::OrNotFound;
use shared::params;
use shared::{Context, Error, Form, JsonSchema, Reply, Result, config, endpoint, endpoints};

use crate::model::channels::Row;
use crate::store::channels as store;

const MAX_TOKEN_CHARS: usize = 4096;
/// The data that a server needs to call the push service.
const CONFIGURATION: [&str; 2] = ["aws_region", "aws_access_key_id"];

endpoints![delete_push_channel];

#[derive(Deserialize, JsonSchema)]
struct DeviceForm {
    /// The device's token.
    push_token: String,
}

#[derive(Serialize, JsonSchema)]
struct Success {
    success: bool,
}

/// Registers a device with the token of the call: what is pushed goes to those who use that token, so it must be the
/// user's own.
pub(crate) async fn register(cx: &Context, user: &UserAccess, token: Option<String>) -> Result<Row> {
    let caller = cx.caller()?;
    if !user.own || caller.real_user.is_some() {
        return Err(Error::forbidden());
    }
    let own = caller.require_token()?;
    require_configured().await?;
    if !store::has_push_topic(&cx.db, own).await? {
        return Err(bad_request("SNS is not configured for this developer key"));
    }
    let token = token.unwrap_or_default();
    if token.trim().is_empty() {
        return Err(Error::invalid("token", "blank", "can't be blank"));
    }
    params::not_too_long("token", &token, MAX_TOKEN_CHARS)?;
    store::register(&cx.db, user.id, own, token.trim(), cx.now).await
}

/// Forgets a device of the caller.
///
/// A device that is not known is forgotten already.
#[endpoint(
    DELETE "/api/v1/users/self/communication_channels/push",
    answers(404, "The caller has no channel for devices."),
)]
async fn delete_push_channel(cx: Context, body: Form<DeviceForm>) -> Result<Reply<Success>> {
    let caller = cx.caller()?;
    let channel = store::at_address(&cx.db, caller.user, Kind::Push, PUSH_ADDRESS).await?.or_not_found()?;
    store::forget(&cx.db, channel.id, body.decode()?.push_token.trim()).await?;
    Ok(Reply::ok(Success { success: true }))
}

/// On a developer's machine messages are kept and shown, which needs no service.
async fn require_configured() -> Result<()> {
    if config::flag("development").await? {
        return Ok(());
    }
    for name in CONFIGURATION {
        if config::get(name).await?.is_none() {
            return Err(bad_request("Push notifications are not configured on this server"));
        }
    }
    Ok(())
}

fn bad_request(why: &str) -> Error {
    Error::own(StatusCode::BAD_REQUEST, json!({ "errors": { "type": why } }))
}
