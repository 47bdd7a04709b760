//! What comes into a course from elsewhere: the copy of another course, which is whole at once, and packages, which are
//! uploaded first and then read by another area.

use serde::{Deserialize, Serialize};
use shared::auth::{self, CourseAccess, Right};
use shared::course_events::{self as events, Author, Pair};
use shared::error::OrNotFound;
use shared::files::{self, NewUpload, Owner, Place, UploadForm};
use shared::ids::{ContentMigrationId, CourseId, Named, UserId};
use shared::{Body, Context, Endpoint, Error, Reply, Result, Timestamp, get, post};

use crate::store::content_migrations as store;
use crate::store::copies;

const COURSE_COPY: &str = "course_copy_importer";
/// Packages, as the reference system names their importers, and what people call them.
const PACKAGES: [(&str, &str); 2] =
    [("qti_converter", "QTI .zip file"), ("common_cartridge_importer", "Common Cartridge 1.x Package")];

pub(crate) fn endpoints() -> [Endpoint; 4] {
    [
        get("/api/v1/courses/:course_id/content_migrations", list).about("Lists what came into a course"),
        get("/api/v1/courses/:course_id/content_migrations/:id", show).about("Reads a content migration"),
        post("/api/v1/courses/:course_id/content_migrations", create)
            .about("Copies another course into a course, or announces a package"),
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
#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct ContentMigration {
    id: ContentMigrationId,
    /// Who asked for it.
    user_id: UserId,
    migration_type: String,
    migration_type_title: &'static str,
    /// A copy is `completed` when it is answered. A package is `pre_processing` until it is uploaded, then
    /// `pre_processed`, `running`, and `completed` or `failed`.
    workflow_state: String,
    /// Of copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Settings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress_url: Option<String>,
    /// What went wrong, or was left out.
    migration_issues_url: String,
    migration_issues_count: i64,
    /// Where the package is uploaded to: when it is announced, only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pre_attachment: Option<NewUpload>,
    created_at: Timestamp,
    started_at: Timestamp,
    finished_at: Option<Timestamp>,
}

#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Settings {
    source_course_id: CourseId,
    source_course_name: String,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct MigrationForm {
    /// `course_copy_importer`, `qti_converter` or `common_cartridge_importer`.
    migration_type: String,
    #[serde(default)]
    settings: SettingsForm,
    /// Only whole courses are copied, and whole packages are read.
    #[serde(default)]
    selective_import: bool,
    /// The package that will be uploaded.
    pre_attachment: Option<UploadForm>,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct SettingsForm {
    source_course_id: Option<Named<CourseId>>,
    /// Whether the quizzes of a package become new quizzes.
    #[serde(default)]
    import_quizzes_next: bool,
}

async fn list(cx: Context, at: CoursePath) -> Result<Reply<Vec<ContentMigration>>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::Manage)?;
    let base = cx.base_url().await?;
    let migrations = store::migrations(&cx.db, course.id, &cx.page().await?).await?;
    Ok(Reply::page(migrations.map(|migration| view(&base, migration))))
}

async fn show(cx: Context, at: MigrationPath) -> Result<Reply<ContentMigration>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::Manage)?;
    let migration = store::migration(&cx.db, course.id, at.id).await?.or_not_found()?;
    Ok(Reply::ok(view(&cx.base_url().await?, migration)))
}

async fn create(cx: Context, at: CoursePath, body: Body<MigrationForm>) -> Result<Reply<ContentMigration>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::Manage)?;
    let form = body.decode()?;
    let is_package = PACKAGES.iter().any(|(name, _)| *name == form.migration_type);
    if !is_package && form.migration_type != COURSE_COPY {
        return Err(Error::bad_request("Invalid migration_type"));
    }
    if form.selective_import {
        return Err(Error::bad_request("selective_import is not supported"));
    }
    if is_package {
        return announced(&cx, &course, form).await;
    }
    let source = form.settings.source_course_id.ok_or_else(|| Error::missing("settings[source_course_id]"))?;
    let source = auth::course(&cx.db, cx.caller()?, &source).await?;
    copied(&cx, &course, &source).await
}

/// A package that is read as soon as it is uploaded.
async fn announced(cx: &Context, to: &CourseAccess, form: MigrationForm) -> Result<Reply<ContentMigration>> {
    let package = form.pre_attachment.ok_or_else(|| Error::missing("pre_attachment[name]"))?;
    let (base, user) = (cx.base_url().await?, cx.caller()?.user);
    let as_new_quizzes = form.settings.import_quizzes_next;
    let (migration, upload) = cx
        .db
        .transaction(async |db| {
            let id = store::announce(db, to, user, &form.migration_type, as_new_quizzes, cx.now).await?;
            let place = Place { root_account: to.root_account, owner: Owner::Migration(id), folder: None };
            let upload = files::start_upload(db, &base, user, place, package, cx.now).await?;
            store::expect(db, id, upload.id).await?;
            let migration = store::migration(db, to.id, id).await?.or_not_found()?;
            Ok::<_, Error>((migration, upload))
        })
        .await?;
    Ok(Reply::ok(ContentMigration { pre_attachment: Some(upload), ..view(&base, migration) }))
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
        let before = events::told(db, to.id).await?;
        copies::copy(db, source.id, to.id, cx.now).await?;
        events::paired(db, &author, to.id, source.id, Pair::Copied).await?;
        events::updated(db, &author, to.id, &before).await?;
        let id = store::insert(db, to.id, author.user, COURSE_COPY, source.id, cx.now).await?;
        store::migration(db, to.id, id).await?.or_not_found()
    });
    Ok(Reply::ok(view(&cx.base_url().await?, migration.await?)))
}

fn view(base: &str, migration: store::Migration) -> ContentMigration {
    let title = PACKAGES.iter().find(|(name, _)| *name == migration.migration_type);
    let address = format!("{base}/api/v1/courses/{}/content_migrations/{}", migration.course_id, migration.id);
    ContentMigration {
        id: migration.id,
        user_id: migration.user_id,
        migration_type_title: title.map_or("Copy a course", |(_, title)| title),
        migration_type: migration.migration_type,
        workflow_state: migration.workflow_state,
        settings: migration.source_course_id.map(|source_course_id| Settings {
            source_course_id,
            source_course_name: migration.source_course_name.unwrap_or_default(),
        }),
        progress_url: migration.progress_id.map(|id| format!("{base}/api/v1/progress/{id}")),
        migration_issues_url: format!("{address}/migration_issues"),
        migration_issues_count: migration.migration_issues_count,
        pre_attachment: None,
        created_at: migration.started_at,
        started_at: migration.started_at,
        finished_at: migration.finished_at,
    }
}
