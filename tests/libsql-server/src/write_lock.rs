//! Who is in a write transaction, and since when: one that has had its time is taken away when others wait to write.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionState};

use crate::streams::{Stream, lock};

#[derive(Default)]
pub(crate) struct WriteLock(Mutex<Option<Holder>>);

struct Holder {
    stream: Arc<Stream>,
    since: Instant,
}

impl WriteLock {
    /// Notes whether the stream, whose connection this is, is in a write transaction.
    pub(crate) fn note(&self, stream: &Arc<Stream>, connection: &Connection) {
        let writes = connection.transaction_state(None::<&str>).is_ok_and(|state| state == TransactionState::Write);
        let mut holder = lock(&self.0);
        let is_noted = holder.as_ref().is_some_and(|holder| Arc::ptr_eq(&holder.stream, stream));
        if writes && !is_noted {
            *holder = Some(Holder { stream: stream.clone(), since: Instant::now() });
        } else if !writes && is_noted {
            *holder = None;
        }
    }

    /// Forgets a stream that is closed.
    pub(crate) fn forget(&self, stream: &Arc<Stream>) {
        let mut holder = lock(&self.0);
        if holder.as_ref().is_some_and(|holder| Arc::ptr_eq(&holder.stream, stream)) {
            *holder = None;
        }
    }

    /// Rolls back the write transaction of another stream that has lasted for longer than that.
    pub(crate) fn take_from_others(&self, own: &Arc<Stream>, timeout: Duration) {
        let holder = lock(&self.0);
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
