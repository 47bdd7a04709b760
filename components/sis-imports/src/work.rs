//! The work on imports: one of an account at a time, batch by batch.
//!
//! A worker has a lease of its import, which each batch renews in its own transaction. So no batch is imported twice,
//! and what a crash cuts off is taken up when the lease has run out.

pub(crate) mod archive;
pub(crate) mod prepare;
pub(crate) mod watch;

use std::time::Instant;

use shared::background::JobOutcome;
use shared::course_events::Author;
use shared::ids::SisImportId;
use shared::{Context, Db, Error, Result, Timestamp, blob, clock};
use uuid::Uuid;

use crate::model::note::Note;
use crate::rows;
use crate::store::sis_imports::{self as store, Claimed, OpenFile};
use crate::work::prepare::prepare;
use crate::work::watch::{LEASE_SECONDS, Watch};
use shared::csv::{Batch, Table};

/// The number of times that work on an import may be begun that does not move on.
const MAX_ATTEMPTS: i64 = 5;
/// An upload that has not come by then does not come any more.
const UPLOAD_SECONDS: i64 = 24 * 60 * 60;

/// Does what is due at the tick.
pub(crate) async fn jobs(cx: Context, until: Instant) -> Result<JobOutcome> {
    let done = run(&cx.db, cx.now, until).await?;
    remove_ended(&cx.db, cx.now, until).await?;
    Ok(done)
}

/// Works on imports until there is nothing to do or no time left. One that fails does not keep others from being done.
pub(crate) async fn run(db: &Db, now: Timestamp, until: Instant) -> Result<JobOutcome> {
    let (mut done, mut failed) = (0, None);
    while Instant::now() < until {
        let lease = Uuid::new_v4().to_string();
        // A lease ends by the clock on the wall, whatever a tick's clock says.
        let end = clock::now().plus_seconds(LEASE_SECONDS);
        let Some(import) = store::claim(db, &lease, now, end).await? else { break };
        if let Err(error) = work_on(db, &import, until).await {
            failed = Some(error);
        }
        done += 1;
    }
    match failed {
        Some(error) => Err(error),
        None => Ok(JobOutcome { done, more: store::any_to_do(db, now).await? }),
    }
}

async fn work_on(db: &Db, import: &Claimed, until: Instant) -> Result<()> {
    if import.attempts > MAX_ATTEMPTS {
        let why = Note::of_file(format!("The import was given up: it did not move on in {MAX_ATTEMPTS} attempts"));
        return db.transaction(async |db| Ok(store::fail(db, import, why, clock::now()).await?)).await;
    }
    if !import.prepared && !prepare(db, import).await? {
        return Ok(());
    }
    while let Some(file) = store::next_file(db, import.id).await? {
        let mut table = match Table::open(&file.blob, file.size).await? {
            Ok(table) => table,
            // It could be opened when the import was prepared.
            Err(why) => return Err(Error::internal(anyhow::anyhow!("{}: {why}", file.blob))),
        };
        table.resume(file.bytes_read, file.lines_read);
        loop {
            if Instant::now() >= until {
                return Ok(store::release(db, import).await?);
            }
            let batch = table.batch(file.kind.batch(table.columns())).await?;
            let ended = batch.is_none();
            if !commit(db, import, &file, batch).await? {
                return Ok(());
            }
            if ended {
                break;
            }
        }
    }
    store::finish(db, import, clock::now()).await?;
    remove_bytes(db, import.id, clock::now()).await
}

/// Imports a batch; the end of a file is one too. False, if the import is not ours any more.
async fn commit(db: &Db, import: &Claimed, file: &OpenFile, batch: Option<Batch>) -> Result<bool> {
    let whole = (file.size, file.lines_read);
    let (rows, unreadable, read) = match batch {
        Some(batch) => (batch.rows, batch.unreadable, (batch.bytes_read, batch.lines_read)),
        None => (Vec::new(), Vec::new(), whole),
    };
    let passwords = rows::passwords(db, import, file.kind, &rows, &mut Watch::new(db, import)).await?;
    let author = Author::import(import.user_id, import.real_user_id, import.id);
    db.transaction(async |db| {
        let now = clock::now();
        if !store::keep(db, import, now.plus_seconds(LEASE_SECONDS)).await? {
            return Ok(false);
        }
        let into = rows::Target { db, root: import.root_account_id, author: &author, now, passwords: &passwords };
        let (taken, mut notes) = rows::import(&into, file.kind, &rows, &import.options.0).await?;
        notes.extend(unreadable.into_iter().map(|(line, why)| Note::of_line(line, why)));
        let notes = notes.into_iter().map(|note| (file.name.clone(), note)).collect();
        store::add_notes(db, import.id, notes).await?;
        store::advance(db, import, file, read, taken, now).await?;
        Ok(true)
    })
    .await
}

/// Forgets the bytes of imports that have ended.
async fn remove_ended(db: &Db, now: Timestamp, until: Instant) -> Result<()> {
    while Instant::now() < until
        && let Some(id) = store::ended(db, now.plus_seconds(-UPLOAD_SECONDS)).await?
    {
        remove_bytes(db, id, now).await?;
    }
    Ok(())
}

async fn remove_bytes(db: &Db, id: SisImportId, now: Timestamp) -> Result<()> {
    if let Some(upload) = store::upload(db, id).await? {
        blob::delete_below(&upload).await?;
        blob::delete(&upload, 0).await?;
    }
    Ok(store::cleaned_up(db, id, now).await?)
}
