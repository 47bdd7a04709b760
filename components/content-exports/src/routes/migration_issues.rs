//! The problems of a package that came in, and the parts that were left out.

use serde::Deserialize;
use shared::error::OrNotFound;
use shared::ids::{ContentMigrationId, CourseId};
use shared::needs::{NeededCourse, may};
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::model::migration_issues::{Issue, IssueRow};
use crate::store::migration_issues::{self as store, Migration};

endpoints![list_migration_issues, get_migration_issue, update_migration_issue];

#[derive(Deserialize, JsonSchema)]
struct MigrationPath {
    content_migration_id: ContentMigrationId,
}

#[derive(Deserialize, JsonSchema)]
struct IssueForm {
    /// `active` or `resolved`.
    workflow_state: String,
}

/// Lists what went wrong or was left out when a package came in.
#[endpoint(GET "/api/v1/courses/:course_id/content_migrations/:content_migration_id/migration_issues")]
async fn list_migration_issues(
    cx: Context,
    course: NeededCourse<may::Manage>,
    migration: Prefetched<Migration>,
) -> Result<Reply<Vec<Issue>>> {
    let migration = migration.record()?.id;
    let (base_url, page) = (cx.base_url().await?, cx.page().await?);
    let issues = store::page(&cx.db, migration, &page).await?;
    Ok(Reply::page(issues.map(|issue| Issue::new(&base_url, course.id, migration, issue))))
}

/// Reads one thing that went wrong or was left out.
#[endpoint(GET "/api/v1/courses/:course_id/content_migrations/:content_migration_id/migration_issues/:id")]
async fn get_migration_issue(
    cx: Context,
    Path(at): Path<MigrationPath>,
    course: NeededCourse<may::Manage>,
    issue: Prefetched<IssueRow>,
) -> Result<Reply<Issue>> {
    show(&cx, course.id, at.content_migration_id, issue.record()?).await
}

/// Marks an issue as resolved, or as active.
#[endpoint(PUT "/api/v1/courses/:course_id/content_migrations/:content_migration_id/migration_issues/:id")]
async fn update_migration_issue(
    cx: Context,
    Path(at): Path<MigrationPath>,
    course: NeededCourse<may::Manage>,
    issue: Prefetched<IssueRow>,
    body: Form<IssueForm>,
) -> Result<Reply<Issue>> {
    let issue = issue.record()?;
    let state = body.decode()?.workflow_state;
    if !matches!(state.as_str(), "active" | "resolved") {
        return Err(Error::invalid("workflow_state", "inclusion", "must be active or resolved"));
    }
    let issue = store::set_state(&cx.db, issue.id, &state, cx.now).await?.or_not_found()?;
    show(&cx, course.id, at.content_migration_id, issue).await
}

async fn show(cx: &Context, course: CourseId, migration: ContentMigrationId, issue: IssueRow) -> Result<Reply<Issue>> {
    Ok(Reply::ok(Issue::new(&cx.base_url().await?, course, migration, issue)))
}
