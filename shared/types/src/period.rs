//! The time of which a log is read.

use serde::Deserialize;
use serde_json::Value;

use crate::JsonSchema;
use crate::clock::Timestamp;

/// Sorts behind every time.
const LAST: &str = "~";

/// The time in which the events happened, both ends included. A text that is no time is passed over.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Period {
    /// Only what happened at that time or later.
    #[schemars(with = "Timestamp")]
    start_time: Value,
    /// Only what happened at that time or before.
    #[schemars(with = "Timestamp")]
    end_time: Value,
}

impl Period {
    /// Its beginning and its end as logs keep their times, with microseconds. Where a side is open, it sorts before or behind
    /// every time.
    pub fn bounds(&self) -> (String, String) {
        let moment = |value: &Value| Timestamp::parse(value.as_str()?).map(Timestamp::with_microseconds);
        (moment(&self.start_time).unwrap_or_default(), moment(&self.end_time).unwrap_or_else(|| LAST.to_owned()))
    }
}
