//! Who is in a write transaction, and since when: one that has had its time is taken away when others wait to write. Those
//! who wait get the lock in the order in which they came.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionState};

use crate::streams::{Stream, lock};

#[derive(Default)]
pub(crate) struct WriteLock {
    holder: Mutex<Option<Holder>>,
    queue: Mutex<VecDeque<Arc<()>>>,
}

/// A place in the queue of those who wait to write.
pub(crate) struct Turn<'a> {
    lock: &'a WriteLock,
    place: Arc<()>,
}

impl Turn<'_> {
    pub(crate) fn is_first(&self) -> bool {
        lock(&self.lock.queue).front().is_some_and(|first| Arc::ptr_eq(first, &self.place))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.lock.queue).retain(|place| !Arc::ptr_eq(place, &self.place));
    }
}

struct Holder {
    stream: Arc<Stream>,
    since: Instant,
}

impl WriteLock {
    /// The last place in the queue.
    pub(crate) fn queue_up(&self) -> Turn<'_> {
        let place = Arc::new(());
        lock(&self.queue).push_back(place.clone());
        Turn { lock: self, place }
    }

    /// Whether somebody waits to write.
    pub(crate) fn has_queue(&self) -> bool {
        !lock(&self.queue).is_empty()
    }

    /// Notes whether the stream, whose connection this is, is in a write transaction.
    pub(crate) fn note(&self, stream: &Arc<Stream>, connection: &Connection) {
        let writes = connection.transaction_state(None::<&str>).is_ok_and(|state| state == TransactionState::Write);
        let mut holder = lock(&self.holder);
        let is_noted = holder.as_ref().is_some_and(|holder| Arc::ptr_eq(&holder.stream, stream));
        if writes && !is_noted {
            *holder = Some(Holder { stream: stream.clone(), since: Instant::now() });
        } else if !writes && is_noted {
            *holder = None;
        }
    }

    /// Forgets a stream that is closed.
    pub(crate) fn forget(&self, stream: &Arc<Stream>) {
        let mut holder = lock(&self.holder);
        if holder.as_ref().is_some_and(|holder| Arc::ptr_eq(&holder.stream, stream)) {
            *holder = None;
        }
    }

    /// Rolls back the write transaction of another stream that has lasted for longer than that.
    pub(crate) fn take_from_others(&self, own: &Arc<Stream>, timeout: Duration) {
        let holder = lock(&self.holder);
        let Some(victim) = holder.as_ref().filter(|holder| holder.since.elapsed() >= timeout) else { return };
        let victim = victim.stream.clone();
        drop(holder);
        if Arc::ptr_eq(&victim, own) {
            return;
        }
        // Its statement, if one runs, ends at once.
        victim.interrupt.interrupt();
        let connection = lock(&victim.connection);
        if !connection.is_autocommit() && connection.execute_batch("ROLLBACK").is_ok() {
            victim.timed_out.store(true, Ordering::Relaxed);
        }
        drop(connection);
        self.forget(&victim);
    }
}
