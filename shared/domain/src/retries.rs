//! When is tried again what somebody else did not take: a message, a delivery, a report.

use types::clock::{DAY, Timestamp};
use uuid::Uuid;

/// The longest that somebody can ask us to wait, in seconds.
const MAX_WAIT: i64 = DAY;

/// The waits between attempts.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// The seconds from an attempt to the next, for the first failure, the second, and so on. After the last it is given up.
    pub waits: &'static [i64],
    /// By how many percent a wait may be shorter, so that what failed together does not come back together.
    pub shorter: i64,
    /// By how many percent it may be longer.
    pub longer: i64,
}

impl Schedule {
    /// Waits that are neither shorter nor longer.
    pub const fn exact(waits: &'static [i64]) -> Self {
        Self { waits, shorter: 0, longer: 0 }
    }

    /// The seconds until the next attempt, after so many; `None`: it is given up. `asked` is what the receiver asks for.
    pub fn wait(self, attempts: i64, asked: Option<i64>) -> Option<i64> {
        let [dice, ..] = Uuid::new_v4().into_bytes();
        self.thrown(attempts, asked, dice)
    }

    fn thrown(self, attempts: i64, asked: Option<i64>, dice: u8) -> Option<i64> {
        let all = i64::from(u8::MAX);
        let wait = self.waits.get(usize::try_from(attempts.checked_sub(1)?).ok()?)?;
        let part = all * (100 - self.shorter) + (self.shorter + self.longer) * i64::from(dice);
        // Rounded up: a wait of seconds is not to be shorter by a whole one.
        let wait = wait.saturating_mul(part).saturating_add(100 * all - 1) / (100 * all);
        Some(wait.max(asked.unwrap_or_default().min(MAX_WAIT)))
    }
}

/// The seconds from now that the header `Retry-After` asks for, as a number or as a date.
pub fn retry_after(header: &str, now: Timestamp) -> Option<i64> {
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

    const WAITS: [i64; 2] = [30, 36_000];

    #[test]
    fn waits_keep_within_their_limits_and_end() {
        let waits = |attempts| {
            let schedule = Schedule { waits: &WAITS, shorter: 20, longer: 20 };
            [0, u8::MAX].map(|dice| schedule.thrown(attempts, None, dice))
        };
        assert_eq!((waits(1), waits(2)), ([Some(24), Some(36)], [Some(28_800), Some(43_200)]));
        assert_eq!((waits(0), waits(3)), ([None, None], [None, None]));
        let five = Schedule { waits: &[5], shorter: 10, longer: 0 };
        assert_eq!([0, u8::MAX].map(|dice| five.thrown(1, None, dice)), [Some(5), Some(5)]);
        for dice in 0..=u8::MAX {
            assert_eq!(Schedule::exact(&WAITS).thrown(1, None, dice), Some(30));
            let shorter = Schedule { waits: &WAITS, shorter: 10, longer: 0 }.thrown(2, None, dice);
            assert!(shorter.is_some_and(|wait| (32_400..=36_000).contains(&wait)), "{dice}: {shorter:?}");
        }
    }

    #[test]
    fn who_asks_for_time_gets_it_within_a_day() {
        let wait = |attempts, asked| Schedule::exact(&WAITS).wait(attempts, Some(asked));
        assert_eq!((wait(1, 300), wait(2, 300), wait(1, -1)), (Some(300), Some(36_000), Some(30)));
        assert_eq!(wait(1, i64::MAX), Some(MAX_WAIT));
    }

    #[test]
    fn what_is_asked_for_is_a_number_or_a_date() {
        let now = Timestamp::parse("2015-10-21T07:27:00Z").unwrap();
        assert_eq!(retry_after("120", now), Some(120));
        assert_eq!(retry_after("Wed, 21 Oct 2015 07:28:00 GMT", now), Some(60));
        assert_eq!(retry_after("Wed, 21 Oct 2015 07:26:00 GMT", now), Some(0));
        assert_eq!(retry_after("99999999", now), Some(MAX_WAIT));
        for other in ["-1", "soon", "", "1.5"] {
            assert_eq!(retry_after(other, now), None, "{other}");
        }
    }
}
