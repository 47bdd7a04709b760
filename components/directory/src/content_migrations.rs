//! Copies of what is in one course into another.

use serde::{Deserialize, Serialize};
use shared::auth::{self, CourseAccess, Right};
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{ContentMigrationId, CourseId, Named, UserId};
use shared::{Body, Context, Endpoint, Error, Reply, Result, Timestamp, get, post};

use crate::events::{self, Author, Pair};
use crate::store::content_migrations as store;
use crate::store::copies;

const COURSE_COPY: &str = "course_copy_importer";

pub(crate) fn endpoints() -> [Endpoint; 4] {
    [
        get("/api/v1/courses/:course_id/content_migrations", list).about("Lists what was copied into a course"),
        get("/api/v1/courses/:course_id/content_migrations/:id", show).about("Reads a content migration"),
        post("/api/v1/courses/:course_id/content_migrations", create).about("Copies another course into a course"),
        post("/api/v1/courses/:course_id/course_copy/:source_course_id", copy)
            .about("Copies another course into a course"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct CoursePath {
    course_id: Named<CourseId>,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct MigrationPath {
    course_id: Named<CourseId>,
    id: ContentMigrationId,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct CopyPath {
    course_id: Named<CourseId>,
    source_course_id: Named<CourseId>,
}

/// What came into a course from elsewhere.
#[derive(Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct ContentMigration {
    id: ContentMigrationId,
    /// Who asked for it.
    user_id: UserId,
    migration_type: String,
    /// `completed`: a copy is whole when it is answered.
    workflow_state: String,
    settings: Json<Settings>,
    created_at: Timestamp,
    started_at: Timestamp,
    finished_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Settings {
    source_course_id: CourseId,
    source_course_name: String,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct MigrationForm {
    /// `course_copy_importer`.
    migration_type: String,
    #[serde(default)]
    settings: SettingsForm,
    /// Only whole courses are copied.
    #[serde(default)]
    selective_import: bool,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct SettingsForm {
    source_course_id: Option<Named<CourseId>>,
}

async fn list(cx: Context, at: CoursePath) -> Result<Reply<Vec<ContentMigration>>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::Manage)?;
    Ok(Reply::page(store::migrations(&cx.db, course.id, &cx.page().await?).await?))
}

async fn show(cx: Context, at: MigrationPath) -> Result<Reply<ContentMigration>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::Manage)?;
    Ok(Reply::ok(store::migration(&cx.db, course.id, at.id).await?.or_not_found()?))
}

async fn create(cx: Context, at: CoursePath, body: Body<MigrationForm>) -> Result<Reply<ContentMigration>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::Manage)?;
    let form = body.decode()?;
    if form.migration_type != COURSE_COPY {
        return Err(Error::bad_request("Invalid migration_type"));
    }
    if form.selective_import {
        return Err(Error::bad_request("selective_import is not supported"));
    }
    let source = form.settings.source_course_id.ok_or_else(|| Error::missing("settings[source_course_id]"))?;
    let source = auth::course(&cx.db, cx.caller()?, &source).await?;
    copied(&cx, &course, &source).await
}

async fn copy(cx: Context, at: CopyPath) -> Result<Reply<ContentMigration>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    let source = auth::course(&cx.db, cx.caller()?, &at.source_course_id).await?;
    course.must(Right::Manage)?;
    copied(&cx, &course, &source).await
}

async fn copied(cx: &Context, to: &CourseAccess, source: &CourseAccess) -> Result<Reply<ContentMigration>> {
    if source.root_account != to.root_account {
        return Err(Error::not_found());
    }
    source.must(Right::ReadAsStaff)?;
    if source.id == to.id {
        return Err(Error::bad_request("A course cannot be copied into itself"));
    }
    let author = Author::of(cx)?;
    let migration = cx.db.transaction(async |db| {
        copies::copy(db, source.id, to.id, cx.now).await?;
        events::paired(db, &author, to.id, source.id, Pair::Copied).await?;
        let id = store::insert(db, to.id, author.user, COURSE_COPY, source.id, cx.now).await?;
        store::migration(db, to.id, id).await?.or_not_found()
    });
    Ok(Reply::ok(migration.await?))
}
