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
    /// Only what happened at that time or before; a whole second with all of it.
    #[schemars(with = "Timestamp")]
    end_time: Value,
}

impl Period {
    /// Its beginning and its end as logs keep their times, with microseconds. Where a side is open, it sorts before or behind
    /// every time.
    pub fn bounds(&self) -> (String, String) {
        let moment = |value: &Value| Timestamp::parse(value.as_str()?);
        let start = moment(&self.start_time).map(Timestamp::with_microseconds);
        let end = moment(&self.end_time).map(|end| end.within_second().with_microseconds());
        (start.unwrap_or_default(), end.unwrap_or_else(|| LAST.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bounds(start: Value, end: Value) -> (String, String) {
        Period { start_time: start, end_time: end }.bounds()
    }

    #[test]
    fn a_whole_second_is_in_the_period_that_ends_with_it() {
        let (start, end) = bounds(json!("2026-03-04T05:06:07Z"), json!("2026-03-04T05:06:07Z"));
        assert_eq!((start.as_str(), end.as_str()), ("2026-03-04T05:06:07.000000Z", "2026-03-04T05:06:07.999999Z"));
        let (_, end) = bounds(Value::Null, json!("2026-03-04T05:06:07.25Z"));
        assert_eq!(end, "2026-03-04T05:06:07.250000Z");
    }

    #[test]
    fn a_side_that_is_no_time_is_open() {
        assert_eq!(bounds(json!("x"), json!(7)), (String::new(), LAST.to_owned()));
    }
}
