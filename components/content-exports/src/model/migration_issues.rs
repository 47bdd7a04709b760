//! What an import could not bring, as it is listed.

use serde::{Deserialize, Serialize};
use shared::ids::{ContentMigrationId, CourseId, MigrationIssueId};
use shared::{JsonSchema, Timestamp};

/// One thing that went wrong, or was left out, as it is stored.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct IssueRow {
    pub(crate) id: MigrationIssueId,
    pub(crate) description: String,
    /// `active` or `resolved`.
    pub(crate) workflow_state: String,
    pub(crate) fix_issue_html_url: Option<String>,
    /// `todo`, `warning` or `error`.
    pub(crate) issue_type: String,
    pub(crate) error_message: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// One thing that went wrong, or was left out.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Issue {
    content_migration_url: String,
    #[serde(flatten)]
    row: IssueRow,
}

impl Issue {
    pub(crate) fn new(base_url: &str, course: CourseId, migration: ContentMigrationId, row: IssueRow) -> Self {
        let content_migration_url = format!("{base_url}/api/v1/courses/{course}/content_migrations/{migration}");
        Self { content_migration_url, row }
    }
}
