//! Times of a scenario: a moment, or so long after the moment at which it is loaded.

use std::fmt;

use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta, Utc};
use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A moment, or a time from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    At(DateTime<Utc>),
    FromNow(TimeDelta),
}

impl When {
    /// The moment as the API takes it.
    pub(super) fn from(self, now: DateTime<Utc>) -> String {
        let moment = match self {
            Self::At(moment) => moment,
            Self::FromNow(time) => now.checked_add_signed(time).unwrap_or(now),
        };
        moment.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    fn read(text: &str) -> Option<Self> {
        if text.starts_with(['+', '-']) {
            return from_now(text).map(Self::FromNow);
        }
        let moment = DateTime::parse_from_rfc3339(text).map(|moment| moment.to_utc()).ok();
        let day = || text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(|midnight| midnight.and_utc());
        moment.or_else(day).map(Self::At)
    }
}

/// `+7d`, `-2h`, `+30m`, `+10s`, `+1w`.
fn from_now(text: &str) -> Option<TimeDelta> {
    let unit = text.chars().next_back()?;
    let number: i64 = text.strip_suffix(unit)?.parse().ok()?;
    match unit {
        's' => TimeDelta::try_seconds(number),
        'm' => TimeDelta::try_minutes(number),
        'h' => TimeDelta::try_hours(number),
        'd' => TimeDelta::try_days(number),
        'w' => TimeDelta::try_weeks(number),
        _ => None,
    }
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Words)
    }
}

struct Words;

impl Visitor<'_> for Words {
    type Value = When;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an ISO 8601 time, or a time from now like +7d, -2h, +30m")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<When, E> {
        When::read(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_times_from_now() {
        let now = "2030-01-01T12:00:00Z".parse().unwrap();
        for (text, moment) in [
            ("+7d", "2030-01-08T12:00:00Z"),
            ("-2h", "2030-01-01T10:00:00Z"),
            ("+30m", "2030-01-01T12:30:00Z"),
            ("+10s", "2030-01-01T12:00:10Z"),
            ("-1w", "2029-12-25T12:00:00Z"),
            ("2026-03-04T05:06:07+02:00", "2026-03-04T03:06:07Z"),
            ("2026-03-04", "2026-03-04T00:00:00Z"),
        ] {
            assert_eq!(When::read(text).unwrap().from(now), moment, "{text}");
        }
        for text in ["", "7d", "+7", "+7y", "+d", "+é", "tomorrow"] {
            assert_eq!(When::read(text), None, "{text}");
        }
    }
}
