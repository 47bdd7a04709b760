//! The times that requests took, as the figures that are told of them.

use std::time::Duration;

/// The times of requests, the shortest first.
pub(super) struct Outcome {
    durations: Vec<Duration>,
    elapsed: Duration,
}

impl Outcome {
    /// The outcome of requests in any order, which were made within that time.
    pub(super) fn new(mut durations: Vec<Duration>, elapsed: Duration) -> Self {
        durations.sort_unstable();
        Self { durations, elapsed }
    }

    /// All of several rounds.
    pub(super) fn together(outcomes: Vec<Self>) -> Self {
        let elapsed = outcomes.iter().map(|outcome| outcome.elapsed).sum();
        Self::new(outcomes.into_iter().flat_map(|outcome| outcome.durations).collect(), elapsed)
    }

    /// The number of requests.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.durations.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn per_second(&self) -> f64 {
        f64::from(self.count()) / self.elapsed.as_secs_f64()
    }

    /// The shortest time within which that part of the requests was answered; 100 is the longest of all.
    pub(super) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.durations.len() * percent).div_ceil(100);
        self.durations.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// The same in milliseconds.
    pub(super) fn millis(&self, percent: usize) -> f64 {
        self.percentile(percent).as_secs_f64() * 1_000.0
    }
}

/// The middle of some times.
pub(super) fn median(durations: Vec<Duration>) -> Duration {
    Outcome::new(durations, Duration::ZERO).percentile(50)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(millis: impl IntoIterator<Item = u64>) -> Outcome {
        Outcome::new(millis.into_iter().map(Duration::from_millis).collect(), Duration::from_secs(2))
    }

    #[test]
    fn a_percentile_is_a_time_that_was_measured() {
        let hundred = outcome((1..=100).rev());
        assert_eq!([50, 95, 99, 100].map(|percent| hundred.percentile(percent).as_millis()), [50, 95, 99, 100]);
        let ten = outcome(1..=10);
        assert_eq!([50, 95, 99].map(|percent| ten.percentile(percent).as_millis()), [5, 10, 10]);
        assert_eq!(outcome([7]).percentile(50), Duration::from_millis(7));
        assert_eq!(outcome([]).percentile(99), Duration::ZERO);
    }

    #[test]
    fn rounds_are_counted_together() {
        let both = Outcome::together(vec![outcome([4, 1]), outcome([3, 2])]);
        assert_eq!((both.count(), both.percentile(50)), (4, Duration::from_millis(2)));
        assert!((both.per_second() - 1.0).abs() < f64::EPSILON);
        assert_eq!(median(vec![Duration::from_secs(3), Duration::from_secs(1), Duration::from_secs(2)]).as_secs(), 2);
    }
}
