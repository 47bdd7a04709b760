//! When a delivery that failed is tried again, and when a receiver is given up.
//!
//! Source: the schedule that Standard Webhooks suggests.

use shared::clock::{DAY, HOUR, MINUTE};
use shared::retries::Schedule;

/// About 75 hours together. The first attempt is made at once.
const WAITS: [i64; 9] = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

pub(super) const SCHEDULE: Schedule = Schedule { waits: &WAITS, shorter: 10, longer: 0 };

/// A receiver that fails for so long is disabled. Its failures are then further apart than a bad night: the first and the
/// latest of them by all of this time.
pub(super) const GIVEN_UP_AFTER: i64 = 5 * DAY;
