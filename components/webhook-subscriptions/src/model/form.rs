//! The parameters of a subscription, as a tool sends them and as they are kept.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;

use crate::model::capabilities::EventType;
use crate::model::contexts::Place;

/// The five parameters, and the one within the fifth, as they are shown.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Parameters {
    /// The id of the account, course or assignment.
    pub(crate) context_id: String,
    /// `account`, `course` or `assignment`; `root_account` is taken too.
    pub(crate) context_type: String,
    /// `SUBMISSION_CREATED`, …
    pub(crate) event_types: Vec<String>,
    /// `live-event` or `caliper`
    pub(crate) format: String,
    pub(crate) transport_metadata: TransportMetadata,
    /// `https` or `sqs`
    pub(crate) transport_type: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct TransportMetadata {
    /// The address of the receiver or of the queue.
    pub(crate) url: String,
}

/// Parameters that hold, and what they mean.
pub(crate) struct SubscriptionFields {
    pub(crate) given: Parameters,
    pub(crate) place: Place,
    pub(crate) event_types: Vec<EventType>,
}
