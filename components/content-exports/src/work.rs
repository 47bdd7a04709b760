//! The lease of a job: whose turn it is, and how far the work has come.

use std::cell::Cell;
use std::time::{Duration, Instant};

use shared::ids::ProgressId;
use shared::notify::Notifier;
use shared::{Context, Db, Error, Result, Timestamp, progress};

use crate::store::jobs as store;

/// The time for which nobody else works on what somebody has begun, in seconds, unless that is renewed.
pub(crate) const LEASE: i64 = 30;

/// The number of times that it is tried to make a package, or to read one.
pub(crate) const ATTEMPTS: i64 = 3;

/// The number of times that this may be begun: an attempt that ends without a word, as when its process is killed, is seldom
/// the fault of the work.
pub(crate) const MAX_BEGINNINGS: i64 = 10;

/// The time until work is begun again that ended because a server was away, in seconds.
pub(crate) const OUTAGE_PAUSE: i64 = 10;

/// Whose turn it is: the lease of a job, and how far its work has come.
pub(crate) struct Work {
    pub(crate) db: Db,
    pub(crate) job: store::Job,
    pub(crate) progress: ProgressId,
    pub(crate) clock: Clock,
    pub(crate) all: Cell<u64>,
    pub(crate) done: Cell<u64>,
    pub(crate) told: Cell<Instant>,
    pub(crate) notifier: Notifier,
}

/// The time of the request that began the work, going on.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    pub(crate) began: Instant,
    pub(crate) at: Timestamp,
}

impl Clock {
    pub(crate) fn new(at: Timestamp) -> Self {
        Self { began: Instant::now(), at }
    }

    pub(crate) fn now(self) -> Timestamp {
        self.at.plus(self.began.elapsed())
    }
}

/// The interval at which the progress is written.
const PACE: Duration = Duration::from_millis(200);

impl Work {
    pub(crate) async fn new(cx: &Context, job: store::Job, progress: ProgressId, clock: Clock) -> Result<Self> {
        let (all, done, told) = (Cell::new(1), Cell::new(0), Cell::new(Instant::now()));
        let notifier = Notifier::of_job(cx).await?;
        Ok(Self { db: cx.db.clone(), job, progress, clock, all, done, told, notifier })
    }

    /// The moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Tells how much there is to do, in bytes or what is worth as much.
    pub(crate) fn expect(&self, all: u64) {
        self.all.set(all.max(1));
    }

    /// Tells that so much more is done, and renews the lease from time to time; an error where somebody else has it.
    pub(crate) async fn advance(&self, more: u64) -> Result<()> {
        self.done.set(self.done.get().saturating_add(more));
        if self.told.get().elapsed() < PACE {
            return Ok(());
        }
        self.told.set(Instant::now());
        let now = self.now();
        if !store::renew(&self.db, &self.job, now.plus_seconds(LEASE)).await? {
            return Err(Error::conflict("The work went on elsewhere"));
        }
        // The last hundredth is the package itself.
        let (done, all) = (self.done.get().min(self.all.get()), self.all.get());
        let percent = u32::try_from(done.saturating_mul(99).checked_div(all).unwrap_or_default()).unwrap_or(99);
        Ok(progress::advance(&self.db, self.progress, f64::from(percent), now).await?)
    }
}
