//! The SQL of content migrations.

use serde::Deserialize;
use serde_json::json;
use shared::auth::CourseAccess;
use shared::db::Json;
use shared::ids::{ContentMigrationId, CourseId, ProgressId, UploadId, UserId};
use shared::page::{Key, Page};
use shared::{Db, Paged, Timestamp, db};

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

pub(crate) async fn migrations(db: &Db, course: CourseId, page: &Page) -> db::Result<Paged<Migration>> {
    db.keyset(&format!("{SELECT} WHERE m.course_id = ?1"), (course,), Key::ascending(&["id"]), page).await
}

pub(crate) async fn migration(db: &Db, course: CourseId, id: ContentMigrationId) -> db::Result<Option<Migration>> {
    db.fetch(&format!("{SELECT} WHERE m.course_id = ?1 AND m.id = ?2"), (course, id)).await
}

/// Notes a package that will be uploaded, and its progress. `db` is in a transaction.
pub(crate) async fn announce(
    db: &Db,
    course: &CourseAccess,
    user: UserId,
    migration_type: &str,
    as_new_quizzes: bool,
    now: Timestamp,
) -> db::Result<ContentMigrationId> {
    #[derive(Deserialize)]
    struct Progress {
        id: ProgressId,
    }
    #[derive(Deserialize)]
    struct Made {
        id: ContentMigrationId,
    }
    // The ids of the two name each other: the progress gets the migration's as soon as there is one.
    let progress: Progress = db
        .fetch_one(
            "INSERT INTO progresses (root_account_id, context_type, context_id, user_id, tag, created_at, updated_at)
             VALUES (?1, 'ContentMigration', 0, ?2, 'content_migration', ?3, ?3) RETURNING id",
            (course.root_account, user, now),
        )
        .await?;
    let settings = Json(json!({ "as_new_quizzes": as_new_quizzes }));
    let made: Made = db
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
    #[derive(Deserialize)]
    struct Made {
        id: ContentMigrationId,
    }
    let made: Made = db
        .fetch_one(
            "INSERT INTO content_migrations
                 (course_id, user_id, migration_type, source_course_id, workflow_state, started_at, finished_at)
             VALUES (?1, ?2, ?3, ?4, 'completed', ?5, ?5) RETURNING id",
            (course, user, migration_type, source, now),
        )
        .await?;
    // Who watches work of any kind finds that this is done.
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
