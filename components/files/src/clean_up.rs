//! What the tick does here: bytes that nobody can reach any more are removed.

use std::time::Instant;

use shared::background::Done;
use shared::{Context, Result, blob, files};

use crate::store::clean_up as store;

/// A deleted file's bytes are kept for so long, in seconds, in case somebody downloads them just now.
const DELETED_FILES_STAY_FOR: i64 = 24 * 3600;
/// After so long, in seconds, bytes that belong to no file were left behind by an upload that broke off.
const UPLOADS_TAKE: i64 = 24 * 3600;
/// How many are removed at once.
const BATCH: i64 = 20;

/// None of this counts as a job done: nobody has asked for it.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<Done> {
    while Instant::now() < until {
        let left = store::left_behind(&cx.db, cx.now.plus_seconds(-UPLOADS_TAKE), BATCH).await?;
        let deleted = store::deleted(&cx.db, cx.now.plus_seconds(-DELETED_FILES_STAY_FOR), BATCH).await?;
        if left.is_empty() && deleted.is_empty() {
            return Ok(Done::default());
        }
        for name in left {
            blob::delete_all(&name.blob).await?;
            files::end_bytes(&cx.db, &name.blob).await?;
        }
        for file in deleted {
            // The row forgets its bytes first: so it never names what is gone.
            if store::is_last(&cx.db, file.id, &file.blob).await? {
                blob::delete(&file.blob, file.size).await?;
            }
        }
    }
    Ok(Done { done: 0, more: true })
}
