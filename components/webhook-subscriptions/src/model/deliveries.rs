//! Deliveries: rows and views.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::DeliveryId;
use shared::{JsonSchema, Timestamp};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Filter {
    /// Only those of this subscription.
    pub(crate) subscription_id: Option<String>,
    /// `pending`, `delivered`, `dead` or `kept`
    pub(crate) status: Option<String>,
}

/// An event on its way to a subscription.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Delivery {
    pub(crate) id: DeliveryId,
    pub(crate) subscription_id: String,
    /// The header `webhook-id` of every attempt at it.
    pub(crate) message_id: String,
    /// `TEST` is a test, which is about nothing that happened.
    pub(crate) event_type: String,
    pub(crate) url: String,
    /// `pending`, `delivered`, `dead` (nothing is tried any more), or `kept` (its subscription was disabled when it
    /// happened, and nobody has asked for it yet).
    pub(crate) status: String,
    /// The number of attempts that were made, those before it was sent again by hand among them.
    pub(crate) attempts: i64,
    /// When the next attempt is due, or when the one that is being made is given up.
    pub(crate) next_attempt_at: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
    /// When it was delivered, or given up.
    pub(crate) ended_at: Option<Timestamp>,
    /// The status of the latest answer.
    pub(crate) response_status: Option<i64>,
    /// The reason why the latest attempt failed.
    pub(crate) error: Option<String>,
}

/// A header of what was sent to a receiver.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct RequestHeader {
    pub(crate) name: String,
    /// Null where it would tell a secret of the operator's, such as what signs a message to a queue.
    pub(crate) value: Option<String>,
}

/// One attempt to deliver.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Attempt {
    pub(crate) attempted_at: Timestamp,
    /// The time that it took, in milliseconds.
    pub(crate) latency: i64,
    /// The headers that were sent. Null where nothing was sent, and of attempts before they were kept.
    pub(crate) request_headers: Option<Json<Vec<RequestHeader>>>,
    /// The first 20,000 bytes of the body that was sent.
    pub(crate) request_body: Option<String>,
    /// The number of bytes of the whole body.
    pub(crate) request_bytes: Option<i64>,
    /// The status of the answer; null: there was none.
    pub(crate) response_status: Option<i64>,
    /// The first 20,000 bytes of the answer.
    pub(crate) response_body: Option<String>,
    /// The reason of the failure; null: it was delivered.
    pub(crate) error: Option<String>,
}

/// The administrator who looks at the pages.
#[derive(Deserialize)]
pub(crate) struct Viewer {
    /// True for an administrator of the site, who runs the installation.
    pub(crate) is_of_site: bool,
}
