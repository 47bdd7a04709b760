//! The SQL of issues of imports.

use serde::Deserialize;
use shared::db;
use shared::ids::{ContentMigrationId, MigrationIssueId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp};

use crate::model::migration_issues::IssueRow;

/// The columns of an [`IssueRow`].
const COLUMNS: &str =
    "id, description, workflow_state, fix_issue_html_url, issue_type, error_message, created_at, updated_at";

/// The import that the path names, in the course that is needed.
#[derive(Deserialize)]
pub(crate) struct Migration {
    pub(crate) id: ContentMigrationId,
}

impl Record for Migration {
    const IDS: &'static [&'static str] = &["content_migrations"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: ContentMigrationId = path.id("content_migrations")?;
        Ok(Lookup::new("SELECT id FROM content_migrations WHERE id = ?1 AND course_id = caller.needed ->> 'id'", (id,)))
    }
}

/// An issue of an import of the course that is needed.
impl Record for IssueRow {
    const IDS: &'static [&'static str] = &["content_migrations", "migration_issues"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let ids: (MigrationIssueId, ContentMigrationId) =
            (path.id("migration_issues")?, path.id("content_migrations")?);
        let sql = format!(
            "SELECT {COLUMNS} FROM migration_issues
             WHERE id = ?1 AND content_migration_id = (
                 SELECT m.id FROM content_migrations m WHERE m.id = ?2 AND m.course_id = caller.needed ->> 'id')"
        );
        Ok(Lookup::new(sql, ids))
    }
}

pub(crate) async fn page(db: &Db, migration: ContentMigrationId, page: &Page) -> Result<Paged<IssueRow>> {
    let sql = format!("SELECT {COLUMNS} FROM migration_issues WHERE content_migration_id = ?1");
    page.fetch_keyset(db, &sql, (migration,), Key::ascending(&["id"])).await
}

/// Nothing, if the issue is gone.
pub(crate) async fn set_state(
    db: &Db,
    id: MigrationIssueId,
    state: &str,
    now: Timestamp,
) -> db::Result<Option<IssueRow>> {
    let sql =
        format!("UPDATE migration_issues SET workflow_state = ?2, updated_at = ?3 WHERE id = ?1 RETURNING {COLUMNS}");
    db.fetch(&sql, (id, state, now)).await
}
