//! The SQL of content migrations.

use serde::Deserialize;
use shared::ids::{ContentMigrationId, CourseId, UserId};
use shared::page::{Key, Page};
use shared::{Db, Paged, Timestamp, db};

use crate::content_migrations::ContentMigration;

const SELECT: &str = "SELECT m.id, m.user_id, m.migration_type, m.workflow_state,
        json_object('source_course_id', c.id, 'source_course_name', c.name) AS settings,
        m.started_at AS created_at, m.started_at, m.finished_at
    FROM content_migrations m JOIN courses c ON c.id = m.source_course_id";

pub(crate) async fn migrations(db: &Db, course: CourseId, page: &Page) -> db::Result<Paged<ContentMigration>> {
    db.keyset(&format!("{SELECT} WHERE m.course_id = ?1"), (course,), Key::ascending(&["id"]), page).await
}

pub(crate) async fn migration(
    db: &Db,
    course: CourseId,
    id: ContentMigrationId,
) -> db::Result<Option<ContentMigration>> {
    db.fetch(&format!("{SELECT} WHERE m.course_id = ?1 AND m.id = ?2"), (course, id)).await
}

/// Notes a migration that is done.
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
    Ok(made.id)
}
