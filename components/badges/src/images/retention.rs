//! The jobs of the tick: images that nothing names any more go, and keys are sealed with the current secret.

use std::time::Instant;

use shared::background::JobOutcome;
use shared::clock::DAY;
use shared::{Context, Result, blob};

use crate::images::blob_name;
use crate::signing;
use crate::store::images as store;

/// The bytes of an image stay for so long, in seconds, in case somebody is reading them.
const UNUSED_IMAGES_STAY_FOR: i64 = DAY;
/// The most that go at once.
const BATCH: i64 = 20;

/// None of this counts as a job done: nobody has asked for it.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    signing::seal_anew(&cx).await?;
    while Instant::now() < until {
        let unused = store::unused(&cx.db, cx.now.plus_seconds(-UNUSED_IMAGES_STAY_FOR), BATCH).await?;
        if unused.is_empty() {
            return Ok(JobOutcome::default());
        }
        for image in unused {
            let blob = blob_name(&image.name);
            // The row goes first, so that it never names what is gone; the tick finds bytes that a crash leaves.
            if store::delete(&cx.db, &image.name).await? {
                blob::delete(&blob, image.size).await?;
            } else {
                store::set_used(&cx.db, &image.name).await?;
            }
        }
    }
    Ok(JobOutcome { done: 0, more: true })
}
