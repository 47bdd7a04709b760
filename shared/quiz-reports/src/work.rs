//! The work itself: what is to be written stands in a row, and whoever takes it holds a lease.
//!
//! A lease is renewed while the work goes on. Where it ends because everything ended, the tick lets somebody begin again; so
//! every report ends: with a file, or with the reason why there is none. What is read is read in batches and written piece by
//! piece, so that memory does not grow with the number of attempts.

use std::cell;
use std::time::{Duration, Instant};

use serde_json::json;
use shared::background::{self, JobOutcome};
use shared::error::Kind;
use shared::ids::QuizReportId;
use shared::{Context, Db, Error, Result, Timestamp, blob, progress};
use submissions::quizzes::Quizzes;
use uuid::Uuid;

use crate::report::{Claimed, WrittenReport};
use crate::sheet::{self, Cell};
use crate::store;

/// The time for which nobody else works on what somebody has begun, in seconds, unless that is renewed.
const LEASE: i64 = 30;
/// The number of times that a report is begun: one that ends without a word, as when its process is killed, is seldom the
/// fault of the report.
const MAX_BEGINNINGS: i64 = 5;
/// The time until work is begun again that ended because a server was away, in seconds.
const OUTAGE_PAUSE: i64 = 10;
/// The interval at which the progress is written, and the lease renewed.
const PACE: Duration = Duration::from_millis(500);
/// The most characters of a title in the name of a file.
const MAX_TITLE_CHARS: usize = 100;

/// The time of the request that began the work, going on.
#[derive(Debug, Clone, Copy)]
struct Clock {
    began: Instant,
    at: Timestamp,
}

impl Clock {
    fn now(self) -> Timestamp {
        self.at.plus_seconds(i64::try_from(self.began.elapsed().as_secs()).unwrap_or_default())
    }
}

/// A report that is being written: its file grows from its beginning to its end.
pub struct Work {
    /// The database.
    pub db: Db,
    /// The report.
    pub report: Claimed,
    lease: String,
    clock: Clock,
    told: cell::Cell<Instant>,
    blob: blob::Writer,
}

impl Work {
    /// Adds text at the end of the file.
    ///
    /// # Errors
    /// The store does not take it.
    pub async fn write(&mut self, text: &str) -> Result<()> {
        self.blob.write(text.as_bytes()).await
    }

    /// Adds a row of a table.
    ///
    /// # Errors
    /// The store does not take it.
    pub async fn write_row(&mut self, cells: &[Cell]) -> Result<()> {
        self.write(&sheet::line(cells)).await
    }

    /// Tells how much of the work is done, and renews the lease from time to time.
    ///
    /// # Errors
    /// Somebody else has the report, or it is gone.
    pub async fn advance(&self, done: i64, all: i64) -> Result<()> {
        if self.told.get().elapsed() < PACE {
            return Ok(());
        }
        self.told.set(Instant::now());
        let now = self.clock.now();
        if !store::renew(&self.db, self.report.id, &self.lease, now.plus_seconds(LEASE)).await? {
            return Err(Error::conflict("The work went on elsewhere"));
        }
        // The last hundredth is the file itself.
        let percent = done.min(all).saturating_mul(99).checked_div(all).unwrap_or_default();
        let percent = f64::from(i32::try_from(percent).unwrap_or_default());
        Ok(progress::advance(&self.db, self.report.progress_id, percent, now).await?)
    }
}

/// The work of the tick: removes what has expired, and makes what nobody makes until that moment.
///
/// # Errors
/// The database does not answer. What is wrong with a report is its own.
pub async fn run(
    cx: &Context,
    quizzes: Quizzes,
    until: Instant,
    make: impl AsyncFn(&mut Work) -> Result<()>,
) -> Result<JobOutcome> {
    if !store::is_due(&cx.db, quizzes, cx.now).await? {
        return Ok(JobOutcome { done: 0, more: false });
    }
    store::expire(&cx.db, quizzes, cx.now).await?;
    let clock = Clock { began: Instant::now(), at: cx.now };
    let mut done = 0;
    while Instant::now() < until {
        if !make_next(cx, quizzes, None, clock, &make).await? {
            return Ok(JobOutcome { done, more: false });
        }
        done += 1;
    }
    Ok(JobOutcome { done, more: true })
}

/// Makes one report, if nobody else does.
///
/// # Errors
/// See [`run`].
pub async fn run_one(
    cx: &Context,
    quizzes: Quizzes,
    id: QuizReportId,
    make: impl AsyncFn(&mut Work) -> Result<()>,
) -> Result<()> {
    let clock = Clock { began: Instant::now(), at: cx.now };
    make_next(cx, quizzes, Some(id), clock, &make).await.map(drop)
}

/// Makes the report of that id, or the oldest; false where there is none to make.
async fn make_next(
    cx: &Context,
    quizzes: Quizzes,
    id: Option<QuizReportId>,
    clock: Clock,
    make: &impl AsyncFn(&mut Work) -> Result<()>,
) -> Result<bool> {
    let lease = Uuid::new_v4().simple().to_string();
    let now = clock.now();
    let Some(report) = store::claim(&cx.db, quizzes, id, &lease, now.plus_seconds(LEASE), now).await? else {
        return Ok(false);
    };
    if report.attempts > MAX_BEGINNINGS {
        fail(&cx.db, &report, &lease, "The report was interrupted too often", now).await?;
        return Ok(true);
    }
    let name = blob::new_name("file");
    let writer = blob::Writer::new(&name).await;
    let (id, last) = (report.id, report.attempts == MAX_BEGINNINGS);
    let error = match writer {
        Ok(blob) => {
            let told = cell::Cell::new(Instant::now());
            let work = Work { db: cx.db.clone(), report, lease: lease.clone(), clock, told, blob };
            match Box::pin(made(work, name, make)).await {
                Ok(()) => return Ok(true),
                Err((report, error)) => (report, error),
            }
        }
        Err(error) => (report, error),
    };
    let (report, error) = error;
    background::log(&json!({ "background": format!("quiz report {id}: {error}") }));
    let now = clock.now();
    match error.kind() {
        // What the report asks for is at fault, and will be the next time.
        Kind::BadRequest(reason) => fail(&cx.db, &report, &lease, reason, now).await?,
        _ if error.is_outage() => store::postpone(&cx.db, id, &lease, now.plus_seconds(OUTAGE_PAUSE), now).await?,
        _ if last => fail(&cx.db, &report, &lease, "The report could not be made", now).await?,
        _ => drop(store::renew(&cx.db, id, &lease, now).await?),
    }
    // An attempt that went wrong is left to the tick, so that it is not tried over and over at once.
    Ok(false)
}

/// Writes the report and keeps its file. The report comes back with what went wrong.
async fn made(
    mut work: Work,
    name: String,
    make: &impl AsyncFn(&mut Work) -> Result<()>,
) -> std::result::Result<(), (Claimed, Error)> {
    if let Err(error) = make(&mut work).await {
        return Err((work.report, error));
    }
    let Work { db, report, lease, clock, blob, .. } = work;
    let size = match blob.finish().await {
        Ok(size) => i64::try_from(size).unwrap_or(i64::MAX),
        Err(error) => return Err((report, error)),
    };
    let (format, now) = (report.format, clock.now());
    let written = WrittenReport { name: file_name(&report), content_type: format.content_type(), blob: name, size };
    let kept = db.transaction(async |db| {
        if !store::complete(db, &report, &lease, &written, now).await? {
            return Err(Error::conflict("The work went on elsewhere"));
        }
        Ok(blob::keep(db, &written.blob).await?)
    });
    let Err(error) = kept.await else { return Ok(()) };
    if !error.is_in_doubt() {
        // Nothing names it: if it cannot be removed now, the tick does it.
        background::log_if_failed(blob::delete(&written.blob, usize::try_from(size).unwrap_or_default()).await);
    }
    Err((report, error))
}

async fn fail(db: &Db, report: &Claimed, lease: &str, reason: &str, now: Timestamp) -> Result<()> {
    let ended = db.transaction(async |db| store::fail(db, report, lease, reason, now).await);
    Ok(ended.await?)
}

/// The title of the quiz and the type of the report, without what file systems do not like.
fn file_name(report: &Claimed) -> String {
    let is_odd = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let title: String = report.title.chars().map(|c| if is_odd(c) { '_' } else { c }).take(MAX_TITLE_CHARS).collect();
    format!("{} {} Report.{}", title.trim(), report.report_type.readable(), report.format.name())
}
