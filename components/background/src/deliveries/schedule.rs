//! When a delivery that failed is tried again, and when a receiver is given up.
//!
//! Source: the schedule that Standard Webhooks suggests.

use shared::Timestamp;
use shared::clock::{DAY, HOUR, MINUTE};

/// The waits between attempts, about 75 hours together. The first attempt is made at once.
const WAITS: [i64; 9] = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

/// The longest that a receiver can ask us to wait.
const MAX_WAIT: i64 = DAY;

/// A wait is shorter by up to this part of it, so that what failed together is not tried together.
const JITTER: i64 = 10;

/// A receiver that fails for so long is disabled. Its failures are then further apart than a bad night: the first and the
/// latest of them by all of this time.
pub(super) const GIVEN_UP_AFTER: i64 = 5 * DAY;

/// When to try again after so many failed attempts; `None`: never. `random` is any number.
pub(super) fn next(failed: i64, now: Timestamp, asked: Option<i64>, random: u64) -> Option<Timestamp> {
    let index = usize::try_from(failed.checked_sub(1)?).ok()?;
    let wait = WAITS.get(index)?;
    let wait = (wait - jitter(*wait, random)).max(asked.unwrap_or(0).min(MAX_WAIT));
    Some(now.plus_seconds(wait))
}

/// Less than the tenth part of a wait.
fn jitter(wait: i64, random: u64) -> i64 {
    let most = u64::try_from(wait / JITTER).unwrap_or(0).max(1);
    i64::try_from(random % most).unwrap_or(0)
}

/// Seconds from now that the header `Retry-After` asks for, as a number or as a date.
pub(super) fn retry_after(header: &str, now: Timestamp) -> Option<i64> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<i64>() {
        return (seconds >= 0).then(|| seconds.min(MAX_WAIT));
    }
    let date = chrono::DateTime::parse_from_rfc2822(header).ok()?;
    Some(date.timestamp().saturating_sub(now.unix()).clamp(0, MAX_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix(1_000_000_000 + seconds).unwrap()
    }

    fn wait(failed: i64, asked: Option<i64>, random: u64) -> Option<i64> {
        next(failed, at(0), asked, random).map(|next| next.unix() - at(0).unix())
    }

    #[test]
    fn ten_attempts_are_made_within_about_three_days() {
        let waits: Vec<_> = (1..).map_while(|failed| wait(failed, None, 0)).collect();
        assert_eq!(waits, [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]);
        assert_eq!(wait(10, None, 0), None);
        assert_eq!(wait(0, None, 0), None);
    }

    #[test]
    fn a_wait_is_never_longer_and_little_shorter_than_planned() {
        for failed in 1..10 {
            let whole = wait(failed, None, 0).unwrap();
            for random in [1, 7, 12_345, u64::MAX] {
                let wait = wait(failed, None, random).unwrap();
                assert!(wait <= whole && wait > whole - whole / 10 - 1, "{failed}: {wait} of {whole}");
            }
        }
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_wait() {
        assert_eq!(wait(1, Some(60), 0), Some(60));
        assert_eq!(wait(2, Some(60), 0), Some(300));
        assert_eq!(wait(1, Some(i64::MAX), 0), Some(86400));
    }

    #[test]
    fn what_a_receiver_asks_for_is_a_number_or_a_date() {
        let now = Timestamp::parse("2015-10-21T07:27:00Z").unwrap();
        assert_eq!(retry_after("120", now), Some(120));
        assert_eq!(retry_after("Wed, 21 Oct 2015 07:28:00 GMT", now), Some(60));
        assert_eq!(retry_after("Wed, 21 Oct 2015 07:26:00 GMT", now), Some(0));
        assert_eq!(retry_after("99999999", now), Some(86400));
        for other in ["-1", "soon", "", "1.5"] {
            assert_eq!(retry_after(other, now), None, "{other}");
        }
    }
}
