//! Content that comes into a course from elsewhere: the copy of another course, which is whole at once, and packages,
//! which are uploaded first and then read by another area.

use serde::{Deserialize, Serialize};
use shared::auth::{self, CourseAccess, Right};
use shared::clock::HOUR;
use shared::course_events::{self as events, Author, Pair};
use shared::date_shift::{CourseTime, DateShift, DateShiftForm};
use shared::error::OrNotFound;
use shared::files::{self, NewUpload, Owner, Place, UploadForm};
use shared::ids::{ContentMigrationId, CourseId, FolderId, IdOrAlias, UserId};
use shared::live_events::Cause;
use shared::needs::{NeededCourse, may};
use shared::params::Params;
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::throttle::{self, Limit};
use shared::{
    Context, Db, Error, Form, JsonSchema, LimitKind, Reply, Result, Timestamp, background, endpoint, endpoints,
};

use crate::model::filters::AnyOf;
use crate::model::selection::CopiedPart;
use crate::model::unsupported;
use crate::store::content_migrations::{self as store, Migration, Migrations};
use crate::store::copies::{self, CourseCopy};

const COURSE_COPY: &str = "course_copy_importer";
const COPY_TITLE: &str = "Copy a course";
const ZIP_FILE: &str = "zip_file_importer";
/// Packages, as the reference system names their importers, and what people call them.
const PACKAGES: [(&str, &str); 4] = [
    ("qti_converter", "QTI .zip file"),
    ("common_cartridge_importer", "Common Cartridge 1.x Package"),
    ("canvas_cartridge_importer", "Canvas Course Export Package"),
    (ZIP_FILE, "Unzip .zip file into folder"),
];

/// The number of packages that a user may announce, and of courses that a user may copy, within an hour.
const MIGRATIONS: Limit = Limit { most: 60, seconds: HOUR };

endpoints![list_content_migrations, list_migrators, get_content_migration, create_content_migration];

/// A type of content migrations.
#[derive(Serialize, JsonSchema)]
struct Migrator {
    /// The values of `migration_type`.
    #[serde(rename = "type")]
    migration_type: &'static str,
    /// True if a package is uploaded.
    requires_file_upload: bool,
    /// Its name for people.
    name: &'static str,
    /// The settings that have to be given.
    required_settings: &'static [&'static str],
}

/// An import into a course from elsewhere.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ContentMigration {
    id: ContentMigrationId,
    /// The user who asked for it.
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
    /// The problems, and the parts that were left out.
    migration_issues_url: String,
    migration_issues_count: i64,
    /// The address to which the package is uploaded: when it is announced, only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pre_attachment: Option<NewUpload>,
    created_at: Timestamp,
    started_at: Timestamp,
    finished_at: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
struct Settings {
    source_course_id: CourseId,
    source_course_name: String,
}

#[derive(Deserialize, JsonSchema)]
struct MigrationForm {
    /// `course_copy_importer`, `qti_converter`, `common_cartridge_importer`, `canvas_cartridge_importer` or
    /// `zip_file_importer`.
    migration_type: String,
    #[serde(default)]
    settings: SettingsForm,
    /// Refused without `select`: nothing waits for a choice that comes later.
    #[serde(default)]
    selective_import: bool,
    /// Types of content of a course, each with a list of ids: what is copied. Without it that is everything.
    select: Option<Params>,
    /// The same, with whole types as `all_assignments`.
    copy_options: Option<Params>,
    /// What becomes of the dates of what comes. Without it they stay as they are.
    date_shift_options: Option<DateShiftForm>,
    /// The package that will be uploaded.
    pre_attachment: Option<UploadForm>,
}

#[derive(Deserialize, Default, JsonSchema)]
struct SettingsForm {
    source_course_id: Option<IdOrAlias<CourseId>>,
    /// True if the quizzes of a package become new quizzes, false if they become classic ones. Without it the quizzes
    /// of a package of Lectern stay what they were, and those of others become classic ones.
    import_quizzes_next: Option<bool>,
    /// The folder into which a `zip_file_importer` unpacks; without it, the root of the course's files.
    folder_id: Option<FolderId>,
    /// Settings that a copy leaves as they are: `all_course_settings`, or `visibility_settings` (`is_public`). Packages bring none.
    #[serde(default)]
    importer_skips: AnyOf<String>,
    /// Packages are not fetched from elsewhere.
    file_url: Option<String>,
}

/// Lists what came into a course.
#[endpoint(GET "/api/v1/courses/:course_id/content_migrations")]
async fn list_content_migrations(
    cx: Context,
    _course: NeededCourse<may::Manage>,
    migrations: PrefetchedList<Migrations>,
) -> Result<Reply<Vec<ContentMigration>>> {
    let base = cx.base_url().await?;
    let migrations = migrations.page(&cx.page().await?)?;
    Ok(Reply::page(migrations.map(|migration| view(&base, migration))))
}

/// Lists the types of content migrations.
#[endpoint(GET "/api/v1/courses/:course_id/content_migrations/migrators")]
async fn list_migrators(_: Context, _course: NeededCourse<may::Manage>) -> Result<Reply<Vec<Migrator>>> {
    let copy = Migrator {
        migration_type: COURSE_COPY,
        requires_file_upload: false,
        name: COPY_TITLE,
        required_settings: &["source_course_id"],
    };
    let package = |(migration_type, name): (&'static str, &'static str)| Migrator {
        migration_type,
        requires_file_upload: true,
        name,
        required_settings: &[],
    };
    Ok(Reply::ok([copy].into_iter().chain(PACKAGES.map(package)).collect()))
}

/// Reads a content migration.
#[endpoint(GET "/api/v1/courses/:course_id/content_migrations/:id")]
async fn get_content_migration(
    cx: Context,
    _course: NeededCourse<may::Manage>,
    migration: Prefetched<Migration>,
) -> Result<Reply<ContentMigration>> {
    Ok(Reply::ok(view(&cx.base_url().await?, migration.record()?)))
}

/// Copies another course into a course, or announces a package.
#[endpoint(
    POST "/api/v1/courses/:course_id/content_migrations",
    throttled("packages that one user announces, and courses that one user copies or resets"),
    unsupported(unsupported::CONTENT_MIGRATION),
    answers(409, "Too many packages of the course have not been imported yet."),
)]
async fn create_content_migration(
    cx: Context,
    course: NeededCourse<may::Manage>,
    body: Form<MigrationForm>,
) -> Result<Reply<ContentMigration>> {
    let form = body.decode()?;
    let is_package = PACKAGES.iter().any(|(name, _)| *name == form.migration_type);
    if !is_package && form.migration_type != COURSE_COPY {
        return Err(Error::bad_request("Invalid migration_type"));
    }
    let part = form.part()?;
    if is_package {
        if part.is_some() {
            return Err(Error::bad_request("select is for copies of courses: all of a package is taken"));
        }
        return announced(&cx, &course, form).await;
    }
    let source = form.settings.source_course_id.as_ref().ok_or_else(|| Error::missing("settings[source_course_id]"))?;
    let source = auth::course(&cx.db, cx.caller()?, source).await?;
    let shift = form.date_shift(&cx.db, Some(source.id), course.id).await?;
    let part = part.unwrap_or_default().skipping(&form.settings.importer_skips);
    copied(&cx, &course, &source, &part, shift).await
}

impl MigrationForm {
    /// The part that is asked for; `None`: all of it.
    fn part(&self) -> Result<Option<CopiedPart>> {
        let given = |given: &Option<Params>| given.clone().filter(|given| !given.is_empty());
        let (select, options) = (given(&self.select), given(&self.copy_options));
        match (select, options) {
            (Some(_), Some(_)) => Err(Error::bad_request("select and copy_options exclude one another")),
            (Some(select), None) => CopiedPart::of("select", select).map(Some),
            (None, Some(options)) => CopiedPart::of("copy_options", options).map(Some),
            (None, None) if self.selective_import => {
                Err(Error::bad_request("selective_import is not supported: select says what is copied"))
            }
            (None, None) => Ok(None),
        }
    }

    /// What becomes of the dates of what comes from that course, or in a package.
    async fn date_shift(&self, db: &Db, source: Option<CourseId>, to: CourseId) -> Result<Option<DateShift>> {
        let Some(form) = &self.date_shift_options else { return Ok(None) };
        let source = match source {
            Some(source) => Some(CourseTime::of(db, source).await?),
            None => None,
        };
        form.asked(source.as_ref(), &CourseTime::of(db, to).await?)
    }
}

/// A package that is read as soon as it is uploaded.
async fn announced(cx: &Context, to: &CourseAccess, form: MigrationForm) -> Result<Reply<ContentMigration>> {
    if form.settings.file_url.is_some() {
        return Err(Error::bad_request("settings[file_url] is not supported: upload the package (pre_attachment)"));
    }
    let date_shift = form.date_shift(&cx.db, None, to.id).await?;
    let package = form.pre_attachment.ok_or_else(|| Error::missing("pre_attachment[name]"))?;
    let (base, user) = (cx.base_url().await?, cx.caller()?.user);
    let folder = form.settings.folder_id.filter(|_| form.migration_type == ZIP_FILE);
    if let Some(folder) = folder
        && !store::has_folder(&cx.db, to.id, folder).await?
    {
        return Err(Error::bad_request("settings[folder_id] is no folder of the course"));
    }
    let new = store::NewPackage {
        user,
        migration_type: &form.migration_type,
        as_new_quizzes: form.settings.import_quizzes_next,
        folder,
        date_shift: date_shift.as_ref(),
    };
    let (migration, upload) = cx
        .db
        .transaction(async |db| {
            store::require_few_pending(db, to.id, user, cx.now).await?;
            take_turn(db, user, cx.now).await?;
            let id = store::announce(db, to, new, cx.now).await?;
            let place = Place { root_account: to.root_account, owner: Owner::Migration(id), folder: None };
            let upload = files::start_upload(db, &base, user, place, package, cx.now).await?;
            store::expect(db, id, upload.id).await?;
            let migration = store::migration(db, to.id, id).await?.or_not_found()?;
            Ok::<_, Error>((migration, upload))
        })
        .await?;
    Ok(Reply::ok(ContentMigration { pre_attachment: Some(upload), ..view(&base, migration) }))
}

/// Copies and resets write as much as an import does.
pub(crate) async fn take_turn(db: &Db, user: UserId, now: Timestamp) -> Result<()> {
    let turn = throttle::take(db, &format!("content-migration/{user}"), MIGRATIONS, now).await?;
    turn.require(LimitKind::ContentImports).map(drop)
}

/// The copy of another course, or of a part of it, which is whole when it is answered.
pub(crate) async fn copied(
    cx: &Context,
    to: &CourseAccess,
    source: &CourseAccess,
    part: &CopiedPart,
    date_shift: Option<DateShift>,
) -> Result<Reply<ContentMigration>> {
    if source.root_account != to.root_account {
        return Err(Error::not_found());
    }
    source.require(Right::ReadAsStaff)?;
    if source.id == to.id {
        return Err(Error::bad_request("A course cannot be copied into itself"));
    }
    take_turn(&cx.db, cx.caller()?.user, cx.now).await?;
    let author = Author::of(cx)?;
    let base = cx.known_base_url().await?;
    let cause = match base {
        Some(_) => Some(Cause::of(cx).await?),
        None => None,
    };
    let migration = cx.db.transaction(async |db| {
        let before = events::snapshot(db, to.id).await?;
        let copy = CourseCopy {
            source: source.id,
            to: to.id,
            part,
            date_shift: date_shift.as_ref(),
            base: base.as_deref(),
            cause: cause.as_ref(),
        };
        let told = copies::copy(db, copy, cx.now).await?;
        events::paired(db, &author, to.id, source.id, Pair::Copied).await?;
        events::updated(db, &author, to.id, &before).await?;
        let id = store::insert(db, to.id, author.user, COURSE_COPY, source.id, cx.now).await?;
        Ok::<_, Error>((store::migration(db, to.id, id).await?.or_not_found()?, told))
    });
    let (migration, told) = migration.await?;
    if told {
        background::run_soon();
    }
    Ok(Reply::ok(view(&cx.base_url().await?, migration)))
}

fn view(base: &str, migration: store::Migration) -> ContentMigration {
    let title = PACKAGES.iter().find(|(name, _)| *name == migration.migration_type);
    let address = format!("{base}/api/v1/courses/{}/content_migrations/{}", migration.course_id, migration.id);
    ContentMigration {
        id: migration.id,
        user_id: migration.user_id,
        migration_type_title: title.map_or(COPY_TITLE, |(_, title)| title),
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
