//! Dates of what comes into a course: shifted to the time in which that course is held, or removed.
//!
//! A course has a first and perhaps a last day; a date keeps its place between them, its day of the week, and its hour where
//! the course is. Days are those of the course's time zone, by their number from the beginning of 1970 on.

use database::Db;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::JsonSchema;
use types::clock::{DAY, Timestamp};
use types::ids::CourseId;
use web::error::{Error, Result};

use crate::time_zones;

/// The days of a week.
const WEEK: i64 = 7;

/// What becomes of the dates of what comes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DateShiftForm {
    /// True if dates are shifted.
    shift_dates: Option<bool>,
    /// The first day of the source. Without it, that of the source course.
    old_start_date: Option<String>,
    /// The last day of the source. Without it, that of the source course.
    old_end_date: Option<String>,
    /// The first day of the course. Without it, the one that it has.
    new_start_date: Option<String>,
    /// The last day of the course. Without it, the one that it has.
    new_end_date: Option<String>,
    /// Days of the week, from 0 (Sunday) on, each with the one that takes its place. Others stay what they are.
    #[schemars(with = "std::collections::BTreeMap<String, i64>")]
    day_substitutions: Value,
    /// True if dates are removed. Not together with `shift_dates`.
    remove_dates: Option<bool>,
}

/// What becomes of dates, as it is kept with the work that waits for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateShift {
    /// There are none any more.
    Remove,
    /// They lie in another time.
    Move(Move),
}

/// From which time into which dates are moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    old: Days,
    new: Days,
    /// The day of the week that each of them becomes, from Sunday on.
    weekdays: [i64; 7],
}

/// The first day, and perhaps the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Days {
    first: i64,
    last: Option<i64>,
}

/// When and where a course is held.
#[derive(Debug)]
pub struct CourseTime {
    start_at: Option<Timestamp>,
    end_at: Option<Timestamp>,
    zone: TimeZone,
}

impl CourseTime {
    /// That of a course: its own dates, or those of its term.
    pub async fn of(db: &Db, course: CourseId) -> database::Result<Self> {
        #[derive(Deserialize)]
        struct Row {
            start_at: Option<Timestamp>,
            end_at: Option<Timestamp>,
            time_zone: Option<String>,
            of_account: String,
        }
        let row: Row = db
            .fetch_one(
                "SELECT ifnull(c.start_at, t.start_at) AS start_at, ifnull(c.end_at, t.end_at) AS end_at,
                        c.time_zone, a.default_time_zone AS of_account
                 FROM courses c
                 JOIN accounts a ON a.id = c.account_id
                 LEFT JOIN enrollment_terms t ON t.id = c.enrollment_term_id
                 WHERE c.id = ?1",
                (course,),
            )
            .await?;
        let zone = time_zones::of(row.time_zone.as_deref(), &row.of_account);
        Ok(Self { start_at: row.start_at, end_at: row.end_at, zone })
    }

    fn day(&self, moment: Option<Timestamp>) -> Option<i64> {
        Some(local(moment?, &self.zone).div_euclid(DAY))
    }
}

impl DateShiftForm {
    /// What is asked for; `None`: dates stay. 400 where that cannot be done. The source is a course, or has no days that are known.
    pub fn asked(&self, source: Option<&CourseTime>, to: &CourseTime) -> Result<Option<DateShift>> {
        let weekdays = self.weekdays()?;
        let old = Named::of("old_start_date", &self.old_start_date, "old_end_date", &self.old_end_date)?;
        let new = Named::of("new_start_date", &self.new_start_date, "new_end_date", &self.new_end_date)?;
        match (self.shift_dates.unwrap_or(false), self.remove_dates.unwrap_or(false)) {
            (false, false) => Ok(None),
            (false, true) => Ok(Some(DateShift::Remove)),
            (true, false) => {
                let (old, new) = (old.days(source)?, new.days(Some(to))?);
                Ok(Some(DateShift::Move(Move { old, new, weekdays })))
            }
            (true, true) => Err(Error::bad_request("shift_dates and remove_dates exclude one another")),
        }
    }

    fn weekdays(&self) -> Result<[i64; 7]> {
        let mut weekdays = [0, 1, 2, 3, 4, 5, 6];
        let given = match &self.day_substitutions {
            Value::Null => return Ok(weekdays),
            Value::String(text) if text.trim().is_empty() => return Ok(weekdays),
            Value::Object(given) => given,
            _ => return Err(refused("day_substitutions", "must be a hash of days")),
        };
        let is_day = |day: &i64| (0..WEEK).contains(day);
        for (day, other) in given {
            let place = day.trim().parse().ok().and_then(|day: usize| weekdays.get_mut(day));
            let other = web::params::integer(other).filter(is_day);
            match (place, other) {
                (Some(place), Some(other)) => *place = other,
                _ => return Err(refused("day_substitutions", "must be a hash of days from 0 (Sunday) to 6")),
            }
        }
        Ok(weekdays)
    }
}

fn refused(name: &str, message: &str) -> Error {
    Error::bad_request(format!("date_shift_options[{name}] {message}"))
}

/// The days that are given, and their names.
struct Named {
    first: (&'static str, Option<i64>),
    last: (&'static str, Option<i64>),
}

impl Named {
    fn of(first: &'static str, start: &Option<String>, last: &'static str, end: &Option<String>) -> Result<Self> {
        Ok(Self { first: (first, day(first, start)?), last: (last, day(last, end)?) })
    }

    /// The days of a course that has others where none are given; a last one of its own that is over before the first does not count.
    fn days(&self, course: Option<&CourseTime>) -> Result<Days> {
        let own = |moment: fn(&CourseTime) -> Option<Timestamp>| course.and_then(|course| course.day(moment(course)));
        let (name, first) = self.first;
        let first = first.or_else(|| own(|course| course.start_at));
        let first = first.ok_or_else(|| refused(name, "is missing, and the course has no first day"))?;
        match self.last {
            (name, Some(last)) if last < first => Err(refused(name, "must not be before the first day")),
            (_, Some(last)) => Ok(Days { first, last: Some(last) }),
            (_, None) => Ok(Days { first, last: own(|course| course.end_at).filter(|last| *last >= first) }),
        }
    }
}

/// The day that a date names: of a moment, the one that is written there, whatever its offset is.
fn day(name: &str, given: &Option<String>) -> Result<Option<i64>> {
    let text = given.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let Some(text) = text else { return Ok(None) };
    let written = text.split_once(['T', ' ']).map_or(text, |(date, _)| date);
    match (Timestamp::parse(text), Timestamp::parse(written)) {
        (Some(_), Some(day)) => Ok(Some(day.unix().div_euclid(DAY))),
        _ => Err(refused(name, "must be a date")),
    }
}

/// Shifts the dates of what comes into one course.
#[derive(Debug)]
pub struct Shifter {
    shift: DateShift,
    zone: TimeZone,
}

impl Shifter {
    /// Where that course is.
    pub async fn of(db: &Db, shift: DateShift, course: CourseId) -> database::Result<Self> {
        Ok(Self { shift, zone: CourseTime::of(db, course).await?.zone })
    }

    /// A date as it comes. One that cannot be read stays, unless all go.
    pub fn date(&self, text: Option<String>) -> Option<String> {
        match &self.shift {
            DateShift::Remove => None,
            DateShift::Move(to) => {
                let moved = text.as_deref().and_then(Timestamp::parse).and_then(|moment| to.moment(moment, &self.zone));
                moved.map(|moment| moment.to_string()).or(text)
            }
        }
    }
}

impl Move {
    /// The moment at the same hour of the day that takes the place of its day; `None` beyond all years.
    fn moment(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let local = local(moment, zone);
        let seconds = self.day(local.div_euclid(DAY)).saturating_mul(DAY).saturating_add(local.rem_euclid(DAY));
        let there = TimeZone::UTC.to_datetime(jiff::Timestamp::from_second(seconds).ok()?);
        Timestamp::from_unix(zone.to_timestamp(there).ok()?.as_second())
    }

    /// The day of the right name at the same place between the first and the last one, or just before it, but not before the first.
    fn day(&self, day: i64) -> i64 {
        let after = day.saturating_sub(self.old.first);
        let after = match (self.old.length(), self.new.length()) {
            (Some(old), Some(new)) if old > 0 => rounded(after.saturating_mul(new), old).unwrap_or(after),
            _ => after,
        };
        let found = self.new.first.saturating_add(after);
        let wanted = usize::try_from(weekday(day)).ok().and_then(|day| self.weekdays.get(day)).copied();
        let ahead = wanted.map_or(0, |wanted| wanted.saturating_sub(weekday(found)).rem_euclid(WEEK));
        let next = found.saturating_add(ahead);
        let before = next.saturating_sub(WEEK);
        if ahead > 0 && before >= self.new.first { before } else { next }
    }
}

impl Days {
    fn length(self) -> Option<i64> {
        self.last.map(|last| last.saturating_sub(self.first))
    }
}

/// The whole number that is next to a fraction; halves go away from zero.
fn rounded(dividend: i64, divisor: i64) -> Option<i64> {
    let half = divisor.saturating_mul(dividend.signum());
    dividend.saturating_mul(2).saturating_add(half).checked_div(divisor.saturating_mul(2))
}

/// The day of the week, from 0 (Sunday) on: 1970 began on a Thursday.
fn weekday(day: i64) -> i64 {
    day.saturating_add(4).rem_euclid(WEEK)
}

/// The seconds since the beginning of 1970 by the clocks of a time zone.
fn local(moment: Timestamp, zone: &TimeZone) -> i64 {
    let offset = jiff::Timestamp::from_second(moment.unix()).map_or(0, |moment| zone.to_offset(moment).seconds());
    moment.unix().saturating_add(i64::from(offset))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn time(start: &str, end: &str, zone: &str) -> CourseTime {
        CourseTime {
            start_at: Timestamp::parse(start),
            end_at: Timestamp::parse(end),
            zone: time_zones::of(Some(zone), ""),
        }
    }

    fn asked(form: Value, source: Option<&CourseTime>, to: &CourseTime) -> Result<Option<DateShift>> {
        let form: DateShiftForm = web::params::coerce::from_value(form).unwrap();
        form.asked(source, to)
    }

    /// The dates of a course without any in UTC that becomes one in that time zone.
    fn shifted(form: Value, zone: &str, dates: &[&str]) -> Vec<String> {
        let to = time("", "", zone);
        let shifter = Shifter { shift: asked(form, None, &to).unwrap().unwrap(), zone: to.zone };
        dates.iter().map(|date| shifter.date(Some((*date).to_owned())).unwrap_or_default()).collect()
    }

    #[test]
    fn dates_keep_their_place_and_their_day_of_the_week() {
        // From a Monday to a Tuesday, and as many days.
        let form = json!({
            "shift_dates": "1", "old_start_date": "2026-01-12", "old_end_date": "2026-05-15", "new_start_date": "2026-09-01",
            "new_end_date": "2027-01-02",
        });
        let dates =
            ["2026-01-12T10:00:00Z", "2026-01-14T10:00:00Z", "2026-03-06T23:59:59Z", "2026-01-05T10:00:00Z", "soon"];
        let expected =
            ["2026-09-07T10:00:00Z", "2026-09-02T10:00:00Z", "2026-10-23T23:59:59Z", "2026-08-31T10:00:00Z", "soon"];
        assert_eq!(shifted(form, "UTC", &dates), expected);
    }

    #[test]
    fn a_longer_course_has_its_dates_farther_apart() {
        let form = json!({
            "shift_dates": true, "old_start_date": "2026-03-01", "old_end_date": "2026-03-29", "new_start_date": "2026-06-07",
            "new_end_date": "2026-08-02",
        });
        let dates = ["2026-03-01T08:00:00Z", "2026-03-15T08:00:00Z", "2026-03-29T08:00:00Z"];
        let expected = ["2026-06-07T08:00:00Z", "2026-07-05T08:00:00Z", "2026-08-02T08:00:00Z"];
        assert_eq!(shifted(form, "UTC", &dates), expected);
    }

    #[test]
    fn a_day_of_the_week_takes_the_place_of_another() {
        let form = json!({
            "shift_dates": true, "old_start_date": "2026-03-01", "new_start_date": "2026-03-08", "day_substitutions": { "1": "2", "3": 5 },
        });
        let dates = ["2026-03-02T08:00:00Z", "2026-03-04T08:00:00Z", "2026-03-05T08:00:00Z"];
        let expected = ["2026-03-10T08:00:00Z", "2026-03-13T08:00:00Z", "2026-03-12T08:00:00Z"];
        assert_eq!(shifted(form, "UTC", &dates), expected);
    }

    /// Clocks go forward on March 8, 2026; the evening belongs to the day there.
    #[test]
    fn the_hour_is_that_of_the_course() {
        let form = json!({ "shift_dates": true, "old_start_date": "2026-02-02", "new_start_date": "2026-04-06" });
        let dates = ["2026-02-03T06:59:00Z", "2026-02-02T14:00:00Z"];
        let expected = ["2026-04-07T05:59:00Z", "2026-04-06T13:00:00Z"];
        assert_eq!(shifted(form, "America/Denver", &dates), expected);
    }

    #[test]
    fn the_days_of_the_courses_stand_for_what_is_left_out() {
        let source = time("2026-01-12T06:00:00Z", "2026-05-15T06:00:00Z", "UTC");
        let to = time("2026-09-01T04:00:00Z", "", "America/Denver");
        let own = asked(json!({ "shift_dates": true }), Some(&source), &to).unwrap();
        let named = json!({ "shift_dates": true, "old_start_date": "2026-01-12T23:00:00-08:00", "old_end_date": "2026-05-15", "new_start_date": "2026-08-31 23:00" });
        assert_eq!(own, asked(named, None, &time("", "", "UTC")).unwrap());
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        let (none, to) = (time("", "", "UTC"), time("2026-09-01", "", "UTC"));
        for form in [
            json!({ "shift_dates": true }),
            json!({ "shift_dates": true, "remove_dates": true, "old_start_date": "2026-01-12" }),
            json!({ "old_start_date": "soon" }),
            json!({ "shift_dates": true, "old_start_date": "2026-01-12", "new_end_date": "2026-08-31" }),
            json!({ "day_substitutions": { "1": 7 } }),
            json!({ "day_substitutions": { "x": 1 } }),
            json!({ "day_substitutions": [1] }),
        ] {
            assert!(asked(form.clone(), Some(&none), &to).is_err(), "{form}");
        }
        for form in [json!({}), json!({ "shift_dates": false, "day_substitutions": "", "old_start_date": " " })] {
            assert_eq!(asked(form, Some(&none), &none).unwrap(), None);
        }
    }

    /// The course was held before, and its last day was left as it was.
    #[test]
    fn a_last_day_that_is_over_does_not_count() {
        let to = time("2025-09-01", "2025-12-24", "UTC");
        let form = json!({ "shift_dates": true, "old_start_date": "2026-01-12", "old_end_date": "2026-02-12", "new_start_date": "2026-09-07" });
        let Some(DateShift::Move(shift)) = asked(form, None, &to).unwrap() else { panic!() };
        assert_eq!((shift.new.last, shift.old.length()), (None, Some(31)));
    }

    #[test]
    fn a_part_of_a_day_is_rounded() {
        for (dividend, divisor, expected) in [(7, 2, 4), (-7, 2, -4), (10, 3, 3), (-10, 3, -3), (0, 5, 0)] {
            assert_eq!(rounded(dividend, divisor), Some(expected));
        }
    }

    #[test]
    fn all_dates_go_also_those_that_cannot_be_read() {
        let form = json!({ "remove_dates": "true", "new_start_date": "2026-01-12" });
        assert_eq!(shifted(form, "UTC", &["2026-03-01T08:00:00Z", "soon"]), ["", ""]);
    }
}
