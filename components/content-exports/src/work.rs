//! The work on a job: whose turn it is, and how far the work has come.

use std::cell::Cell;

use shared::clock::RunningClock;
use shared::ids::ProgressId;
use shared::leases::{HeldJob, Lease};
use shared::notify::Notifier;
use shared::{Context, Db, Result, Timestamp};

/// Work that goes on.
pub(crate) struct Work {
    pub(crate) db: Db,
    pub(crate) job: HeldJob,
    pub(crate) notifier: Notifier,
    all: Cell<u64>,
    done: Cell<u64>,
}

impl Work {
    pub(crate) async fn new(cx: &Context, lease: Lease, progress: ProgressId, clock: RunningClock) -> Result<Self> {
        let job = HeldJob::new(&cx.db, lease, progress, clock);
        let notifier = Notifier::of_job(cx).await?;
        Ok(Self { db: cx.db.clone(), job, notifier, all: Cell::new(1), done: Cell::new(0) })
    }

    /// The moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.job.now()
    }

    /// Tells how much there is to do, in bytes or what is worth as much.
    pub(crate) fn expect(&self, all: u64) {
        self.all.set(all.max(1));
    }

    /// Tells that so much more is done; an error where somebody else has the job.
    pub(crate) async fn advance(&self, more: u64) -> Result<()> {
        self.done.set(self.done.get().saturating_add(more));
        self.job.advance(self.done.get(), self.all.get()).await
    }
}
