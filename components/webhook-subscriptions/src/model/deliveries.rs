//! Deliveries with their attempts, as operators and tools see them.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::DeliveryId;
use shared::{Error, JsonSchema, Result, Timestamp};

use crate::model::capabilities::EventType;

/// The public status of what happened while its subscription was disabled. It is stored as dead.
pub(crate) const KEPT: &str = "kept";

/// The public status of each delivery.
pub(crate) const STATES: [&str; 4] = ["pending", "delivered", "dead", KEPT];

/// The type of a test, which is about nothing that happened.
pub(crate) const TEST: &str = "TEST";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Filter {
    /// Only those of this subscription.
    pub(crate) subscription_id: Option<String>,
    /// `pending`, `delivered`, `dead` or `kept`
    pub(crate) status: Option<String>,
}

/// The same of a tool that looks at its own.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct ToolFilter {
    /// Only those of this subscription.
    pub(crate) subscription_id: Option<String>,
    /// `pending`, `delivered`, `dead` or `kept`
    pub(crate) status: Option<String>,
    /// Only those of this type of event, such as `SUBMISSION_CREATED`; `TEST` for tests.
    pub(crate) event_type: Option<String>,
}

impl ToolFilter {
    /// The same, if there are such a status and such a type, which is taken in small letters too.
    pub(crate) fn checked(self) -> Result<Self> {
        require_known(self.status.as_deref())?;
        let event_type = self.event_type.map(|name| event_type(&name)).transpose()?;
        Ok(Self { event_type: event_type.map(str::to_owned), ..self })
    }
}

/// The types of events that deliveries have.
pub(crate) fn event_types() -> impl Iterator<Item = &'static str> {
    EventType::ALL.into_iter().map(EventType::name).chain([TEST])
}

fn event_type(name: &str) -> Result<&'static str> {
    let unknown = || {
        let known: Vec<_> = event_types().collect();
        Error::invalid("event_type", "inclusion", format!("must be one of {}", known.join(", ")))
    };
    event_types().find(|known| known.eq_ignore_ascii_case(name)).ok_or_else(unknown)
}

/// Refuses a status that no delivery has.
pub(crate) fn require_known(status: Option<&str>) -> Result<()> {
    match status {
        Some(status) if !STATES.contains(&status) => {
            Err(Error::invalid("status", "inclusion", "must be pending, delivered, dead or kept"))
        }
        _ => Ok(()),
    }
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

impl Delivery {
    /// True if nothing more is done about it: it came, or it was given up.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.status.as_str(), "delivered" | "dead")
    }
}

/// A delivery with what was tried.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DeliveryWithAttempts {
    #[serde(flatten)]
    pub(crate) delivery: Delivery,
    /// The latest 100 of them, in their order.
    pub(crate) attempt_history: Vec<Attempt>,
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
    /// The first 20,000 bytes of the answer. Null for tools: one that names another's server as its receiver reads nothing there.
    pub(crate) response_body: Option<String>,
    /// The reason of the failure; null: it was delivered.
    pub(crate) error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_asks_for_types_and_states_that_there_are() {
        let filter = |status: Option<&str>, event_type: Option<&str>| {
            let text = |text: Option<&str>| text.map(str::to_owned);
            ToolFilter { subscription_id: None, status: text(status), event_type: text(event_type) }.checked()
        };
        for status in STATES {
            assert!(filter(Some(status), None).is_ok(), "{status}");
        }
        assert_eq!(filter(None, Some("grade_change")).unwrap().event_type.as_deref(), Some("GRADE_CHANGE"));
        assert_eq!(filter(None, Some("TEST")).unwrap().event_type.as_deref(), Some("TEST"));
        assert!(filter(None, None).unwrap().event_type.is_none());
        assert!(filter(Some("gone"), None).is_err() && filter(None, Some("ASSIGNMENT_CREATED")).is_err());
    }
}
