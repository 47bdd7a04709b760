//! The SQL of content migrations.

use serde::Deserialize;
use serde_json::json;
use shared::auth::CourseAccess;
use shared::date_shift::DateShift;
use shared::db::{IdRow, Json};
use shared::ids::{ContentMigrationId, CourseId, FolderId, ProgressId, UploadId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::pagination::Key;
use shared::prefetch::{List, Pages};
use shared::{Db, Error, Result, Timestamp, db};

/// The most packages of a course, and of a user, that have not ended.
const MAX_PENDING_PACKAGES: i64 = 10;

/// A migration as it is stored, with the name of the course that it copies.
#[derive(Deserialize)]
pub(crate) struct Migration {
    pub(crate) id: ContentMigrationId,
    pub(crate) course_id: CourseId,
    pub(crate) user_id: UserId,
    pub(crate) migration_type: String,
    pub(crate) workflow_state: String,
    pub(crate) source_course_id: Option<CourseId>,
    pub(crate) source_course_name: Option<String>,
    pub(crate) progress_id: Option<ProgressId>,
    pub(crate) migration_issues_count: i64,
    pub(crate) started_at: Timestamp,
    pub(crate) finished_at: Option<Timestamp>,
}

const SELECT: &str = "SELECT m.id, m.course_id, m.user_id, m.migration_type, m.workflow_state, m.source_course_id,
        c.name AS source_course_name, m.progress_id,
        (SELECT count(*) FROM migration_issues i WHERE i.content_migration_id = m.id) AS migration_issues_count,
        m.started_at, m.finished_at
    FROM content_migrations m LEFT JOIN courses c ON c.id = m.source_course_id";

/// The migrations of the course that is needed.
pub(crate) struct Migrations;

impl List for Migrations {
    type Row = Migration;
    const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Lookup::new(format!("{SELECT} WHERE m.course_id = (caller.needed ->> 'id')"), ()))
    }
}

/// That of the path.
impl Record for Migration {
    const IDS: &'static [&'static str] = &["content_migrations"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: ContentMigrationId = path.id("content_migrations")?;
        Ok(Lookup::new(format!("{SELECT} WHERE m.id = ?1 AND m.course_id = (caller.needed ->> 'id')"), (id,)))
    }
}

pub(crate) async fn migration(db: &Db, course: CourseId, id: ContentMigrationId) -> db::Result<Option<Migration>> {
    db.fetch(&format!("{SELECT} WHERE m.course_id = ?1 AND m.id = ?2"), (course, id)).await
}

/// A package that will be uploaded.
pub(crate) struct NewPackage<'a> {
    pub(crate) user: UserId,
    pub(crate) migration_type: &'a str,
    pub(crate) as_new_quizzes: Option<bool>,
    /// Into which files are unpacked; `None`: the root.
    pub(crate) folder: Option<FolderId>,
    pub(crate) date_shift: Option<&'a DateShift>,
}

/// True if the course has that folder.
pub(crate) async fn has_folder(db: &Db, course: CourseId, folder: FolderId) -> db::Result<bool> {
    let sql = "SELECT 1 AS found FROM folders
        WHERE id = ?1 AND context_type = 'Course' AND context_id = ?2 AND workflow_state = 'visible'";
    db.affects(sql, (folder, course)).await
}

/// 409 where the course, or the user, has as many packages that have not ended as they may have.
pub(crate) async fn require_few_pending(db: &Db, course: CourseId, user: UserId, now: Timestamp) -> Result<()> {
    #[derive(Deserialize)]
    struct Pending {
        most: i64,
    }
    // One that did not come while its address was good has ended, whether that is noted already or not.
    let pending: Pending = db
        .fetch_one(
            "SELECT max(count(*) FILTER (WHERE m.course_id = ?1), count(*) FILTER (WHERE m.user_id = ?2)) AS most
             FROM content_migrations m LEFT JOIN uploads u ON u.id = m.upload_id
             WHERE m.workflow_state IN ('pre_processing', 'pre_processed', 'running')
               AND (m.workflow_state <> 'pre_processing' OR ifnull(u.expires_at > ?3, 0))",
            (course, user, now),
        )
        .await?;
    match pending.most >= MAX_PENDING_PACKAGES {
        true => Err(Error::conflict(format!(
            "{MAX_PENDING_PACKAGES} packages have not ended yet: wait until one of them has been imported"
        ))),
        false => Ok(()),
    }
}

/// Notes a package that will be uploaded, and its progress. `db` is in a transaction.
pub(crate) async fn announce(
    db: &Db,
    course: &CourseAccess,
    new: NewPackage<'_>,
    now: Timestamp,
) -> db::Result<ContentMigrationId> {
    let NewPackage { user, migration_type, as_new_quizzes, folder, date_shift } = new;
    // The ids of the two name each other: the progress gets the migration's as soon as there is one.
    let progress: IdRow<ProgressId> = db
        .fetch_one(
            "INSERT INTO progresses (root_account_id, context_type, context_id, user_id, tag, created_at, updated_at)
             VALUES (?1, 'ContentMigration', 0, ?2, 'content_migration', ?3, ?3) RETURNING id",
            (course.root_account, user, now),
        )
        .await?;
    let settings = Json(json!({ "as_new_quizzes": as_new_quizzes, "folder_id": folder, "date_shift": date_shift }));
    let made: IdRow<ContentMigrationId> = db
        .fetch_one(
            "INSERT INTO content_migrations
                 (course_id, user_id, migration_type, workflow_state, settings, progress_id, started_at)
             VALUES (?1, ?2, ?3, 'pre_processing', ?4, ?5, ?6) RETURNING id",
            (course.id, user, migration_type, settings, progress.id, now),
        )
        .await?;
    db.execute("UPDATE progresses SET context_id = ?2 WHERE id = ?1", (progress.id, made.id)).await?;
    Ok(made.id)
}

/// Notes where the package will come in.
pub(crate) async fn expect(db: &Db, id: ContentMigrationId, upload: UploadId) -> db::Result<()> {
    db.execute("UPDATE content_migrations SET upload_id = ?2 WHERE id = ?1", (id, upload)).await
}

/// Notes a migration that is done, and its progress. `db` is in a transaction.
pub(crate) async fn insert(
    db: &Db,
    course: CourseId,
    user: UserId,
    migration_type: &str,
    source: CourseId,
    now: Timestamp,
) -> db::Result<ContentMigrationId> {
    let made: IdRow<ContentMigrationId> = db
        .fetch_one(
            "INSERT INTO content_migrations
                 (course_id, user_id, migration_type, source_course_id, workflow_state, started_at, finished_at)
             VALUES (?1, ?2, ?3, ?4, 'completed', ?5, ?5) RETURNING id",
            (course, user, migration_type, source, now),
        )
        .await?;
    // Whoever watches work of any kind finds that this is done.
    db.execute(
        "INSERT INTO progresses
             (root_account_id, context_type, context_id, user_id, tag, completion, workflow_state,
              created_at, updated_at)
         SELECT c.root_account_id, 'ContentMigration', m.id, m.user_id, 'content_migration', 100, 'completed', ?2, ?2
         FROM content_migrations m JOIN courses c ON c.id = m.course_id WHERE m.id = ?1",
        (made.id, now),
    )
    .await?;
    let progress = "UPDATE content_migrations
         SET progress_id = (SELECT id FROM progresses WHERE context_type = 'ContentMigration' AND context_id = ?1)
         WHERE id = ?1";
    db.execute(progress, (made.id,)).await?;
    Ok(made.id)
}
