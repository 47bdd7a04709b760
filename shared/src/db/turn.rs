//! One transaction of an instance at a time.
//!
//! Without this, the requests of an instance would wait for one another inside SQLite, which looks for the lock on the
//! file ever more rarely. Tasks of one instance cannot wake each other on this platform, so a task looks again itself.

use std::cell::Cell;
use std::time::Duration;

use spin_sdk::time;

const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(1);

thread_local! {
    static TAKEN: Cell<bool> = const { Cell::new(false) };
}

/// The right to be in a transaction; it ends when this is dropped.
pub(super) struct Turn;

/// Waits until no other request of the instance is in a transaction.
pub(super) async fn take() -> Turn {
    while TAKEN.replace(true) {
        time::sleep(LOOK_AGAIN_AFTER).await;
    }
    Turn
}

impl Drop for Turn {
    fn drop(&mut self) {
        TAKEN.set(false);
    }
}
