//! The work on exports: what is to be exported stands in a row, which is a job (`shared::leases`). So every export ends: with a
//! package, or with the reason why there is none.

use std::time::Instant;

use shared::background::JobOutcome;
use shared::clock::RunningClock;
use shared::ids::ContentExportId;
use shared::leases::{LEASE, Lease, MAX_BEGINNINGS, new_token, went_on_elsewhere};
use shared::notify::{News, Notifier, Recipients};
use shared::{Context, Db, Error, Result, background};

use crate::bytes::{self, Unnamed};
use crate::model::exports::ExportType;
use crate::model::exports::WrittenPackage;
use crate::package::{self, Outcome};
use crate::store::due::is_due;
use crate::store::import_jobs;
use crate::store::jobs::{self as store, Claimed, EXPORTS, JobChoice};
use crate::work::Work;
use crate::{imports, limits};

/// The work of the tick: the jobs that nobody works on, and the packages whose time is over.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    if !is_due(&cx.db, cx.now).await? {
        return Ok(JobOutcome { done: 0, more: false });
    }
    store::expire(&cx.db, cx.now).await?;
    import_jobs::expire(&cx.db, cx.now).await?;
    let clock = RunningClock::new(cx.now);
    let mut done = 0;
    while Instant::now() < until {
        match claimed(&cx, JobChoice::Any, clock).await? {
            Some((export, lease)) => work_on(&cx, export, lease, clock).await?,
            None if imports::work_on_next(&cx, clock).await? => {}
            None => return Ok(JobOutcome { done, more: false }),
        }
        done += 1;
    }
    Ok(JobOutcome { done, more: is_due(&cx.db, clock.now()).await? })
}

/// Makes the package of one export, if nobody else does, and then those that its user waits for: one at a time.
pub(crate) async fn run_export(cx: Context, id: ContentExportId) -> Result<()> {
    let clock = RunningClock::new(cx.now);
    let mut next = JobChoice::One(id);
    while let Some((export, lease)) = claimed(&cx, next, clock).await? {
        next = JobChoice::NextOf(export.user_id);
        work_on(&cx, export, lease, clock).await?;
    }
    Ok(())
}

async fn claimed(cx: &Context, which: JobChoice, clock: RunningClock) -> Result<Option<(Claimed, Lease)>> {
    let (token, now) = (new_token(), clock.now());
    let claimed = store::claim(&cx.db, which, &token, now.plus_seconds(LEASE), now).await?;
    Ok(claimed.map(|export| {
        let lease = Lease::new(EXPORTS, export.id.0, token);
        (export, lease)
    }))
}

async fn work_on(cx: &Context, export: Claimed, lease: Lease, clock: RunningClock) -> Result<()> {
    if export.attempts > MAX_BEGINNINGS {
        return failed(cx, &export, &lease, "The export was interrupted too often", clock).await;
    }
    let work = Work::new(cx, lease, export.progress_id, clock).await?;
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
        Ok(Some(reason)) => return failed(cx, &export, work.job.lease(), &reason, clock).await,
        Err(error) => error,
    };
    background::log_failure(&error);
    match work.job.put_back(export.attempts, &error).await? {
        true => Ok(()),
        false => failed(cx, &export, work.job.lease(), "The package could not be made", clock).await,
    }
}

/// The package is there: the export, its file, its progress, the message about it, and the end of older packages are one.
async fn completed(cx: &Context, export: &Claimed, work: &Work, made: WrittenPackage, written: &Unnamed) -> Result<()> {
    let now = work.now();
    let quota = limits::quota().await?;
    let whole = cx.db.transaction(async |db| {
        if !store::complete(db, export, work.job.lease(), &made, now).await? {
            return Err(went_on_elsewhere());
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

async fn failed(cx: &Context, export: &Claimed, lease: &Lease, reason: &str, clock: RunningClock) -> Result<()> {
    let now = clock.now();
    let notifier = Notifier::of_job(cx).await?.at(now);
    let ended = cx.db.transaction(async |db| {
        if store::fail(db, export, lease, reason, now).await? {
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
