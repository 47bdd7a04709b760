//! One transaction of an instance at a time, in the order in which they came.
//!
//! Without this, the requests of an instance would wait for one another inside SQLite, which looks for the lock on the
//! file ever more rarely and lets nobody go first. Tasks of one instance cannot wake each other on this platform, so a
//! task looks again itself, the more rarely the more are before it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use spin_sdk::time;

const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(1);

thread_local! {
    static QUEUE: RefCell<VecDeque<u64>> = const { RefCell::new(VecDeque::new()) };
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// A place in the queue; it is given up when this is dropped.
pub(super) struct Turn(u64);

/// Waits until no request that came before is in a transaction.
pub(super) async fn take() -> Turn {
    let turn = Turn(LAST.get().wrapping_add(1));
    LAST.set(turn.0);
    QUEUE.with_borrow_mut(|queue| queue.push_back(turn.0));
    while let Some(before) = turn.before() {
        time::sleep(LOOK_AGAIN_AFTER * before).await;
    }
    turn
}

impl Turn {
    /// The number of those before it; `None` when it is its turn.
    fn before(&self) -> Option<u32> {
        let place = QUEUE.with_borrow(|queue| queue.iter().position(|place| *place == self.0));
        place.and_then(|place| place.try_into().ok()).filter(|before| *before > 0)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        QUEUE.with_borrow_mut(|queue| queue.retain(|place| *place != self.0));
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;

    #[test]
    fn who_came_first_is_first_and_leaves_the_place_to_the_next() {
        let first = block_on(take());
        let second = Turn(first.0 + 1);
        let third = Turn(first.0 + 2);
        QUEUE.with_borrow_mut(|queue| queue.extend([second.0, third.0]));
        assert_eq!((first.before(), second.before(), third.before()), (None, Some(1), Some(2)));
        drop(second);
        assert_eq!(third.before(), Some(1));
        drop(first);
        assert_eq!(third.before(), None);
    }
}
