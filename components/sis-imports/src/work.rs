//! The work on imports: one of an account at a time, batch by batch.
//!
//! A worker has a lease of its import, which each batch renews in its own transaction. So no batch is imported twice,
//! and what a crash cuts off is taken up when the lease has run out.

pub(crate) mod archive;
pub(crate) mod differences;
pub(crate) mod errors;
pub(crate) mod files;
pub(crate) mod prepare;
pub(crate) mod removal;
pub(crate) mod restoration;
pub(crate) mod table;
pub(crate) mod target;
pub(crate) mod watch;

use std::time::Instant;

use shared::background::JobOutcome;
use shared::clock::DAY;
use shared::ids::SisImportId;
use shared::leases::{MAX_BEGINNINGS, new_token};
use shared::{Context, Db, Result, Timestamp, background, blob, clock};

use crate::model::note::Note;
use crate::store::files::{self as stored, ImportBytes};
use crate::store::restorations;
use crate::store::sis_imports::{self as store, Claimed};
use crate::work::prepare::prepare;
use crate::work::watch::LEASE_SECONDS;

/// An upload that has not come by then does not come any more.
const UPLOAD_SECONDS: i64 = DAY;
/// For how long the files of an import are kept, and how records were before it.
const RESTORABLE_SECONDS: i64 = 30 * DAY;

/// Does what is due at the tick. Ended imports are cleared up even where work on others has failed.
pub(crate) async fn jobs(cx: Context, until: Instant) -> Result<JobOutcome> {
    let done = run(&cx.db, cx.now, until).await;
    let removed = remove_ended(&cx.db, cx.now, until).await;
    match done {
        Ok(done) => removed.map(|()| done),
        Err(error) => {
            background::log_if_failed(removed);
            Err(error)
        }
    }
}

/// Works on imports until there is nothing to do or no time left. One that fails does not keep others from being done, nor
/// states from being restored: the first failure is returned at the end, and the log has the others.
pub(crate) async fn run(db: &Db, now: Timestamp, until: Instant) -> Result<JobOutcome> {
    let (mut done, mut failed) = (0, None);
    while Instant::now() < until {
        let lease = new_token();
        // A lease ends by the clock on the wall, whatever a tick's clock says.
        let end = clock::now().plus_seconds(LEASE_SECONDS);
        let import = match store::claim(db, &lease, now, end).await {
            Ok(Some(import)) => import,
            Ok(None) => break,
            Err(error) => {
                background::keep_first(&mut failed, error.into());
                break;
            }
        };
        if let Err(error) = work_on(db, &import, until).await {
            if error.is_outage() {
                background::log_if_failed(import.lease().postpone(db, clock::now()).await);
            }
            background::keep_first(&mut failed, error);
        }
        done += 1;
    }
    while Instant::now() < until {
        match restoration::restore_next(db, now, until).await {
            Ok(true) => done += 1,
            Ok(false) => break,
            Err(error) => {
                background::keep_first(&mut failed, error);
                break;
            }
        }
    }
    match failed {
        Some(error) => Err(error),
        None => Ok(JobOutcome { done, more: any_to_do(db, now).await? }),
    }
}

async fn any_to_do(db: &Db, now: Timestamp) -> Result<bool> {
    Ok(store::any_to_do(db, now).await? || restorations::any_to_do(db, now).await?)
}

async fn work_on(db: &Db, import: &Claimed, until: Instant) -> Result<()> {
    if import.attempts > MAX_BEGINNINGS {
        let why = Note::of_file(format!("The import was given up: it did not move on in {MAX_BEGINNINGS} attempts"));
        return db.transaction(async |db| Ok(store::fail(db, import, why, clock::now()).await?)).await;
    }
    if !import.prepared && !prepare(db, import).await? {
        return Ok(());
    }
    if !do_steps(db, import, until).await? {
        return Ok(store::release(db, import).await?);
    }
    // Whoever sees that the import has ended finds the file there.
    errors::keep(db, import.id).await?;
    db.transaction(async |db| store::finish(db, import, clock::now()).await).await?;
    remove_bytes(db, import.id, clock::now()).await
}

/// The steps of an import, each of which goes on where it was left. False, if one of them is not at its end: there is no
/// time left, or the import is not ours any more.
async fn do_steps(db: &Db, import: &Claimed, until: Instant) -> Result<bool> {
    if !differences::count(db, import, until).await? {
        return Ok(false);
    }
    let standing = store::standing(db, import.id).await?;
    Ok(files::import_files(db, import, &standing, until).await?
        && differences::end(db, import, &standing, until).await?
        && removal::remove_unnamed(db, import, &standing, until).await?)
}

/// Forgets the uploads of imports that have ended, and after a while their files, and how records were before them.
async fn remove_ended(db: &Db, now: Timestamp, until: Instant) -> Result<()> {
    while Instant::now() < until
        && let Some(id) = stored::ended(db, now.plus_seconds(-UPLOAD_SECONDS)).await?
    {
        remove_bytes(db, id, now).await?;
    }
    let oldest = now.plus_seconds(-RESTORABLE_SECONDS);
    while Instant::now() < until
        && let Some(id) = restorations::outdated(db, oldest).await?
    {
        if !restorations::forget_some(db, id).await? {
            remove_files(db, id).await?;
            restorations::forgotten(db, id).await?;
        }
    }
    Ok(())
}

/// Removes the upload, and the files with passwords. A CSV file that was sent by itself is the upload, and stays.
async fn remove_bytes(db: &Db, id: SisImportId, now: Timestamp) -> Result<()> {
    let Some(ImportBytes { upload, kept, secret, .. }) = stored::bytes(db, id).await? else { return Ok(()) };
    errors::keep(db, id).await?;
    for file in &secret.0 {
        blob::delete(file, 0).await?;
    }
    if let Some(upload) = upload.filter(|upload| !kept.0.contains(upload)) {
        // Somebody may still be unpacking it.
        if kept.0.is_empty() {
            blob::abandon_below(&upload).await?;
        }
        blob::delete(&upload, 0).await?;
    }
    Ok(stored::cleaned_up(db, id, now).await?)
}

async fn remove_files(db: &Db, id: SisImportId) -> Result<()> {
    let Some(ImportBytes { kept, secret, errors, .. }) = stored::bytes(db, id).await? else { return Ok(()) };
    for file in kept.0.iter().chain(&secret.0).chain(&errors) {
        blob::delete(file, 0).await?;
    }
    Ok(stored::files_removed(db, id).await?)
}
