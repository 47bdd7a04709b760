//! The body that is sent: the event in the form of the subscription, or a test in that form.

use serde_json::Value;
use shared::live_events::caliper::TestDelivery;
use shared::live_events::{caliper, live_event};
use shared::{Error, Result, clock};

use crate::store::deliveries::Due;

/// The body of a delivery.
pub(super) fn of(due: &Due, base_url: &str) -> Result<Value> {
    let subscription = &due.subscription_uuid;
    let payload = match (&due.event, due.is_caliper()) {
        (Some(event), false) => live_event::payload(&event.0, subscription),
        (Some(event), true) => caliper::payload(&event.0, subscription, clock::now()),
        (None, false) => live_event::test(subscription, due.root_account_id, due.created_at),
        (None, true) => {
            let (message_id, root_account, asked_at) = (&due.message_id, due.root_account_id, due.created_at);
            caliper::test(&TestDelivery { subscription, message_id, root_account, asked_at }, base_url, clock::now())
        }
    };
    payload.map_err(Error::internal)
}
