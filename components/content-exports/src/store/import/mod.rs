//! The SQL of what a package brings: all of it is one transaction, in which only rows are written that are ready, many in
//! a statement. Others who write wait for its end.

mod attachments;
mod classic;
mod course;
mod engine;

use serde::Deserialize;
use shared::db::{self, Bind, IdRow, Value};
use shared::files;
use shared::ids::{AccountId, AttachmentId, CourseId, FolderId, UserId};
use shared::live_events::{self, Cause};
use shared::{Db, Error, Timestamp};

use crate::bytes::{self, Unnamed};
use crate::import::places::Folder;
use crate::import::prepare::Prepared;
use crate::import::quizzes::Quizzes;
use crate::import::references::{Places, Settled};
use crate::import::rows::Rows;
use crate::import::stop::Stop;
use crate::store::import_jobs::owner;
use crate::store::import_jobs::tell;
use crate::store::import_jobs::{self, Claimed};
use crate::work::Work;

/// The place of things, and the moment.
struct Into<'a> {
    db: &'a Db,
    course: CourseId,
    root_account: AccountId,
    user: UserId,
    now: Timestamp,
}

/// The folder into which the files of a package go.
pub(crate) struct Top {
    /// `None`: the root.
    folder: Option<FolderId>,
    /// The depth at which it lies: 0 for the root.
    pub(crate) depth: usize,
}

/// The folder into which the files go; `None` where it is there no more.
pub(crate) async fn top(db: &Db, migration: &Claimed) -> db::Result<Option<Top>> {
    #[derive(Deserialize)]
    struct DepthRow {
        depth: usize,
    }
    let Some(folder) = migration.settings.0.folder_id else { return Ok(Some(Top { folder: None, depth: 0 })) };
    let found: Option<DepthRow> = db
        .fetch(
            "WITH RECURSIVE up (id, parent, depth) AS (
                 SELECT id, parent_folder_id, 0 FROM folders
                 WHERE id = ?1 AND context_type = 'Course' AND context_id = ?2 AND workflow_state = 'visible'
                 UNION ALL
                 SELECT f.id, f.parent_folder_id, up.depth + 1 FROM folders f JOIN up ON f.id = up.parent
             )
             SELECT depth FROM up ORDER BY depth DESC LIMIT 1",
            (folder, migration.course_id),
        )
        .await?;
    Ok(found.map(|found| Top { folder: Some(folder), depth: found.depth }))
}

/// Refuses so many bytes of files more than the course takes. Files that were deleted count, too, until their bytes are
/// gone: they may have as much again. So a package that comes again and again does not fill the disk.
pub(crate) async fn require_room(db: &Db, course: CourseId, bytes: i64) -> Result<(), Stop> {
    #[derive(Deserialize)]
    struct Used {
        available: i64,
        stored: i64,
    }
    let used: Used = db
        .fetch_one(
            "SELECT ifnull(sum(iif(workflow_state = 'available', size, 0)), 0) AS available,
                    ifnull(sum(iif(blob <> '', size, 0)), 0) AS stored
             FROM attachments WHERE context_type = 'Course' AND context_id = ?1",
            (course,),
        )
        .await?;
    let quota = files::quota().await?;
    let fits =
        used.available.saturating_add(bytes) <= quota && used.stored.saturating_add(bytes) <= quota.saturating_mul(2);
    if fits { Ok(()) } else { Err(Stop::refused("The files of the package have no room in the course")) }
}

/// Sets so many ids of files aside, and tells the first.
pub(crate) async fn reserve_ids(db: &Db, count: usize) -> Result<i64, Error> {
    #[derive(Deserialize)]
    struct Reserved {
        last_id: i64,
    }
    let count = i64::try_from(count).map_err(Error::internal)?;
    // The package is a file itself: the row is there.
    let sql = "UPDATE sqlite_sequence SET seq = seq + ?1 WHERE name = 'attachments' RETURNING seq AS last_id";
    let Reserved { last_id } = db.fetch_one(sql, (count,)).await?;
    Ok(last_id.saturating_sub(count).saturating_add(1))
}

/// Stores what a package brings, and ends its migration.
pub(crate) async fn everything(
    work: &Work,
    migration: &Claimed,
    top: Top,
    folders: Vec<Folder>,
    prepared: Prepared,
    written: &Unnamed,
    cause: Option<&Cause>,
) -> Result<(), Stop> {
    let now = work.now();
    let Prepared { files, first_file, pages, mut assignments, mut quizzes, marks, mut notes } = prepared;
    let count = files.len();
    let sizes = files.iter().map(|file| file.size).fold(0, i64::saturating_add);
    let package = work.db.transaction(async |db| {
        let to = Into {
            db,
            course: migration.course_id,
            root_account: migration.root_account_id,
            user: migration.user_id,
            now,
        };
        let Some(package) = import_jobs::end(db, migration, work.job.lease(), None, now).await? else {
            return Err(Stop::Failed(Error::conflict("The work went on elsewhere")));
        };
        // Others may have uploaded since it was looked at.
        require_room(db, to.course, sizes).await?;
        let top = attachments::top(&to, top.folder, owner(migration)).await?;
        let folders = attachments::folders(&to, top, &folders).await?;
        attachments::files(&to, top, &folders, files, first_file).await?;
        if let Some(cause) = cause {
            let ids: Vec<_> = (first_file..).take(count).map(AttachmentId).collect();
            live_events::attachments_created(db, cause, to.course, &ids).await?;
        }
        written.keep(db).await?;
        let mut pages = course::placed(&to, pages).await?;
        let first = first_ids(db, &quizzes, &assignments).await?;
        if let Some(marks) = marks {
            let FirstIds { assignment, classic_quiz, new_quiz } = first;
            let places = Places { pages: pages.urls(), assignment, classic_quiz, new_quiz };
            let settled = Settled::new(marks, places);
            quizzes.settle(&settled);
            pages.settle(&settled);
            assignments.settle(&settled);
        }
        let Quizzes { classic, new } = quizzes;
        if let Some(rows) = classic {
            classic::store(&to, rows, first.classic_quiz).await?;
        }
        if let Some(rows) = new {
            engine::store(&to, rows, first.new_quiz).await?;
        }
        notes.extend(course::pages(&to, pages).await?);
        course::assignments(&to, assignments, first.assignment).await?;
        import_jobs::issues(db, migration.id, "warning", notes, now).await?;
        tell(db, &work.notifier.at(now), migration, "migration_import_finished").await?;
        if migration.brings_files_alone() {
            import_jobs::tell_of_files(db, &work.notifier, migration, top, count, now).await?;
        }
        Ok(package)
    });
    let package = package.await?;
    bytes::remove(&package).await;
    Ok(())
}

/// The first ids of what comes.
#[derive(Default)]
struct FirstIds {
    assignment: i64,
    classic_quiz: i64,
    new_quiz: i64,
}

/// Sets ids aside: links of texts need them before the rows are there. The assignments that classic quizzes get come first,
/// as many as there may be, and then those of new quizzes.
async fn first_ids(db: &Db, quizzes: &Quizzes, assignments: &Rows) -> db::Result<FirstIds> {
    #[derive(Deserialize)]
    struct Free {
        assignment: i64,
        quiz: i64,
    }
    if quizzes.classic.is_none() && quizzes.new.is_none() && assignments.count() == 0 {
        return Ok(FirstIds::default());
    }
    let sql = "SELECT 1 + ifnull((SELECT max(id) FROM assignments), 0) AS assignment,
            1 + ifnull((SELECT max(id) FROM quizzes), 0) AS quiz";
    let free: Free = db.fetch_one(sql, ()).await?;
    let classic = quizzes.classic.as_ref().map_or(0, |rows| rows.quizzes.count());
    let new = quizzes.new.as_ref().map_or(0, |rows| rows.quizzes.count());
    let new_quiz = free.assignment.saturating_add(classic);
    Ok(FirstIds { assignment: new_quiz.saturating_add(new), classic_quiz: free.quiz, new_quiz })
}

/// Executes a statement for all rows: `?1` is a list of them, the other values follow.
async fn for_all(db: &Db, rows: Rows, sql: &str, others: Vec<Value>) -> db::Result<()> {
    for list in rows.into_lists() {
        let mut values = vec![list.value()];
        values.extend(others.iter().cloned());
        db.execute(sql, values).await?;
    }
    Ok(())
}

/// The first id of a table that is free, and was never given to another row where the table remembers that.
async fn free_id(db: &Db, table: &str, remembers: bool) -> db::Result<i64> {
    let last = match remembers {
        true => format!("SELECT seq FROM sqlite_sequence WHERE name = '{table}'"),
        false => format!("SELECT max(id) FROM {table}"),
    };
    let free: IdRow<i64> = db.fetch_one(&format!("SELECT 1 + ifnull(({last}), 0) AS id"), ()).await?;
    Ok(free.id)
}
