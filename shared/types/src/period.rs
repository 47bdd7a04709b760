//! The time of which a log is read.

use serde::Deserialize;
use serde_json::Value;

use crate::JsonSchema;
use crate::clock::Timestamp;

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
    /// Its beginning and its end.
    pub fn bounds(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        let moment = |value: &Value| Timestamp::parse(value.as_str()?);
        (moment(&self.start_time), moment(&self.end_time))
    }
}
