//! The gate before the application: it is closed while its data are kept or replaced, with nobody inside.

use std::pin::pin;
use std::time::Duration;

use tokio::sync::{RwLock, RwLockWriteGuard};
use tokio::time::timeout;

use crate::lifetime::Lifetime;

/// The time that requests, and then the work after their responses, have to end by themselves; then they are cut off.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time for which the work after responses is waited for that is to end by itself.
const SETTLING: Duration = Duration::from_secs(15);

/// Lets requests in, or closes behind the last one.
pub(super) struct Gate {
    lock: RwLock<()>,
    lifetime: Lifetime,
}

impl Gate {
    /// The gate before the instances of that lifetime.
    pub(super) fn new(lifetime: Lifetime) -> Self {
        Self { lock: RwLock::new(()), lifetime }
    }

    /// Does `work` inside, which may have to wait until the gate is open.
    pub(super) async fn pass<T>(&self, work: impl Future<Output = T>) -> T {
        let _inside = self.lock.read().await;
        work.await
    }

    /// Waits until the requests inside have ended, and the work after their responses: what they began is written then.
    pub(super) async fn settle(&self) {
        let _closed = self.lock.write().await;
        let _in_time = self.lifetime.current().end(SETTLING).await;
        self.lifetime.renew();
    }

    /// Closes the gate until the answer is dropped. Requests have ended then, and every instance is gone with what it
    /// remembered and with its connections.
    pub(super) async fn close(&self) -> RwLockWriteGuard<'_, ()> {
        let generation = self.lifetime.current();
        let mut closing = pin!(self.lock.write());
        let closed = match timeout(PATIENCE, closing.as_mut()).await {
            Ok(closed) => closed,
            Err(_elapsed) => {
                generation.cut_off().await;
                closing.await
            }
        };
        if !generation.end(PATIENCE).await {
            generation.cut_off().await;
        }
        self.lifetime.renew();
        closed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_closes_behind_the_last_request_and_keeps_others_waiting() {
        let gate = Arc::new(Gate::new(Lifetime::default()));
        let done = Arc::new(AtomicBool::new(false));
        let (inside, finished) = (gate.clone(), done.clone());
        let request = tokio::spawn(async move {
            inside.pass(tokio::time::sleep(Duration::from_millis(50))).await;
            finished.store(true, Ordering::SeqCst);
        });
        tokio::task::yield_now().await;
        let closed = gate.close().await;
        assert!(done.load(Ordering::SeqCst));
        let waiting = timeout(Duration::from_secs(9), gate.pass(std::future::ready(())));
        assert!(waiting.await.is_err(), "somebody got in");
        drop(closed);
        gate.pass(std::future::ready(())).await;
        request.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_end_is_cut_off() {
        let lifetime = Lifetime::default();
        let gate = Gate::new(lifetime.clone());
        let generation = lifetime.current();
        let instance = generation.instances.token();
        let cut_off = generation.cutting_off.clone();
        tokio::spawn(async move {
            cut_off.cancelled().await;
            drop(instance);
        });
        drop(gate.close().await);
        assert!(generation.cutting_off.is_cancelled() && !lifetime.current().stopping.is_cancelled());
    }
}
