//! The work itself: what is to be exported stands in a row, and whoever takes it holds a lease.
//!
//! A lease is renewed while the work goes on. Where it ends because everything ended, the tick lets somebody else begin
//! again, a few times; where a server was away, as often as that happens within a day. So every export ends: with a package,
//! or with the reason why there is none.

use std::time::Instant;

use shared::background::JobOutcome;
use shared::ids::ContentExportId;
use shared::notify::{News, Notifier, Recipients};
use shared::{Context, Db, Error, Result, background};
use uuid::Uuid;

use crate::bytes::{self, Unnamed};
use crate::model::exports::ExportType;
use crate::model::exports::WrittenPackage;
use crate::package::{self, Outcome};
use crate::store::due::is_due;
use crate::store::import_jobs;
use crate::store::jobs::{self as store, Claimed, JobChoice};
use crate::work::{ATTEMPTS, Clock, LEASE, MAX_BEGINNINGS, OUTAGE_PAUSE, Work};
use crate::{imports, limits};

/// The work of the tick: the jobs that nobody works on, and the packages whose time is over.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    if !is_due(&cx.db, cx.now).await? {
        return Ok(JobOutcome { done: 0, more: false });
    }
    store::expire(&cx.db, cx.now).await?;
    import_jobs::expire(&cx.db, cx.now).await?;
    let clock = Clock::new(cx.now);
    let mut done = 0;
    while Instant::now() < until {
        match claimed(&cx, JobChoice::Any, clock).await? {
            Some((export, job)) => work_on(&cx, export, job, clock).await?,
            None if imports::work_on_next(&cx, clock).await? => {}
            None => return Ok(JobOutcome { done, more: false }),
        }
        done += 1;
    }
    Ok(JobOutcome { done, more: is_due(&cx.db, clock.now()).await? })
}

/// Makes the package of one export, if nobody else does, and then those that its user waits for: one at a time.
pub(crate) async fn run_export(cx: Context, id: ContentExportId) -> Result<()> {
    let clock = Clock::new(cx.now);
    let mut next = JobChoice::One(id);
    while let Some((export, job)) = claimed(&cx, next, clock).await? {
        next = JobChoice::NextOf(export.user_id);
        work_on(&cx, export, job, clock).await?;
    }
    Ok(())
}

async fn claimed(cx: &Context, which: JobChoice, clock: Clock) -> Result<Option<(Claimed, store::Job)>> {
    let lease = Uuid::new_v4().simple().to_string();
    let now = clock.now();
    let claimed = store::claim(&cx.db, which, &lease, now.plus_seconds(LEASE), now).await?;
    Ok(claimed.map(|export| {
        let job = store::Job::Export(export.id, lease);
        (export, job)
    }))
}

async fn work_on(cx: &Context, export: Claimed, job: store::Job, clock: Clock) -> Result<()> {
    if export.attempts > MAX_BEGINNINGS {
        return failed(cx, &export, &job, "The export was interrupted too often", clock).await;
    }
    let work = Work::new(cx, job, export.progress_id, clock).await?;
    let mut written = Unnamed::default();
    let mut is_in_doubt = false;
    let ended = match Box::pin(package::make(&work, &export, &mut written)).await {
        Ok(Outcome::Made(made)) => {
            let completed = completed(cx, &export, &work, made, &written).await;
            is_in_doubt = completed.as_ref().is_err_and(Error::is_in_doubt);
            completed.map(|()| None)
        }
        Ok(Outcome::Refused(reason)) => Ok(Some(reason)),
        Err(error) => Err(error),
    };
    if !matches!(ended, Ok(None)) && !is_in_doubt {
        written.discard().await;
    }
    let error = match ended {
        Ok(None) => return Ok(()),
        Ok(Some(reason)) => return failed(cx, &export, &work.job, &reason, clock).await,
        Err(error) => error,
    };
    background::log_failure(&error);
    if error.is_outage() {
        let now = work.now();
        return Ok(store::postpone(&cx.db, &work.job, now.plus_seconds(OUTAGE_PAUSE), now).await?);
    }
    match export.attempts < ATTEMPTS {
        true => Ok(store::release(&cx.db, &work.job, work.now()).await?),
        false => failed(cx, &export, &work.job, "The package could not be made", clock).await,
    }
}

/// The package is there: the export, its file, its progress, the message about it, and the end of older packages are one.
async fn completed(cx: &Context, export: &Claimed, work: &Work, made: WrittenPackage, written: &Unnamed) -> Result<()> {
    let now = work.now();
    let quota = limits::quota().await?;
    let whole = cx.db.transaction(async |db| {
        if !store::complete(db, export, &work.job, &made, now).await? {
            return Err(Error::conflict("The work went on elsewhere"));
        }
        written.keep(db).await?;
        let old = store::take_back(db, export.user_id, limits::MAX_KEPT_EXPORTS, quota, now).await?;
        tell(db, &work.notifier.at(now), export, "content_export_finished").await?;
        Ok(old)
    });
    let old = whole.await?;
    background::run_soon();
    bytes::remove(&old).await;
    Ok(())
}

async fn failed(cx: &Context, export: &Claimed, job: &store::Job, reason: &str, clock: Clock) -> Result<()> {
    let now = clock.now();
    let notifier = Notifier::of_job(cx).await?.at(now);
    let ended = cx.db.transaction(async |db| {
        if store::fail(db, export, job, reason, now).await? {
            tell(db, &notifier, export, "content_export_failed").await?;
        }
        Ok::<_, Error>(())
    });
    ended.await?;
    background::run_soon();
    Ok(())
}

/// Tells who asked for the export, unless that is not wanted. Of files, groups and users nobody is told.
async fn tell(db: &Db, notifier: &Notifier, export: &Claimed, name: &str) -> Result<()> {
    if export.skip_notifications || export.context_type != "Course" || export.export_type == ExportType::Zip {
        return Ok(());
    }
    let (id, course) = (export.id, &export.course_name);
    let (subject, body) = match name {
        "content_export_finished" => (
            format!("Content export finished: {course}"),
            format!("Your export {id} of {course} can be downloaded now."),
        ),
        _ => (format!("Content export failed: {course}"), format!("Your export {id} of {course} could not be made.")),
    };
    let asset = format!("content_export_{id}");
    let path = format!("/courses/{}/content_exports", export.context_id);
    let recipients = Recipients::Users(&[export.user_id]);
    let news = News { name, recipients, subject: &subject, body: &body, path: &path, asset: Some(&asset) };
    Ok(notifier.tell(db, news).await?)
}
