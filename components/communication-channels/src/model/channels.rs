//! Channels, as they are kept and as they are answered.

use serde::{Deserialize, Serialize};
use shared::channels::{Kind, SHOWN_PUSH_ADDRESS};
use shared::ids::{ChannelId, UserId};
use shared::{JsonSchema, Timestamp};

/// A channel as it is kept.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) id: ChannelId,
    pub(crate) position: i64,
    pub(crate) workflow_state: String,
    pub(crate) user_id: UserId,
    pub(crate) created_at: Timestamp,
    pub(crate) address: String,
    pub(crate) r#type: Kind,
    pub(crate) bounce_count: i64,
    pub(crate) last_bounce_at: Option<Timestamp>,
    pub(crate) last_bounce_summary: Option<String>,
    pub(crate) last_transient_bounce_at: Option<Timestamp>,
    pub(crate) last_transient_bounce_summary: Option<String>,
    pub(crate) last_suppression_bounce_at: Option<Timestamp>,
}

impl Row {
    pub(crate) fn is_active(&self) -> bool {
        self.workflow_state == "active"
    }
}

/// A channel on which a user is told things.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Channel {
    id: ChannelId,
    /// Its place among the user's channels.
    position: i64,
    /// `unconfirmed`, `active`, or, in the answer to its deletion, `deleted`.
    workflow_state: String,
    user_id: UserId,
    created_at: Timestamp,
    /// An e-mail address, or the number of a telephone.
    address: String,
    r#type: Kind,
    /// The number of messages that came back since one arrived.
    bounce_count: i64,
    last_bounce_at: Option<Timestamp>,
    #[serde(flatten)]
    bounces: Option<Bounces>,
}

/// The part that only those who administer the site see.
#[derive(Serialize, JsonSchema)]
struct Bounces {
    last_bounce_summary: Option<String>,
    last_transient_bounce_at: Option<Timestamp>,
    last_transient_bounce_summary: Option<String>,
    last_suppression_bounce_at: Option<Timestamp>,
}

impl Channel {
    /// The view of those who administer the site, or of others.
    pub(crate) fn of(row: Row, closely: bool) -> Self {
        let bounces = closely.then_some(Bounces {
            last_bounce_summary: row.last_bounce_summary,
            last_transient_bounce_at: row.last_transient_bounce_at,
            last_transient_bounce_summary: row.last_transient_bounce_summary,
            last_suppression_bounce_at: row.last_suppression_bounce_at,
        });
        Self {
            id: row.id,
            position: row.position,
            workflow_state: row.workflow_state,
            user_id: row.user_id,
            created_at: row.created_at,
            address: match row.r#type {
                Kind::Email | Kind::Sms => row.address,
                Kind::Push => SHOWN_PUSH_ADDRESS.to_owned(),
            },
            r#type: row.r#type,
            bounce_count: row.bounce_count,
            last_bounce_at: row.last_bounce_at,
            bounces,
        }
    }
}
