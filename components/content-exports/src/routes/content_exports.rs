//! Content exports. See `docs/contract/content-exports.md`.
//!
//! In a course those who see it as staff export everything, and whoever may read it the files as a zip archive. A package
//! of files is its maker's alone; other packages are also for those who manage the course's files.

use quiz_reports::limits::{expiry, take_turn};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::files::{Area, File, Names, OfCourse, OfGroup, OfUser, Owner};
use shared::ids::{ContentExportId, CourseId, UserId};
use shared::needs::Needed;
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::selection::{ContentType, Selection, flag};
use shared::{Context, Error, Form, JsonSchema, Reply, Result, Timestamp, background, endpoint, endpoints};

use crate::jobs;
use crate::model::exports::{ExportType, OWNERS, Settings};
use crate::store::exports::{self as store, Export, Exports};

endpoints![list_content_exports, get_content_export, create_content_export];

/// An export: a package that is made, or is there.
#[derive(Serialize, JsonSchema)]
struct ContentExport {
    id: ContentExportId,
    /// The user who asked for it.
    user_id: UserId,
    created_at: Timestamp,
    /// `created`, `exporting`, `exported` or `failed`.
    workflow_state: String,
    export_type: ExportType,
    /// Of courses only.
    #[serde(skip_serializing_if = "Option::is_none")]
    course_id: Option<CourseId>,
    /// The package, while it can be downloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    attachment: Option<File>,
    progress_url: String,
    /// What the package could not say, or not as it was.
    issues_url: String,
    issues_count: i64,
}

#[derive(Deserialize, JsonSchema)]
struct ExportForm {
    /// `common_cartridge`, `qti` or `zip`: groups and users have `zip` alone.
    export_type: Option<Value>,
    /// True if the user is not told when it is done.
    skip_notifications: Option<Value>,
    /// Types of content, each with a list of ids: what is exported. Without it that is everything.
    select: Option<Value>,
    /// Of a Common Cartridge: `1.3` or `1.1`.
    version: Option<Value>,
    /// Of `qti`: `2.1` or `1.2`.
    qti_version: Option<Value>,
}

/// Lists the exports of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/content_exports" as list_course_content_exports::<OfCourse> { students(200, "lists the caller's own") },
    GET "/api/v1/groups/:group_id/content_exports" as list_group_content_exports::<OfGroup> { summary("Lists the exports of a group") },
    GET "/api/v1/users/:user_id/content_exports" as list_user_content_exports::<OfUser> { summary("Lists the exports of a user") },
)]
async fn list_content_exports<P: Names>(
    cx: Context,
    owner: Needed<P::Access>,
    exports: PrefetchedList<Exports>,
) -> Result<Reply<Vec<ContentExport>>> {
    P::area_of(&owner).require_read()?;
    let found = exports.page(&cx.page().await?)?;
    let base = cx.base_url().await?;
    Ok(Reply::page(found.then(async |export| view(&cx, &base, export).await).await?))
}

/// Reads an export of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/content_exports/:id" as get_course_content_export::<OfCourse>,
    GET "/api/v1/groups/:group_id/content_exports/:id" as get_group_content_export::<OfGroup> { summary("Reads an export of a group") },
    GET "/api/v1/users/:user_id/content_exports/:id" as get_user_content_export::<OfUser> { summary("Reads an export of a user") },
)]
async fn get_content_export<P: Names>(
    cx: Context,
    owner: Needed<P::Access>,
    export: Prefetched<Export>,
) -> Result<Reply<ContentExport>> {
    let export = export.record()?;
    require_read(&P::area_of(&owner), &export, cx.caller()?.user)?;
    Ok(Reply::ok(view(&cx, &cx.base_url().await?, export).await?))
}

/// Exports a course.
#[endpoint(
    POST "/api/v1/courses/:course_id/content_exports" as create_course_content_export::<OfCourse> { students(400, "students export files; it asks for the type") },
    POST "/api/v1/groups/:group_id/content_exports" as create_group_content_export::<OfGroup> { summary("Exports the files of a group") },
    POST "/api/v1/users/:user_id/content_exports" as create_user_content_export::<OfUser> { summary("Exports the files of a user") },
    throttled("exports of one user"),
    answers(409, "Too many exports of the caller have not ended yet."),
)]
async fn create_content_export<P: Names>(
    cx: Context,
    owner: Needed<P::Access>,
    body: Form<ExportForm>,
) -> Result<Reply<ContentExport>> {
    let area = P::area_of(&owner);
    area.require_read()?;
    let form = body.decode()?;
    let export_type = export_type(&form, area.owner)?;
    require_export(&area, export_type)?;
    let user = cx.caller()?.user;
    let refused = |message: String| bad_request(&message);
    let new = store::New {
        user,
        export_type,
        skip_notifications: flag("skip_notifications", form.skip_notifications.as_ref()).map_err(refused)?,
        settings: Settings {
            select: Selection::of("select", form.select.as_ref(), is_exported).map_err(refused)?,
            sees_all: area.sees_all,
            old_cartridge: version("version", form.version.as_ref(), ["1.3", "1.1"])?,
            old_qti: version("qti_version", form.qti_version.as_ref(), ["2.1", "1.2"])?,
            base: cx.base_url().await?,
        },
        expires: expiry(&cx).await?,
    };
    let work = cx.db.transaction(async |db| {
        let progress = store::begin(db, &area, user, cx.now).await?;
        take_turn(db, user, cx.now).await?;
        Ok::<_, Error>(store::insert(db, &area, progress, new, cx.now).await?)
    });
    let export = work.await?;
    background::after_response(jobs::run_export(cx.clone(), export.id));
    Ok(Reply::ok(view(&cx, &cx.base_url().await?, export).await?))
}

/// 403 unless the caller may see that export of the owner.
pub(crate) fn require_read(area: &Area, export: &store::Export, user: UserId) -> Result<()> {
    let own = export.user_id == user;
    let may = match (export.export_type, area.owner) {
        (ExportType::Zip, _) => own && area.can_read(),
        (_, Owner::Course(_)) => area.can_manage() || (own && area.sees_all),
        _ => own,
    };
    if may { Ok(()) } else { Err(Error::forbidden()) }
}

/// True of what packages have words for, or a line in their report.
fn is_exported(kind: ContentType) -> bool {
    !matches!(kind, ContentType::CourseSettings | ContentType::ExternalTools)
}

/// 403 unless the caller may make such a package.
fn require_export(area: &Area, export_type: ExportType) -> Result<()> {
    match export_type == ExportType::Zip || area.sees_all {
        true => Ok(()),
        false => Err(Error::forbidden()),
    }
}

fn export_type(form: &ExportForm, owner: Owner) -> Result<ExportType> {
    let named = form.export_type.as_ref().and_then(Value::as_str);
    match (named, owner) {
        (Some("zip"), _) => Ok(ExportType::Zip),
        (Some("common_cartridge"), Owner::Course(_)) => Ok(ExportType::CommonCartridge),
        (Some("qti"), Owner::Course(_)) => Ok(ExportType::Qti),
        _ => Err(bad_request("invalid export_type")),
    }
}

/// True if the older of two versions was asked for.
fn version(name: &str, given: Option<&Value>, [newer, older]: [&str; 2]) -> Result<bool> {
    let given = match given {
        None | Some(Value::Null) => return Ok(false),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(other) => other.to_string(),
    };
    match given.as_str() {
        "" => Ok(false),
        text if text == newer => Ok(false),
        text if text == older => Ok(true),
        _ => Err(bad_request(&format!("{name} must be {newer} or {older}"))),
    }
}

/// 400 as the reference system has it here.
fn bad_request(message: &str) -> Error {
    Error::own(http::StatusCode::BAD_REQUEST, json!({ "message": message }))
}

async fn view(cx: &Context, base: &str, export: store::Export) -> Result<ContentExport> {
    let may_have = export.may_have(cx.caller()?.user);
    let attachment = match &export.package {
        Some(package) if cx.now < export.expires_at && may_have => Some(File::of(base, &package.0, cx.now).await?),
        _ => None,
    };
    let word = OWNERS.iter().find(|(_, kind)| *kind == export.context_type).map_or("users", |(word, _)| word);
    let issues_url = format!("{base}/api/v1/{word}/{}/content_exports/{}/issues", export.context_id, export.id);
    Ok(ContentExport {
        id: export.id,
        user_id: export.user_id,
        created_at: export.created_at,
        workflow_state: export.workflow_state,
        export_type: export.export_type,
        course_id: (export.context_type == "Course").then_some(CourseId(export.context_id)),
        attachment,
        progress_url: format!("{base}/api/v1/progress/{}", export.progress_id),
        issues_url,
        issues_count: if may_have { export.issues_count } else { 0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_one_of_two() {
        let old = |value: Value| version("version", Some(&value), ["1.3", "1.1"]);
        assert!(!version("version", None, ["1.3", "1.1"]).unwrap());
        assert!(!old(json!("1.3")).unwrap() && !old(json!(1.3)).unwrap() && !old(json!("")).unwrap());
        assert!(old(json!("1.1")).unwrap() && old(json!(1.1)).unwrap());
        assert!(old(json!("1.2")).is_err() && old(json!([])).is_err());
    }
}
