//! The SQL of progress.

use serde::{Deserialize, Serialize};
use shared::auth::Caller;
use shared::ids::{CourseId, ProgressId, UserId};
use shared::needs::{self, Lookup, MatchedPath, Record};
use shared::{Db, JsonSchema, Result, Timestamp, db};

/// The progress of work.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Progress {
    pub(crate) id: ProgressId,
    /// The kind of work: `ContentExport` or `ContentMigration`.
    pub(crate) context_type: String,
    pub(crate) context_id: i64,
    pub(crate) user_id: UserId,
    pub(crate) tag: String,
    /// From 0 to 100.
    pub(crate) completion: f64,
    /// `queued`, `running`, `completed` or `failed`.
    pub(crate) workflow_state: String,
    pub(crate) message: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

const COLUMNS: &str = "id, context_type, context_id, user_id, tag, completion, workflow_state, message, created_at,
    updated_at";

impl Record for Progress {
    const IDS: &'static [&'static str] = &["progress"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(lookup(path.id("progress")?))
    }
}

fn lookup(id: ProgressId) -> Lookup {
    let sql = format!(
        "SELECT {COLUMNS} FROM progresses
         WHERE id = ?1 AND (caller.site_admin OR root_account_id = caller.root_account_id)"
    );
    Lookup::new(sql, (id,))
}

/// The progress as it is now.
pub(crate) async fn progress(db: &Db, caller: &Caller, id: ProgressId) -> Result<Progress> {
    needs::find(db, caller, lookup(id)).await
}

/// Ends work that has not ended; `None` where it has.
pub(crate) async fn cancel(
    db: &Db,
    id: ProgressId,
    message: Option<String>,
    now: Timestamp,
) -> db::Result<Option<Progress>> {
    let sql = format!(
        "UPDATE progresses SET workflow_state = 'failed', message = ?2, updated_at = ?3
         WHERE id = ?1 AND workflow_state IN ('queued', 'running') RETURNING {COLUMNS}"
    );
    db.fetch(&sql, (id, message, now)).await
}

/// The course into which a migration goes.
pub(crate) async fn course_of_migration(db: &Db, id: i64) -> db::Result<Option<CourseId>> {
    #[derive(Deserialize)]
    struct CourseRow {
        course_id: CourseId,
    }
    let of: Option<CourseRow> = db.fetch("SELECT course_id FROM content_migrations WHERE id = ?1", (id,)).await?;
    Ok(of.map(|of| of.course_id))
}
