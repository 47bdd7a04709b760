//! When a message is tried again.

/// Seconds from an attempt to the next, for the first failure, the second, and so on. After the last it is given up.
const PAUSES: [i64; 8] = [30, 120, 600, 1_800, 7_200, 18_000, 36_000, 36_000];

/// A transport may ask us to wait no longer than this.
const MAX_WAIT: i64 = 24 * 60 * 60;

/// By how many percent a pause is longer or shorter, so that what failed together does not come back together.
const JITTER: i64 = 20;

/// Seconds until the next attempt, after so many; `None`: it is given up. `asked` is what the transport asks for, `dice`
/// any number.
pub(crate) fn pause(attempts: i64, asked: Option<i64>, dice: u8) -> Option<i64> {
    let pause = PAUSES.get(usize::try_from(attempts.saturating_sub(1)).ok()?)?;
    let percent = 100 - JITTER + 2 * JITTER * i64::from(dice) / i64::from(u8::MAX);
    let pause = pause * percent / 100;
    Some(pause.max(asked.unwrap_or_default().min(MAX_WAIT)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_within_their_jitter_and_end() {
        assert_eq!((pause(1, None, 0), pause(1, None, 255)), (Some(24), Some(36)));
        assert_eq!((pause(8, None, 0), pause(8, None, 255)), (Some(28_800), Some(43_200)));
        let pauses: Vec<_> = (1..).map_while(|attempts| pause(attempts, None, 128)).collect();
        assert_eq!(pauses.len(), PAUSES.len());
        assert!(pauses.is_sorted());
        assert_eq!((pause(9, None, 0), pause(0, None, 0)), (None, None));
    }

    #[test]
    fn a_transport_that_asks_for_time_gets_it_within_a_day() {
        assert_eq!(pause(1, Some(300), 0), Some(300));
        assert_eq!(pause(8, Some(300), 0), Some(28_800));
        assert_eq!(pause(1, Some(i64::MAX), 0), Some(MAX_WAIT));
    }
}
