//! The work on packages that come in: whose turn it is, how it ends, and who is told.

use shared::clock::RunningClock;
use shared::leases::{LEASE, Lease, MAX_BEGINNINGS, new_token};
use shared::live_events::Cause;
use shared::{Context, Error, Result, background};

use crate::bytes;
use crate::import;
use crate::import::stop::Outcome;
use crate::store::import_jobs::{self as store, Claimed, IMPORTS, tell};
use crate::work::Work;

/// Works on the oldest package that nobody works on; false where there is none.
pub(crate) async fn work_on_next(cx: &Context, clock: RunningClock) -> Result<bool> {
    let (token, now) = (new_token(), clock.now());
    let Some(migration) = store::claim(&cx.db, &token, now.plus_seconds(LEASE), now).await? else {
        return Ok(false);
    };
    let lease = Lease::new(IMPORTS, migration.id.0, token);
    let work = Work::new(cx, lease, migration.progress_id, clock).await?;
    if migration.attempts > MAX_BEGINNINGS {
        failed(cx, &migration, &work, "The import was interrupted too often").await?;
        return Ok(true);
    }
    let cause = Cause::of_job_if_known(cx, migration.user_id, migration.root_account_id).await?;
    match Box::pin(import::run(&work, &migration, cause.as_ref())).await {
        Ok(Outcome::Stored) => background::run_soon(),
        Ok(Outcome::Refused(reason)) => failed(cx, &migration, &work, &reason).await?,
        Err(error) => {
            background::log_failure(&error);
            if !work.job.put_back(migration.attempts, &error).await? {
                failed(cx, &migration, &work, "The package could not be imported").await?;
            }
        }
    }
    Ok(true)
}

async fn failed(cx: &Context, migration: &Claimed, work: &Work, reason: &str) -> Result<()> {
    let now = work.now();
    let ended = cx.db.transaction(async |db| {
        let package = store::end(db, migration, work.job.lease(), Some(reason), now).await?;
        if package.is_some() {
            tell(db, &work.notifier.at(now), migration, "migration_import_failed").await?;
        }
        Ok::<_, Error>(package.unwrap_or_default())
    });
    let package = ended.await?;
    background::run_soon();
    bytes::remove(&package).await;
    Ok(())
}
