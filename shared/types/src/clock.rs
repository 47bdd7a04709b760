//! Time: always UTC, always ISO 8601, in whole seconds on the wire.

use std::fmt;
use std::time::{Duration, Instant};

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, SecondsFormat, TimeDelta, TimeZone, Timelike, Utc};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The nanoseconds of a second.
const NANOS: u32 = 1_000_000_000;
/// The last second of the year 9999, in UTC.
const LAST_SECOND: i64 = 253_402_300_799;
/// The seconds of a minute.
pub const MINUTE: i64 = 60;
/// The seconds of an hour.
pub const HOUR: i64 = 60 * MINUTE;
/// The seconds of a day.
pub const DAY: i64 = 24 * HOUR;

/// A moment, written `2026-03-04T05:06:07Z`: so it sorts as text, and so it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(DateTime<Utc>);

/// The present moment.
pub fn now() -> Timestamp {
    Timestamp(Utc::now())
}

/// A moment from which the time goes on: that of the request that began some work.
#[derive(Debug, Clone, Copy)]
pub struct RunningClock {
    began: Instant,
    at: Timestamp,
}

impl RunningClock {
    /// It is that moment now.
    pub fn new(at: Timestamp) -> Self {
        Self { began: Instant::now(), at }
    }

    /// The moment.
    pub fn now(self) -> Timestamp {
        self.at.plus(self.began.elapsed())
    }
}

impl Timestamp {
    /// The moment `seconds` after the beginning of 1970 in UTC; `None` beyond the years that can be written.
    pub fn from_unix(seconds: i64) -> Option<Self> {
        Utc.timestamp_opt(seconds, 0).single().and_then(Self::of)
    }

    /// Years of another length would be written in another form, and would not sort as text. No clock that reads our times
    /// knows a 61st second: it is the one before it.
    fn of(moment: DateTime<Utc>) -> Option<Self> {
        let is_written = (0..=9999).contains(&moment.year());
        let moment = if moment.nanosecond() < NANOS { moment } else { moment.with_nanosecond(NANOS - 1)? };
        is_written.then_some(Self(moment))
    }

    /// The last moment that can be written.
    fn last() -> Self {
        Self(DateTime::from_timestamp(LAST_SECOND, NANOS - 1).unwrap_or(DateTime::<Utc>::MAX_UTC))
    }

    /// Seconds since the beginning of 1970 in UTC, rounded down.
    pub fn unix(self) -> i64 {
        self.0.timestamp()
    }

    /// Reads ISO 8601: with an offset, without one (then it is UTC), or a date alone (its first moment). Seconds may be left out,
    /// and so may the marks between the numbers.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let moment = DateTime::parse_from_rfc3339(text).map(|moment| moment.to_utc()).ok();
        moment
            .or_else(|| text.parse::<NaiveDateTime>().ok().map(|naive| naive.and_utc()))
            .or_else(|| text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(|naive| naive.and_utc()))
            .or_else(|| in_rarer_form(text))
            .and_then(Self::of)
    }

    /// The moment `seconds` later; the last moment there is when that lies beyond it.
    pub fn plus_seconds(self, seconds: i64) -> Self {
        let delta = TimeDelta::try_seconds(seconds).unwrap_or(TimeDelta::MAX);
        self.0.checked_add_signed(delta).and_then(Self::of).unwrap_or_else(Self::last)
    }

    /// The moment that much later, with parts of a second; the last moment there is when that lies beyond it.
    pub fn plus(self, time: Duration) -> Self {
        let delta = TimeDelta::from_std(time).unwrap_or(TimeDelta::MAX);
        self.0.checked_add_signed(delta).and_then(Self::of).unwrap_or_else(Self::last)
    }

    /// The last moment of the second, where that is all that is said of it.
    pub fn within_second(self) -> Self {
        let last = self.0.with_nanosecond(NANOS - 1).filter(|_| self.0.nanosecond() == 0);
        last.map_or(self, Self)
    }

    /// The moment written with its microseconds: `2026-03-04T05:06:07.000008Z`. So it sorts as text among its like.
    pub fn with_microseconds(self) -> String {
        self.0.to_rfc3339_opts(SecondsFormat::Micros, true)
    }

    /// The moment written with its milliseconds: `2026-03-04T05:06:07.008Z`.
    pub fn with_milliseconds(self) -> String {
        self.0.to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    fn with_seconds(self) -> String {
        self.0.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// The moment as chrono's type, for arithmetic that this type has not.
    pub fn to_utc(self) -> DateTime<Utc> {
        self.0
    }
}

fn in_rarer_form(text: &str) -> Option<DateTime<Utc>> {
    // A blank stands before the time, or it was the plus sign of an offset in a query.
    let text = &if text.contains('T') { text.replacen(' ', "+", 1) } else { text.replacen(' ', "T", 1) };
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y%m%dT%H%M%S%.f", "%Y%m%dT%H%M"].iter().find_map(|form| {
        let with_offset = DateTime::parse_from_str(text, &format!("{form}%#z")).map(|moment| moment.to_utc());
        with_offset.or_else(|_| NaiveDateTime::parse_from_str(text, form).map(|naive| naive.and_utc())).ok()
    })
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_seconds())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.with_seconds())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TimestampVisitor)
    }
}

/// Reads a moment where it stands: rows have several, and a text of its own for each would cost as much as its reading.
struct TimestampVisitor;

impl Visitor<'_> for TimestampVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
        if text.is_empty() {
            return Err(E::custom(crate::coerce::BLANK));
        }
        Timestamp::parse(text).ok_or_else(|| E::custom("is not an ISO 8601 date and time"))
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_iso_8601_are_read_and_one_is_written() {
        let cases = [
            ("2026-03-04T05:06:07Z", "2026-03-04T05:06:07Z"),
            ("2026-03-04T05:06:07.999+02:00", "2026-03-04T03:06:07Z"),
            ("2026-03-04T05:06:07", "2026-03-04T05:06:07Z"),
            ("2026-03-04", "2026-03-04T00:00:00Z"),
            ("2026-03-04T05:06Z", "2026-03-04T05:06:00Z"),
            ("2026-03-04T05:06", "2026-03-04T05:06:00Z"),
            ("2026-03-04T05:06+02:00", "2026-03-04T03:06:00Z"),
            ("2026-03-04T05:06:07+0200", "2026-03-04T03:06:07Z"),
            ("2026-03-04T05:06:07.5-02", "2026-03-04T07:06:07Z"),
            ("2026-03-04T05:06:07 02:00", "2026-03-04T03:06:07Z"),
            ("2026-03-04 05:06:07Z", "2026-03-04T05:06:07Z"),
            ("2026-03-04 05:06", "2026-03-04T05:06:00Z"),
            ("20260304T050607Z", "2026-03-04T05:06:07Z"),
            ("20260304T0506+0200", "2026-03-04T03:06:00Z"),
            ("20260304T050607", "2026-03-04T05:06:07Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        ];
        for (given, written) in cases {
            assert_eq!(Timestamp::parse(given).map(|moment| moment.to_string()).as_deref(), Some(written), "{given}");
        }
        for text in [
            "yesterday",
            "20260304",
            "2026-03-04T05",
            "2026-03-04T05:06:07+",
            "2026-03-04T25:06Z",
            "+10000-01-01",
            "-0001-01-01",
            "0000-01-01T00:00:00+05:00",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn microseconds_are_always_six_digits() {
        for (given, written) in [
            ("2026-03-04T05:06:07Z", "2026-03-04T05:06:07.000000Z"),
            ("2026-03-04T05:06:07.0000089Z", "2026-03-04T05:06:07.000008Z"),
        ] {
            assert_eq!(Timestamp::parse(given).unwrap().with_microseconds(), written);
        }
    }

    #[test]
    fn a_time_that_passes_counts_from_the_part_of_the_second_in_which_it_began() {
        let began = Timestamp::parse("2026-03-04T05:06:07.900Z").unwrap();
        for (milliseconds, second) in [(99, 7), (100, 8), (1_099, 8), (1_100, 9)] {
            let later = began.plus(Duration::from_millis(milliseconds));
            assert_eq!(later.to_string(), format!("2026-03-04T05:06:0{second}Z"), "{milliseconds}");
        }
    }

    #[test]
    fn arithmetic_stops_at_the_last_moment() {
        let last = Timestamp::last();
        assert_eq!(last.to_string(), "9999-12-31T23:59:59Z");
        assert_eq!(now().plus_seconds(i64::MAX), last);
        assert_eq!(now().plus(Duration::MAX), last);
        assert_eq!(Timestamp::from_unix(LAST_SECOND + 1), None);
    }
}
