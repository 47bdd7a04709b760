//! The work itself: what is to be written stands in a row, which is a job (`shared::leases`). So every report ends: with a file,
//! or with the reason why there is none. What is read is read in batches and written piece by piece, so that memory does not grow
//! with the number of attempts.

use std::rc::Rc;
use std::time::Instant;

use shared::background::{self, JobOutcome};
use shared::clock::RunningClock;
use shared::error::Kind;
use shared::ids::QuizReportId;
use shared::leases::{HeldJob, LEASE, Lease, MAX_BEGINNINGS, new_token, went_on_elsewhere};
use shared::{Context, Db, Result, Timestamp, blob};
use submissions::quizzes::Quizzes;

use crate::report::{Claimed, WrittenReport};
use crate::sheet::{self, Cell};
use crate::store;

/// The most characters of a title in the name of a file.
const MAX_TITLE_CHARS: usize = 100;

/// A report that is being written: its file grows from its beginning to its end.
pub struct Work {
    /// The database.
    pub db: Db,
    /// The report.
    pub report: Rc<Claimed>,
    job: Rc<HeldJob>,
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
        self.job.advance(done.try_into().unwrap_or_default(), all.try_into().unwrap_or_default()).await
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
    let clock = RunningClock::new(cx.now);
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
    let clock = RunningClock::new(cx.now);
    make_next(cx, quizzes, Some(id), clock, &make).await.map(drop)
}

/// Makes the report of that id, or the oldest; false where there is none to make.
async fn make_next(
    cx: &Context,
    quizzes: Quizzes,
    id: Option<QuizReportId>,
    clock: RunningClock,
    make: &impl AsyncFn(&mut Work) -> Result<()>,
) -> Result<bool> {
    let (token, now) = (new_token(), clock.now());
    let Some(report) = store::claim(&cx.db, quizzes, id, &token, now.plus_seconds(LEASE), now).await? else {
        return Ok(false);
    };
    let lease = Lease::new(store::REPORTS, report.id.0, token);
    if report.attempts > MAX_BEGINNINGS {
        fail(&cx.db, &report, &lease, "The report was interrupted too often", now).await?;
        return Ok(true);
    }
    let job = Rc::new(HeldJob::new(&cx.db, lease, report.progress_id, clock));
    let report = Rc::new(report);
    let Err(error) = Box::pin(made(&cx.db, &report, &job, make)).await else { return Ok(true) };
    background::log_text(&format!("quiz report {}: {error}", report.id));
    let (lease, now) = (job.lease(), job.now());
    match error.kind() {
        // What the report asks for is at fault, and will be the next time.
        Kind::BadRequest(reason) => fail(&cx.db, &report, lease, reason, now).await?,
        _ if job.put_back(report.attempts, &error).await? => {}
        _ => fail(&cx.db, &report, lease, "The report could not be made", now).await?,
    }
    // An attempt that went wrong is left to the tick, so that it is not tried over and over at once.
    Ok(false)
}

/// Writes the report and keeps its file.
async fn made(
    db: &Db,
    report: &Rc<Claimed>,
    job: &Rc<HeldJob>,
    make: &impl AsyncFn(&mut Work) -> Result<()>,
) -> Result<()> {
    let name = blob::new_name("file");
    let blob = blob::Writer::new(&name).await?;
    let mut work = Work { db: db.clone(), report: Rc::clone(report), job: Rc::clone(job), blob };
    make(&mut work).await?;
    let size = i64::try_from(work.blob.finish().await?).unwrap_or(i64::MAX);
    let content_type = report.format.content_type();
    let written = WrittenReport { name: file_name(report), content_type, blob: name, size };
    let kept = db.transaction(async |db| {
        if !store::complete(db, report, job.lease(), &written, job.now()).await? {
            return Err(went_on_elsewhere());
        }
        Ok(blob::keep(db, &written.blob).await?)
    });
    let kept: Result<()> = kept.await;
    if kept.as_ref().is_err_and(|error| !error.is_in_doubt()) {
        // Nothing names it: if it cannot be removed now, the tick does it.
        background::log_if_failed(blob::delete(&written.blob, usize::try_from(size).unwrap_or_default()).await);
    }
    kept
}

async fn fail(db: &Db, report: &Claimed, lease: &Lease, reason: &str, now: Timestamp) -> Result<()> {
    let ended = db.transaction(async |db| store::fail(db, report, lease, reason, now).await);
    Ok(ended.await?)
}

/// The title of the quiz and the type of the report, without what file systems do not like.
fn file_name(report: &Claimed) -> String {
    let is_odd = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let title: String = report.title.chars().map(|c| if is_odd(c) { '_' } else { c }).take(MAX_TITLE_CHARS).collect();
    format!("{} {} Report.{}", title.trim(), report.report_type.readable(), report.format.name())
}
