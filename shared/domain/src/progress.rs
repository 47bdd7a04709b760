//! The progress of work that runs after the answer, whichever area does it.

use database::Db;
use serde::{Deserialize, Serialize};
use types::JsonSchema;
use types::clock::Timestamp;
use types::ids::{ProgressId, UserId};
use web::Context;
use web::error::Result;
use web::lookup::{Lookup, MatchedPath, Record};

/// The progress of work.
#[derive(Serialize, JsonSchema)]
pub struct Progress {
    #[serde(flatten)]
    row: ProgressRow,
    /// What came of the work, where that is an address of its own; left out of other work, and before it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<ProgressResults>,
    url: String,
}

/// What came of work.
#[derive(Serialize, JsonSchema)]
pub struct ProgressResults {
    /// The address of a file, for an hour.
    pub url: String,
}

impl Progress {
    /// A row as clients see it.
    pub async fn of(cx: &Context, row: ProgressRow) -> Result<Self> {
        Ok(Self { url: format!("{}/api/v1/progress/{}", cx.base_url().await?, row.id), results: None, row })
    }

    /// The same with what came of it.
    #[must_use]
    pub fn with_results(self, results: Option<ProgressResults>) -> Self {
        Self { results, ..self }
    }

    /// Where it is asked for.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// The progress of work, as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are those of the interface")]
pub struct ProgressRow {
    pub id: ProgressId,
    /// The kind of work: `ContentExport`, `ContentMigration`, `QuizReport` or `SisBatch`.
    pub context_type: String,
    pub context_id: i64,
    pub user_id: UserId,
    pub tag: String,
    /// From 0 to 100.
    pub completion: f64,
    /// `queued`, `running`, `completed` or `failed`.
    pub workflow_state: String,
    pub message: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The columns of a [`ProgressRow`].
pub const COLUMNS: &str = "id, context_type, context_id, user_id, tag, completion, workflow_state, message, created_at,
    updated_at";

impl Record for ProgressRow {
    const IDS: &'static [&'static str] = &["progress"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(lookup(path.id("progress")?))
    }
}

/// The statement that finds a progress of the caller's tenant.
pub fn lookup(id: ProgressId) -> Lookup {
    let sql = format!(
        "SELECT {COLUMNS} FROM progresses
         WHERE id = ?1 AND (caller.site_admin OR root_account_id = caller.root_account_id)"
    );
    Lookup::new(sql, (id,))
}

/// Work has begun.
pub async fn begin(db: &Db, id: ProgressId, now: Timestamp) -> database::Result<()> {
    let sql = "UPDATE progresses SET workflow_state = 'running', updated_at = ?2
        WHERE id = ?1 AND workflow_state = 'queued'";
    db.execute(sql, (id, now)).await
}

/// Writes how far the work is, from 0 to 100, unless its user has cancelled it.
pub async fn advance(db: &Db, id: ProgressId, completion: f64, now: Timestamp) -> database::Result<()> {
    let sql = "UPDATE progresses SET completion = max(completion, ?2), updated_at = ?3
        WHERE id = ?1 AND workflow_state = 'running'";
    db.execute(sql, (id, completion, now)).await
}

/// Ends the progress as `completed` or `failed`, unless its user has cancelled it.
pub async fn end(db: &Db, id: ProgressId, state: &str, message: Option<&str>, now: Timestamp) -> database::Result<()> {
    db.execute(
        "UPDATE progresses
         SET workflow_state = ?2, completion = iif(?2 = 'completed', 100, completion), message = ?3, updated_at = ?4
         WHERE id = ?1 AND workflow_state IN ('queued', 'running')",
        (id, state, message, now),
    )
    .await
}
