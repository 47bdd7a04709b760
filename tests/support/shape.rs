//! Values that a test cannot know beforehand have at least a shape. Each function answers the value that it has checked,
//! so that it can stand in the answer that is expected.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

/// The greatest age of a record that a test has made, on a machine that has much to do.
const RECENTLY: TimeDelta = TimeDelta::minutes(5);

/// A time of the last minutes, in RFC 3339 and UTC.
#[track_caller]
pub fn recent(value: &Value) -> Value {
    let text = value.as_str().unwrap_or_else(|| panic!("no time: {value}"));
    let time = DateTime::parse_from_rfc3339(text).unwrap_or_else(|error| panic!("no time: {text}: {error}"));
    let now = Utc::now();
    assert!(text.ends_with('Z'), "not in UTC: {text}");
    assert!(now - RECENTLY < time && time <= now, "not of the last minutes: {text}");
    value.clone()
}

/// An id as a number.
#[track_caller]
pub fn number_id(value: &Value) -> Value {
    assert!(value.as_i64().is_some_and(|id| id > 0), "no id: {value}");
    value.clone()
}

/// An id as text.
#[track_caller]
pub fn text_id(value: &Value) -> Value {
    assert!(value.as_str().and_then(|id| id.parse().ok()).is_some_and(|id: i64| id > 0), "no id as text: {value}");
    value.clone()
}

/// An id that is a UUID.
#[track_caller]
pub fn uuid(value: &Value) -> Value {
    assert!(value.as_str().is_some_and(|id| uuid::Uuid::parse_str(id).is_ok()), "no UUID: {value}");
    value.clone()
}
