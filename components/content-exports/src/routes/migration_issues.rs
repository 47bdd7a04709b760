//! What went wrong, or was left out, when a package came in.

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::ids::{ContentMigrationId, CourseId, MigrationIssueId};
use shared::needs::{NeededCourse, may};
use shared::pagination::Key;
use shared::{Context, Error, Form, JsonSchema, Path, Reply, Result, Timestamp, endpoint, endpoints};

endpoints![list_migration_issues, get_migration_issue, update_migration_issue];

#[derive(Deserialize, JsonSchema)]
struct MigrationPath {
    content_migration_id: ContentMigrationId,
}

#[derive(Deserialize, JsonSchema)]
struct IssuePath {
    content_migration_id: ContentMigrationId,
    id: MigrationIssueId,
}

/// One thing that went wrong, or was left out.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Issue {
    id: MigrationIssueId,
    content_migration_url: String,
    description: String,
    /// `active` or `resolved`.
    workflow_state: String,
    fix_issue_html_url: Option<String>,
    /// `todo`, `warning` or `error`.
    issue_type: String,
    error_message: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(Deserialize, JsonSchema)]
struct IssueForm {
    /// `active` or `resolved`.
    workflow_state: String,
}

/// `?1` is the course's address, `?2` the course, `?3` the migration.
const SELECT: &str = "SELECT i.id, ?1 || '/content_migrations/' || m.id AS content_migration_url, i.description,
        i.workflow_state, i.fix_issue_html_url, i.issue_type, i.error_message, i.created_at, i.updated_at
    FROM migration_issues i JOIN content_migrations m ON m.id = i.content_migration_id
    WHERE m.course_id = ?2 AND m.id = ?3";

/// Lists what went wrong or was left out when a package came in.
#[endpoint(GET "/api/v1/courses/:course_id/content_migrations/:content_migration_id/migration_issues")]
async fn list_migration_issues(
    cx: Context,
    Path(at): Path<MigrationPath>,
    course: NeededCourse<may::Manage>,
) -> Result<Reply<Vec<Issue>>> {
    let course = course.id;
    let is_there = "SELECT 1 AS found FROM content_migrations WHERE id = ?1 AND course_id = ?2";
    if !cx.db.affects(is_there, (at.content_migration_id, course)).await? {
        return Err(Error::not_found());
    }
    let (address, page) = (address(&cx, course).await?, cx.page().await?);
    let binds = (address, course, at.content_migration_id);
    Ok(Reply::page(page.fetch_keyset(&cx.db, SELECT, binds, Key::ascending(&["id"])).await?))
}

/// Reads one thing that went wrong or was left out.
#[endpoint(GET "/api/v1/courses/:course_id/content_migrations/:content_migration_id/migration_issues/:id")]
async fn get_migration_issue(
    cx: Context,
    Path(at): Path<IssuePath>,
    course: NeededCourse<may::Manage>,
) -> Result<Reply<Issue>> {
    let course = course.id;
    Ok(Reply::ok(issue(&cx, course, &at).await?))
}

/// Marks an issue as resolved, or as active.
#[endpoint(PUT "/api/v1/courses/:course_id/content_migrations/:content_migration_id/migration_issues/:id")]
async fn update_migration_issue(
    cx: Context,
    Path(at): Path<IssuePath>,
    course: NeededCourse<may::Manage>,
    body: Form<IssueForm>,
) -> Result<Reply<Issue>> {
    let course = course.id;
    issue(&cx, course, &at).await?;
    let state = body.decode()?.workflow_state;
    if !matches!(state.as_str(), "active" | "resolved") {
        return Err(Error::invalid("workflow_state", "inclusion", "must be active or resolved"));
    }
    let sql = "UPDATE migration_issues SET workflow_state = ?2, updated_at = ?3 WHERE id = ?1";
    cx.db.execute(sql, (at.id, state, cx.now)).await?;
    Ok(Reply::ok(issue(&cx, course, &at).await?))
}

async fn issue(cx: &Context, course: CourseId, at: &IssuePath) -> Result<Issue> {
    let binds = (address(cx, course).await?, course, at.content_migration_id, at.id);
    cx.db.fetch(&format!("{SELECT} AND i.id = ?4"), binds).await?.or_not_found()
}

async fn address(cx: &Context, course: CourseId) -> Result<String> {
    Ok(format!("{}/api/v1/courses/{course}", cx.base_url().await?))
}
