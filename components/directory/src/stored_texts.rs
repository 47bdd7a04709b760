//! Texts of courses that were stored before they were sanitized: once, by the tick.

use std::time::Instant;

use shared::background::JobOutcome;
use shared::rich_text;
use shared::{Context, Error, Result};

use crate::store::stored_texts::{self as store, Texts};

/// The number of courses that one transaction changes, so that others wait for no more than that.
const BATCH: i64 = 20;

/// The work of the tick here.
pub(crate) async fn run(cx: Context, until: Instant) -> Result<JobOutcome> {
    let mut done: i64 = 0;
    while Instant::now() < until {
        // Most of the time there is nothing, and others may want to write.
        if !store::is_any_left(&cx.db).await? {
            return Ok(JobOutcome { done, more: false });
        }
        let batch = cx.db.transaction(async |db| {
            let courses = store::next(db, BATCH).await?;
            for course in &courses {
                let clean = Texts {
                    public_description: course.public_description.as_deref().map(clean),
                    syllabus_body: course.syllabus_body.as_deref().map(clean),
                    ..*course
                };
                store::replace(db, clean).await?;
            }
            Ok::<_, Error>(courses.len())
        });
        done = done.saturating_add(i64::try_from(batch.await?).unwrap_or(i64::MAX));
    }
    Ok(JobOutcome { done, more: true })
}

/// A text that is not taken as rich text is shown as it is.
fn clean(html: &str) -> String {
    rich_text::sanitize(html)
        .unwrap_or_else(|_refusal| html.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_rich_text_becomes_text() {
        assert_eq!(clean("<p onclick=\"alert(1)\">x</p>"), "<p>x</p>");
        assert!(clean(&"<div>".repeat(10_000)).starts_with("&lt;div&gt;&lt;div&gt;"));
    }
}
