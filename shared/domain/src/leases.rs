//! Jobs that are rows: whoever works on one holds its lease, and renews it while the work goes on.
//!
//! Where a lease ends because everything ended, the tick lets somebody else begin again, a few times; where a server was away, as
//! often as that happens within a day. So every job ends.

use std::cell::Cell;
use std::time::{Duration, Instant};

use database::Db;
use types::clock::{DAY, RunningClock, Timestamp};
use types::ids::ProgressId;
use uuid::Uuid;
use web::error::{Error, Result};

use crate::progress;

/// The time for which nobody else works on what somebody has begun, in seconds, unless that is renewed.
pub const LEASE: i64 = 30;
/// The number of times that a job is begun, whatever has ended the work before: that it ends without a word, as when its process is
/// killed, is seldom the fault of the job.
pub const MAX_BEGINNINGS: i64 = 5;
/// The time until work is begun again that ended because a server was away, in seconds.
const OUTAGE_PAUSE: i64 = 10;
/// The time until work is begun again that has failed, in seconds: whoever has just seen it fail does not begin again at once.
const FAILURE_PAUSE: i64 = 1;
/// The interval at which the progress is written, and the lease renewed.
const PACE: Duration = Duration::from_millis(200);

/// A table of jobs, with the columns `lease`, `leased_until` and `attempts`, the number of beginnings.
#[derive(Debug, Clone, Copy)]
pub struct Jobs {
    /// Its name.
    pub table: &'static str,
    /// The state, in `workflow_state`, of a job that somebody works on.
    pub at_work: &'static str,
    /// The column that tells since when a job could be done.
    pub since: &'static str,
}

/// The lease of a job.
#[derive(Debug, Clone)]
pub struct Lease {
    jobs: Jobs,
    job: i64,
    token: String,
}

/// What tells a lease from others of the same job.
pub fn new_token() -> String {
    Uuid::new_v4().simple().to_string()
}

impl Lease {
    /// The lease of a job that was claimed with that token.
    pub fn new(jobs: Jobs, job: i64, token: String) -> Self {
        Self { jobs, job, token }
    }

    /// Keeps the job until then; false where somebody else has it, or it has ended.
    pub async fn renew(&self, db: &Db, until: Timestamp) -> database::Result<bool> {
        let Jobs { table, at_work, .. } = self.jobs;
        let sql = format!(
            "UPDATE {table} SET leased_until = ?3
             WHERE id = ?1 AND lease = ?2 AND workflow_state = '{at_work}' RETURNING id"
        );
        db.affects(&sql, (self.job, self.token.as_str(), until)).await
    }

    /// Lets somebody else begin after a pause. This beginning does not count, because a server was away, unless the job has had a
    /// day.
    pub async fn postpone(&self, db: &Db, now: Timestamp) -> database::Result<()> {
        let Jobs { table, at_work, since } = self.jobs;
        let sql = format!(
            "UPDATE {table} SET leased_until = ?3, attempts = max(attempts - ({since} > ?4), 0)
             WHERE id = ?1 AND lease = ?2 AND workflow_state = '{at_work}'"
        );
        let until = now.plus_seconds(OUTAGE_PAUSE);
        db.execute(&sql, (self.job, self.token.as_str(), until, now.plus_seconds(-DAY))).await
    }
}

/// A job that is worked on: its lease, and how far its work has come.
pub struct HeldJob {
    db: Db,
    lease: Lease,
    progress: ProgressId,
    clock: RunningClock,
    told: Cell<Instant>,
}

impl HeldJob {
    /// The job of that lease, whose work begins.
    pub fn new(db: &Db, lease: Lease, progress: ProgressId, clock: RunningClock) -> Self {
        Self { db: db.clone(), lease, progress, clock, told: Cell::new(Instant::now()) }
    }

    /// The lease.
    pub fn lease(&self) -> &Lease {
        &self.lease
    }

    /// The moment.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Tells how much of the work is done, and renews the lease, from time to time.
    ///
    /// # Errors
    /// Somebody else has the job, or it has ended.
    pub async fn advance(&self, done: u64, all: u64) -> Result<()> {
        if self.told.get().elapsed() < PACE {
            return Ok(());
        }
        self.told.set(Instant::now());
        let now = self.now();
        if !self.lease.renew(&self.db, now.plus_seconds(LEASE)).await? {
            return Err(went_on_elsewhere());
        }
        // The last hundredth is what comes of the work.
        let percent = done.min(all).saturating_mul(99).checked_div(all).unwrap_or_default();
        let percent = f64::from(u32::try_from(percent).unwrap_or(99));
        Ok(progress::advance(&self.db, self.progress, percent, now).await?)
    }

    /// Lets somebody else begin again after that error. False where the job was begun too often, counting this time: it is to be
    /// given up.
    pub async fn put_back(&self, beginnings: i64, error: &Error) -> database::Result<bool> {
        if error.is_outage() {
            self.lease.postpone(&self.db, self.now()).await?;
            return Ok(true);
        }
        if beginnings >= MAX_BEGINNINGS {
            return Ok(false);
        }
        self.lease.renew(&self.db, self.now().plus_seconds(FAILURE_PAUSE)).await?;
        Ok(true)
    }
}

/// The error of work whose job somebody else has.
pub fn went_on_elsewhere() -> Error {
    Error::conflict("The work went on elsewhere")
}
