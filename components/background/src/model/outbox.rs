//! The outbox: messages as administrators see them.

use serde::{Deserialize, Serialize};
use shared::channels::Kind;
use shared::ids::{AccountId, ChannelId, MessageId};
use shared::{JsonSchema, Timestamp};

/// A message to a user.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Message {
    pub(crate) id: MessageId,
    pub(crate) channel_id: ChannelId,
    pub(crate) r#type: Kind,
    /// The address, the number, or the device's token.
    pub(crate) to: String,
    /// The kind of event that it tells of, as notification preferences call it.
    pub(crate) notification: String,
    pub(crate) subject: String,
    /// Empty where it held a secret and has gone out, or is good for nothing any more.
    pub(crate) body: String,
    pub(crate) state: State,
    /// The number of times that a transport was asked to take it.
    pub(crate) attempts: i64,
    /// Why the last attempt failed, or why none is made any more.
    pub(crate) failure: Option<String>,
    /// When it goes out, or is tried again, while it waits.
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
    /// When a transport has taken it; null: it waits, or was given up.
    pub(crate) sent_at: Option<Timestamp>,
}

/// The state of a message.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It waits for its first or its next attempt.
    Queued,
    /// A transport has taken it.
    Sent,
    /// It was refused, or tried too often, or its channel or device was taken away before.
    Dead,
}

/// A message that was given up, as the page of the outbox shows it.
#[derive(Deserialize)]
pub(crate) struct DeadMessage {
    pub(crate) id: MessageId,
    pub(crate) tenant: AccountId,
    pub(crate) r#type: Kind,
    pub(crate) to: String,
    pub(crate) notification: String,
    pub(crate) subject: String,
    pub(crate) attempts: i64,
    pub(crate) failure: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) obstacle: Option<Obstacle>,
}

/// The reason why a message cannot be sent again.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Obstacle {
    /// Its user has taken the address away.
    Address,
    /// The device was signed off.
    Device,
    /// It held a secret, which is not kept.
    Secret,
}
