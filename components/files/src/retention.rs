//! The work of the tick here: uploads that have ended are forgotten, and bytes that nobody can reach any more are removed,
//! whichever area has stored them.

use std::time::Instant;

use shared::background::JobOutcome;
use shared::clock::{DAY, HOUR};
use shared::{Context, Result, blob, clock};

use crate::store::retention as store;

/// A deleted file's bytes are kept for so long, in seconds, in case somebody downloads them just now.
const DELETED_FILES_STAY_FOR: i64 = DAY;
/// After so long, in seconds, bytes that nothing names and nobody writes to were left behind by something that broke off.
const UNNAMED_BLOBS_STAY_FOR: i64 = HOUR;
/// The most that are removed at once.
const BATCH: i64 = 20;
/// The number of blobs that a tick looks at to find those that nothing names, and that of one look.
const SEARCHED_PARTS: usize = 4;
const SEARCHED_BLOBS: i64 = 500;

/// None of this counts as a job done: nobody has asked for it.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    let mut more = ended_uploads(&cx, until).await?;
    more |= deleted_files(&cx, until).await?;
    more |= unnamed_blobs(until).await?;
    Ok(JobOutcome { done: 0, more })
}

/// Addresses end by the real clock, whatever the tick's says.
async fn ended_uploads(cx: &Context, until: Instant) -> Result<bool> {
    let now = clock::now();
    while Instant::now() < until {
        let ended = store::ended_uploads(&cx.db, now, BATCH).await?;
        if ended.is_empty() {
            return Ok(false);
        }
        for upload in &ended {
            if let Some(name) = &upload.blob {
                blob::abandon(name).await?;
            }
        }
        store::forget_uploads(&cx.db, &ended).await?;
    }
    Ok(true)
}

async fn deleted_files(cx: &Context, until: Instant) -> Result<bool> {
    while Instant::now() < until {
        let deleted = store::deleted(&cx.db, cx.now.plus_seconds(-DELETED_FILES_STAY_FOR), BATCH).await?;
        if deleted.is_empty() {
            return Ok(false);
        }
        for file in deleted {
            // The row forgets its bytes first: so it never names what is gone.
            if store::is_last(&cx.db, file.id, &file.blob).await? {
                blob::delete(&file.blob, file.size).await?;
            }
            store::forget(&cx.db, file.id).await?;
        }
    }
    Ok(true)
}

async fn unnamed_blobs(until: Instant) -> Result<bool> {
    let before = clock::now().plus_seconds(-UNNAMED_BLOBS_STAY_FOR);
    for _ in 0..SEARCHED_PARTS {
        if Instant::now() >= until {
            return Ok(true);
        }
        if blob::delete_unnamed(before, SEARCHED_BLOBS).await? {
            break;
        }
    }
    // The rest is for the ticks to come.
    Ok(false)
}
