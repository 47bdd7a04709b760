//! The body that is sent: the event in the form of the subscription, or a test in that form.

use serde_json::{Value, json};
use shared::live_events::{caliper, live_event};
use shared::{Timestamp, clock};

use crate::store::deliveries::Due;

const CALIPER: &str = "http://purl.imsglobal.org/ctx/caliper/v1p1";

/// The body of a delivery.
pub(super) fn of(due: &Due, base_url: &str) -> Value {
    match (&due.event, due.is_caliper()) {
        (Some(event), false) => live_event::payload(&event.0, &due.subscription_uuid),
        (Some(event), true) => caliper::payload(&event.0, &due.subscription_uuid, clock::now()),
        (None, false) => test_of_live_event(due),
        (None, true) => test_of_caliper(due, base_url),
    }
}

fn test_of_live_event(due: &Due) -> Value {
    json!({
        "metadata": {
            "event_name": "test",
            "event_time": in_milliseconds(due.created_at),
            "producer": "canvas",
            "root_account_id": due.root_account_id.to_string(),
            "subscription_id": due.subscription_uuid,
        },
        "body": {},
    })
}

fn test_of_caliper(due: &Due, base_url: &str) -> Value {
    let sensor = format!("{base_url}/");
    let service = json!({ "id": sensor, "type": "SoftwareApplication" });
    let extensions = json!({ "com.instructure.canvas": {
        "event_name": "test",
        "root_account_id": due.root_account_id.to_string(),
        "subscription_id": due.subscription_uuid,
        "version": "1.0.0",
    } });
    let event = json!({
        "@context": CALIPER,
        "id": format!("urn:uuid:{}", due.subscription_uuid),
        "type": "Event",
        "actor": service,
        "action": "Created",
        "object": { "id": format!("urn:lectern:message:{}", due.message_id), "type": "Message" },
        "eventTime": in_milliseconds(due.created_at),
        "edApp": service,
        "extensions": extensions,
    });
    json!({
        "sensor": sensor,
        "sendTime": in_milliseconds(clock::now()),
        "dataVersion": CALIPER,
        "data": [event],
    })
}

fn in_milliseconds(moment: Timestamp) -> String {
    moment.to_utc().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
