//! How many requests are worked on at the same time; others wait, in the order in which they came.
//!
//! Each request that is worked on has an instance to itself, of three megabytes. Where hundreds came at once, hundreds of
//! instances would take turns on a few cores: they would push one another out of the processor's caches until nothing got
//! done, and take gigabytes.
//!
//! Reads and writes are counted apart, because writes wait for one another and reads for nobody. Who takes long waits for something
//! else (a slow client, a model, another request of the application), and is counted no more.

use std::pin::pin;
use std::time::Duration;

use http::Method;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Requests for each core, where the database is a file: with fewer, a core is idle while one waits for the disk.
const PER_CORE: usize = 8;
/// The same where each statement waits for a server.
const PER_CORE_WITH_SERVER: usize = 64;
/// The time for which a request counts.
const COUNTED: Duration = Duration::from_millis(100);

/// Lets requests begin.
pub(crate) struct Admission {
    reads: Semaphore,
    writes: Semaphore,
}

/// The number of reads, and of writes, for this machine.
pub(crate) fn usual_limit(with_server: bool) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores * if with_server { PER_CORE_WITH_SERVER } else { PER_CORE }
}

impl Admission {
    /// So many reads, and so many writes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { reads: Semaphore::new(limit), writes: Semaphore::new(limit) }
    }

    /// Does the work of a request when it is its turn.
    pub(crate) async fn admit<T>(&self, method: &Method, work: impl Future<Output = T>) -> T {
        let of_kind = if method.is_safe() { &self.reads } else { &self.writes };
        let permit = of_kind.acquire().await;
        let mut work = pin!(work);
        match timeout(COUNTED, &mut work).await {
            Ok(done) => done,
            Err(_takes_long) => {
                drop(permit);
                work.await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn who_comes_first_begins_first() {
        let admission = Admission::new(1);
        let (done, waits) = tokio::sync::oneshot::channel::<()>();
        let mut first = pin!(admission.admit(&Method::GET, waits));
        let mut second = pin!(admission.admit(&Method::GET, ready("second")));
        let mut third = pin!(admission.admit(&Method::HEAD, ready("third")));
        assert!(first.as_mut().now_or_never().is_none());
        assert!(second.as_mut().now_or_never().is_none());
        assert!(third.as_mut().now_or_never().is_none());
        done.send(()).unwrap();
        first.await.unwrap();
        assert!(third.as_mut().now_or_never().is_none());
        assert_eq!(second.await, "second");
        assert_eq!(third.await, "third");
    }

    #[tokio::test]
    async fn reads_do_not_wait_for_writes() {
        let admission = Admission::new(1);
        let mut write = pin!(admission.admit(&Method::POST, pending::<()>()));
        assert!(write.as_mut().now_or_never().is_none());
        assert_eq!(admission.admit(&Method::GET, ready(1)).await, 1);
        assert!(admission.admit(&Method::PUT, ready(2)).now_or_never().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_long_for_who_takes_long() {
        let admission = Admission::new(1);
        let long = admission.admit(&Method::GET, pending::<()>());
        let short = admission.admit(&Method::GET, ready("short"));
        tokio::select! {
            biased;
            () = long => panic!("it is never done"),
            done = short => assert_eq!(done, "short"),
        }
    }

    #[tokio::test]
    async fn who_goes_away_leaves_the_turn_to_the_next() {
        let admission = Admission::new(1);
        let mut gone = Box::pin(admission.admit(&Method::GET, pending::<()>()));
        assert!(gone.as_mut().now_or_never().is_none());
        drop(gone);
        assert_eq!(admission.admit(&Method::GET, ready(1)).now_or_never(), Some(1));
    }
}
