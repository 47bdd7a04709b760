//! The outbox: what was and is to be sent to the users of a tenant, for its administrators.

use serde::{Deserialize, Serialize};
use shared::auth;
use shared::channels::Kind;
use shared::ids::{ChannelId, IdOrAlias, MessageId};
use shared::pagination::Key;
use shared::{Context, JsonSchema, Reply, Result, Timestamp, endpoint, endpoints};

endpoints![list_outbox_messages];

/// A message to a user.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Message {
    id: MessageId,
    channel_id: ChannelId,
    r#type: Kind,
    /// The address, the number, or the device's token.
    to: String,
    /// What kind of event it tells of, as notification preferences call it.
    notification: String,
    subject: String,
    /// Empty where it held a secret and has gone out, or is good for nothing any more.
    body: String,
    state: State,
    /// How often a transport was asked to take it.
    attempts: i64,
    /// Why the last attempt failed, or why none is made any more.
    failure: Option<String>,
    /// When it goes out, or is tried again, while it waits.
    due_at: Option<Timestamp>,
    created_at: Timestamp,
    /// When a transport has taken it; null: it waits, or was given up.
    sent_at: Option<Timestamp>,
}

/// What has become of a message.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    /// It waits for its first or its next attempt.
    Queued,
    /// A transport has taken it.
    Sent,
    /// It was refused, or tried too often, or its channel or device was taken away before.
    Dead,
}

/// Lists the messages to the users of the caller's tenant, the newest first.
#[endpoint(GET "/api/v1/outbox", foreigners(200, "lists the caller's own"))]
async fn list_outbox_messages(cx: Context) -> Result<Reply<Vec<Message>>> {
    let caller = cx.caller()?;
    auth::account(&cx.db, caller, &IdOrAlias::Own).await?.require_administrator()?;
    let tenant = caller.tenant();
    // A condition that may be none would keep SQLite from the index of the tenant's messages.
    let whose = if tenant.is_some() { "root_account_id = ?1" } else { "?1 IS NULL" };
    let sql = format!(
        "SELECT id, channel_id, type, recipient AS \"to\", notification, subject, body, state, attempts, failure,
                iif(state = 'queued', due_at, NULL) AS due_at, created_at, sent_at
         FROM messages WHERE {whose} AND state <> 'gathered'"
    );
    let messages = cx.page().await?.fetch_keyset(&cx.db, &sql, (tenant,), Key::descending(&["id"])).await?;
    Ok(Reply::page(messages))
}
