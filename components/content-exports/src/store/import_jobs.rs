//! The SQL of packages that come in: whose they are, and how they end.

use serde::Deserialize;
use serde_json::{Value, json};
use shared::date_shift::DateShift;
use shared::db::{self, Json};
use shared::files::{self, Owner};
use shared::ids::{AccountId, ContentMigrationId, CourseId, FolderId, ProgressId, UserId};
use shared::leases::{Jobs, Lease};
use shared::notify::{News, Notifier, Recipients};
use shared::{Db, Result, Timestamp, progress};

/// The packages that come in.
pub(crate) const IMPORTS: Jobs = Jobs { table: "content_migrations", at_work: "running", since: "started_at" };

/// A migration that is worked on.
#[derive(Deserialize)]
pub(crate) struct Claimed {
    pub(crate) id: ContentMigrationId,
    pub(crate) course_id: CourseId,
    pub(crate) root_account_id: AccountId,
    pub(crate) course_name: String,
    pub(crate) user_id: UserId,
    pub(crate) migration_type: String,
    pub(crate) settings: Json<Settings>,
    pub(crate) attachment_id: i64,
    pub(crate) progress_id: ProgressId,
    /// The number of times that it was begun, this time too.
    pub(crate) attempts: i64,
    /// True if the course was deleted since it was announced.
    pub(crate) course_is_gone: bool,
}

/// An archive whose files all become files of the course, whatever they are.
const FILES_ALONE: &str = "zip_file_importer";

impl Claimed {
    /// True if it is an archive of files.
    pub(crate) fn brings_files_alone(&self) -> bool {
        self.migration_type == FILES_ALONE
    }
}

/// The options that were asked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// True if quizzes become new quizzes, false if they become classic ones; without a word each stays what it was.
    pub(crate) as_new_quizzes: Option<bool>,
    /// The folder into which files are unpacked; `None`: the root.
    pub(crate) folder_id: Option<FolderId>,
    /// What becomes of the dates of what comes; `None`: they stay.
    pub(crate) date_shift: Option<DateShift>,
}

/// A migration `m` that nobody works on, and of whose course nobody works on another: `?1` is the moment.
const IS_FREE: &str = "m.workflow_state IN ('pre_processed', 'running') AND m.attachment_id IS NOT NULL
    AND (m.leased_until IS NULL OR m.leased_until <= ?1)
    AND NOT EXISTS (SELECT 1 FROM content_migrations o
                    WHERE o.workflow_state IN ('pre_processing', 'pre_processed', 'running')
                      AND o.course_id = m.course_id AND o.id <> m.id AND o.leased_until > ?1)";

/// Takes the oldest package that nobody works on.
pub(crate) async fn claim(db: &Db, lease: &str, until: Timestamp, now: Timestamp) -> db::Result<Option<Claimed>> {
    let sql = format!(
        "UPDATE content_migrations
         SET workflow_state = 'running', lease = ?2, leased_until = ?3, attempts = attempts + 1
         WHERE id = ({} ORDER BY m.id LIMIT 1)
         RETURNING id, course_id,
             (SELECT c.root_account_id FROM courses c WHERE c.id = course_id) AS root_account_id,
             (SELECT c.name FROM courses c WHERE c.id = course_id) AS course_name,
             (SELECT c.workflow_state = 'deleted' FROM courses c WHERE c.id = course_id) AS course_is_gone,
             user_id, migration_type, settings, attachment_id, progress_id, attempts",
        waiting()
    );
    let work = db.transaction(async |db| {
        let claimed: Option<Claimed> = db.fetch(&sql, (now, lease, until)).await?;
        if let Some(claimed) = &claimed {
            progress::begin(db, claimed.progress_id, now).await?;
        }
        Ok::<_, db::Error>(claimed)
    });
    work.await
}

/// The migrations whose packages wait for somebody to read them.
pub(super) fn waiting() -> String {
    format!(
        "SELECT m.id FROM content_migrations m
         WHERE m.workflow_state IN ('pre_processing', 'pre_processed', 'running') AND {IS_FREE}"
    )
}

/// Ends a migration, and tells the blobs that nothing names any more: its package is of no use now. `None` where somebody
/// else has it. `db` is in a transaction.
pub(crate) async fn end(
    db: &Db,
    migration: &Claimed,
    lease: &Lease,
    failure: Option<&str>,
    now: Timestamp,
) -> db::Result<Option<Vec<String>>> {
    #[derive(Deserialize)]
    struct Package {
        blob: String,
    }
    if !lease.renew(db, now).await? {
        return Ok(None);
    }
    let state = if failure.is_some() { "failed" } else { "completed" };
    db.execute(
        "UPDATE content_migrations SET workflow_state = ?2, finished_at = ?3, lease = NULL, leased_until = NULL
         WHERE id = ?1",
        (migration.id, state, now),
    )
    .await?;
    if let Some(reason) = failure {
        issues(db, migration.id, "error", [reason.to_owned()], now).await?;
    }
    progress::end(db, migration.progress_id, state, failure, now).await?;
    let package: Option<Package> =
        db.fetch("SELECT blob FROM attachments WHERE id = ?1 AND blob <> ''", (migration.attachment_id,)).await?;
    let sql = "UPDATE attachments SET workflow_state = 'deleted', blob = '', updated_at = ?2 WHERE id = ?1";
    db.execute(sql, (migration.attachment_id, now)).await?;
    let blobs: Vec<_> = package.into_iter().map(|own| own.blob).collect();
    Ok(Some(blobs))
}

/// Notes what went wrong, or was left out.
pub(crate) async fn issues(
    db: &Db,
    migration: ContentMigrationId,
    kind: &str,
    descriptions: impl IntoIterator<Item = String>,
    now: Timestamp,
) -> db::Result<()> {
    let descriptions: Vec<Value> = descriptions.into_iter().map(|text| json!(text)).collect();
    db.execute(
        "INSERT INTO migration_issues (content_migration_id, description, issue_type, created_at, updated_at)
         SELECT ?1, value, ?2, ?4, ?4 FROM json_each(?3)",
        (migration, kind, Json(Value::from(descriptions)), now),
    )
    .await
}

/// The migrations whose packages were not uploaded up to `?1`. A join would take SQLite to the index of all that were ever
/// uploaded.
pub(super) const EXPIRED: &str = "SELECT id, progress_id FROM content_migrations
    WHERE workflow_state IN ('pre_processing', 'pre_processed', 'running') AND workflow_state = 'pre_processing'
      AND (SELECT expires_at FROM uploads WHERE id = upload_id) <= ?1";

/// Ends migrations whose packages were never uploaded.
pub(crate) async fn expire(db: &Db, now: Timestamp) -> db::Result<()> {
    #[derive(Deserialize)]
    struct Expired {
        id: ContentMigrationId,
        progress_id: ProgressId,
    }
    const REASON: &str = "The package was not uploaded in time";
    let work = db.transaction(async |db| {
        let expired: Vec<Expired> = db.fetch_all(&format!("{EXPIRED} LIMIT 100"), (now,)).await?;
        for Expired { id, progress_id } in expired {
            let sql = "UPDATE content_migrations SET workflow_state = 'failed', finished_at = ?2 WHERE id = ?1";
            db.execute(sql, (id, now)).await?;
            issues(db, id, "error", [REASON.to_owned()], now).await?;
            progress::end(db, progress_id, "failed", Some(REASON), now).await?;
        }
        Ok::<_, db::Error>(())
    });
    work.await
}

/// Tells whoever asked for the import how it ended, in the transaction of its end.
pub(crate) async fn tell(db: &Db, notifier: &Notifier, migration: &Claimed, name: &str) -> Result<()> {
    let (id, course) = (migration.id, &migration.course_name);
    let (subject, body) = match name {
        "migration_import_finished" => {
            (format!("Import finished: {course}"), format!("The package of your import {id} is now part of {course}."))
        }
        _ => {
            (format!("Import failed: {course}"), format!("The package of your import {id} into {course} was refused."))
        }
    };
    let asset = format!("content_migration_{id}");
    let path = format!("/courses/{}/content_migrations", migration.course_id);
    let recipients = Recipients::Users(&[migration.user_id]);
    let news = News { name, recipients, subject: &subject, body: &body, path: &path, asset: Some(&asset) };
    Ok(notifier.tell(db, news).await?)
}

/// Tells those in the course of the files that an archive of nothing but files has brought, if students see them.
pub(crate) async fn tell_of_files(
    db: &Db,
    notifier: &Notifier,
    migration: &Claimed,
    folder: FolderId,
    count: usize,
    now: Timestamp,
) -> Result<()> {
    if count == 0 || !files::students_see(db, folder, now).await? {
        return Ok(());
    }
    let (course, name) = (migration.course_id, &migration.course_name);
    let news = News {
        name: "new_files_added",
        recipients: Recipients::Participants { course },
        subject: &format!("New files: {name}"),
        body: &format!("Files were added to {name}: {count}."),
        path: &format!("/courses/{course}/files"),
        asset: Some(&format!("content_migration_{}", migration.id)),
    };
    Ok(notifier.by(migration.user_id).at(now).tell(db, news).await?)
}

/// Whose files they become.
pub(crate) fn owner(migration: &Claimed) -> Owner {
    Owner::Course(migration.course_id)
}
