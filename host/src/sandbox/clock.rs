//! The sandbox's clock: the machine's time, moved, or a moment that stands still. The wall clock of all components is this one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Datelike, SecondsFormat, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use wasmtime_wasi::clocks::HostWallClock;

use crate::sandbox::reply::Problem;

/// The years that the clock can show: components count from 1970, and write years with four digits.
const YEARS: std::ops::RangeInclusive<i32> = 1970..=9999;

/// A wall clock that can be set.
#[derive(Debug, Clone, Default)]
pub struct Clock(Arc<Mutex<Reading>>);

/// How the clock tells the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// It runs so far ahead of the machine's.
    Running(TimeDelta),
    /// It stands still.
    Frozen(DateTime<Utc>),
}

impl Default for Reading {
    fn default() -> Self {
        Self::Running(TimeDelta::zero())
    }
}

/// The time as the API of the sandbox tells it.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    pub(super) now: String,
    /// How far the clock is ahead of the machine's.
    offset_seconds: i64,
    is_frozen: bool,
}

/// A change of the clock.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    now: Option<String>,
    advance_seconds: Option<i64>,
    is_frozen: Option<bool>,
}

impl Clock {
    /// The present moment of the sandbox.
    pub(super) fn moment(&self) -> DateTime<Utc> {
        self.reading().now()
    }

    pub(super) fn is_frozen(&self) -> bool {
        matches!(self.reading(), Reading::Frozen(_))
    }

    /// How it tells the time, to be set again later.
    pub(super) fn reading(&self) -> Reading {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, reading: Reading) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = reading;
    }

    pub(super) fn show(&self) -> Shown {
        let reading = self.reading();
        let now = reading.now();
        let ahead = now.signed_duration_since(Utc::now());
        // Rounded: a moment lies between the two looks at the machine's clock.
        let offset_seconds = ahead.num_milliseconds().saturating_add(500).div_euclid(1000);
        Shown { now: text(now), offset_seconds, is_frozen: matches!(reading, Reading::Frozen(_)) }
    }

    /// Sets the clock as asked.
    pub(super) fn change(&self, change: &Change) -> Result<(), Problem> {
        let before = self.reading();
        let moment = match (&change.now, change.advance_seconds) {
            (Some(_), Some(_)) => {
                return Err(Problem::of_field("advance_seconds", "cannot stand together with now"));
            }
            (Some(now), None) => {
                let moment = DateTime::parse_from_rfc3339(now);
                moment.map_err(|_error| wrong("now", "is not an ISO 8601 time like 2030-01-01T00:00:00Z"))?.to_utc()
            }
            (None, Some(seconds)) => {
                let moment = TimeDelta::try_seconds(seconds).and_then(|by| before.now().checked_add_signed(by));
                moment.ok_or_else(|| wrong("advance_seconds", TOO_FAR))?
            }
            (None, None) if change.is_frozen.is_none() => {
                return Err(Problem::bad_request("now, advance_seconds or is_frozen is needed"));
            }
            (None, None) => before.now(),
        };
        if !YEARS.contains(&moment.year()) {
            return Err(wrong(if change.now.is_some() { "now" } else { "advance_seconds" }, TOO_FAR));
        }
        self.set(match change.is_frozen.unwrap_or(matches!(before, Reading::Frozen(_))) {
            true => Reading::Frozen(moment),
            false => Reading::Running(moment.signed_duration_since(Utc::now())),
        });
        Ok(())
    }
}

const TOO_FAR: &str = "leads out of the years 1970 to 9999";

fn wrong(field: &str, rule: &str) -> Problem {
    Problem::of_field(field, rule)
}

impl Reading {
    fn now(self) -> DateTime<Utc> {
        match self {
            Self::Running(ahead) => Utc::now().checked_add_signed(ahead).unwrap_or(DateTime::<Utc>::MAX_UTC),
            Self::Frozen(moment) => moment,
        }
    }
}

/// A moment as the API of the sandbox writes it.
pub(super) fn text(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

impl HostWallClock for Clock {
    fn resolution(&self) -> Duration {
        Duration::from_micros(1)
    }

    fn now(&self) -> Duration {
        // Before 1970 there is nothing.
        self.moment().signed_duration_since(DateTime::UNIX_EPOCH).to_std().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(clock: &Clock, change: serde_json::Value) -> Result<(), Problem> {
        clock.change(&serde_json::from_value(change).unwrap())
    }

    #[test]
    fn it_runs_from_the_moment_that_it_is_set_to() {
        let clock = Clock::default();
        changed(&clock, serde_json::json!({ "now": "2030-01-01T00:00:00Z" })).unwrap();
        let shown = clock.show();
        assert!(shown.now.starts_with("2030-01-01T00:00:00") && !shown.is_frozen, "{shown:?}");
        assert!(clock.moment() > "2030-01-01T00:00:00Z".parse::<DateTime<Utc>>().unwrap());
        changed(&clock, serde_json::json!({ "advance_seconds": 86400 })).unwrap();
        assert!(clock.show().now.starts_with("2030-01-02T00:00:0"));
    }

    #[test]
    fn a_frozen_clock_stands_until_it_is_moved_and_runs_on_from_there() {
        let clock = Clock::default();
        changed(&clock, serde_json::json!({ "now": "2031-05-06T07:08:09Z", "is_frozen": true })).unwrap();
        assert_eq!(clock.show().now, "2031-05-06T07:08:09.000Z");
        changed(&clock, serde_json::json!({ "advance_seconds": -9 })).unwrap();
        assert_eq!((clock.show().now.as_str(), clock.is_frozen()), ("2031-05-06T07:08:00.000Z", true));
        assert_eq!(HostWallClock::now(&clock).as_secs(), 1_935_817_680);
        changed(&clock, serde_json::json!({ "is_frozen": false })).unwrap();
        assert!(clock.show().now.starts_with("2031-05-06T07:08:00") && !clock.is_frozen());
    }

    #[test]
    fn changes_that_say_nothing_or_too_much_are_refused() {
        let clock = Clock::default();
        for wrong in [
            serde_json::json!({}),
            serde_json::json!({ "now": "tomorrow" }),
            serde_json::json!({ "now": "2030-01-01T00:00:00Z", "advance_seconds": 1 }),
            serde_json::json!({ "advance_seconds": i64::MAX }),
            serde_json::json!({ "advance_seconds": -9_000_000_000_i64 }),
        ] {
            assert!(changed(&clock, wrong.clone()).is_err(), "{wrong}");
        }
        assert_eq!(clock.reading(), Reading::default());
        assert!(serde_json::from_str::<Change>(r#"{"frozen":true}"#).is_err());
    }
}
