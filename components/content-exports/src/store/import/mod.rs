//! The SQL of what a package brings: all of it is one transaction.

mod course;
mod questions;
mod quizzes;

use std::collections::BTreeMap;

use content_packages::import::Import;
use content_packages::model::Report;
use shared::ids::{AccountId, CourseId, UserId};
use shared::{Db, Error, Result, Timestamp};

use super::import_jobs::{self, Claimed};
use crate::import::texts::Texts;
use crate::jobs::Work;

/// The most issues that are kept of a package.
const MOST_ISSUES: usize = 500;

/// A file that was unpacked.
pub(crate) struct NewFile {
    /// The path of its folder below the root.
    pub(crate) folder: String,
    pub(crate) name: String,
    pub(crate) content_type: String,
    pub(crate) blob: String,
    pub(crate) size: i64,
}

/// Where things go, and when.
struct Into<'a> {
    db: &'a Db,
    course: CourseId,
    root_account: AccountId,
    user: UserId,
    now: Timestamp,
}

/// Stores what a package brings, and ends its migration.
pub(crate) async fn everything(
    work: &Work,
    migration: &Claimed,
    import: Import,
    files: BTreeMap<String, NewFile>,
    mut report: Report,
) -> Result<()> {
    let now = work.now();
    let whole = work.db.transaction(async |db| {
        let to = Into {
            db,
            course: migration.course_id,
            root_account: migration.root_account_id,
            user: migration.user_id,
            now,
        };
        let addresses = course::files(&to, files).await?;
        let mut texts = Texts { addresses: &addresses, report: &mut report };
        let Import { quizzes, banks, pages, assignments, topics, web_links, report: notes, .. } = import;
        match migration.settings.0.as_new_quizzes {
            true => quizzes::as_new(&to, quizzes, banks, &mut texts).await?,
            false => quizzes::as_classic(&to, quizzes, banks, &mut texts).await?,
        }
        course::pages(&to, pages, &mut texts).await?;
        course::assignments(&to, assignments, &mut texts).await?;
        for title in topics.into_iter().map(|topic| topic.title).chain(web_links.into_iter().map(|link| link.title)) {
            texts.report.note(title, "Discussion topics and web links are not imported");
        }
        let notes = notes.notes.iter().chain(&report.notes).take(MOST_ISSUES).map(ToString::to_string);
        import_jobs::issues(db, migration.id, "warning", notes, now).await?;
        Ok::<_, Error>(import_jobs::end(db, migration, &work.job, None, now).await?)
    });
    if whole.await? { Ok(()) } else { Err(Error::conflict("The work went on elsewhere")) }
}
