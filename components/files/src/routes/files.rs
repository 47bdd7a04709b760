//! Files: the lists of what a course, a group or a user has, and each one's record. See `docs/contract/files.md`.

pub(crate) mod download;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::files::{
    self, Area, Attachment, File, MAX_NAME_CHARS, Names, NewUpload, Of, OfCourse, OfGroup, OfUser, UploadForm, area,
    area_of,
};
use shared::ids::{AttachmentId, FolderId, UserId};
use shared::params;
use shared::params::NoParameters;
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::checks;
use crate::model::unsupported;
use crate::model::uploaders::Uploader;
use crate::store::{attachments as store, folders};

endpoints![
    list_files,
    list_folder_files,
    get_course_file,
    get_quota,
    get_file,
    get_file_public_url,
    update_file,
    delete_file,
    create_file,
    create_folder_file
];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct FilePath {
    pub(crate) id: AttachmentId,
}

#[derive(Deserialize, JsonSchema)]
struct FolderPath {
    id: FolderId,
}

/// The files of a list, and their order.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ListForm {
    /// Part of the name.
    search_term: Option<String>,
    /// Media types, or the first half of them: `image`.
    content_types: Vec<String>,
    /// Media types, or the first half of them, that are left out.
    exclude_content_types: Vec<String>,
    /// `name`, `size`, `created_at`, `updated_at`, `content_type` or `user`.
    sort: Option<String>,
    /// `asc` or `desc`.
    order: Option<String>,
    /// `user`; others are passed over.
    include: Vec<String>,
}

/// The records that are answered beside a file.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Include {
    /// `user`; others are passed over.
    include: Vec<String>,
}

/// A file with whoever uploaded it.
#[derive(Serialize, JsonSchema)]
struct FileWithUser {
    #[serde(flatten)]
    file: File,
    /// Where `include[]=user` asks for it and it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<Uploader>,
}

/// The fields of a file that are changed.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct FileForm {
    name: Option<String>,
    parent_folder_id: Option<FolderId>,
    /// The way to treat a file of the same name in the folder: `overwrite` or `rename`; without it that is refused.
    on_duplicate: Option<files::OnDuplicate>,
    lock_at: Patch<Timestamp>,
    unlock_at: Patch<Timestamp>,
    locked: Patch<bool>,
    hidden: Patch<bool>,
}

#[derive(Serialize, JsonSchema)]
struct PublicUrl {
    public_url: String,
}

/// The room for files, in bytes.
#[derive(Serialize, JsonSchema)]
struct Quota {
    quota: i64,
    quota_used: i64,
}

/// Tells how much room a course has.
#[endpoint(
    GET "/api/v1/courses/:course_id/files/quota" as get_course_file_quota::<OfCourse>,
    GET "/api/v1/groups/:group_id/files/quota" as get_group_file_quota::<OfGroup> { summary("Tells how much room a group has") },
    GET "/api/v1/users/:user_id/files/quota" as get_user_file_quota::<OfUser> { summary("Tells how much room a user has") },
)]
async fn get_quota<P: Names>(cx: Context, Path(at): Path<P>) -> Result<Reply<Quota>> {
    let area = at.area(&cx).await?;
    area.require_manage()?;
    Ok(Reply::ok(Quota { quota: files::quota().await?, quota_used: files::used(&cx.db, area.owner).await? }))
}

/// Lists the files of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/files" as list_course_files::<OfCourse> { students(200, "students see what is neither hidden nor closed") },
    GET "/api/v1/groups/:group_id/files" as list_group_files::<OfGroup> { summary("Lists the files of a group") },
    GET "/api/v1/users/:user_id/files" as list_user_files::<OfUser> { summary("Lists the files of a user") },
    numbered_pages,
)]
async fn list_files<P: Names>(
    cx: Context,
    Path(at): Path<P>,
    body: Query<ListForm>,
) -> Result<Reply<Vec<FileWithUser>>> {
    let area = at.area(&cx).await?;
    area.require_read()?;
    listed(&cx, &area, None, body).await
}

/// Lists the files in a folder.
#[endpoint(
    GET "/api/v1/folders/:id/files",
    numbered_pages,
    students(200, "students see what is neither hidden nor closed"),
)]
async fn list_folder_files(
    cx: Context,
    Path(at): Path<FolderPath>,
    body: Query<ListForm>,
) -> Result<Reply<Vec<FileWithUser>>> {
    let folder = folders::folder(&cx.db, at.id, cx.now).await?.or_not_found()?;
    let area = area(&cx, folder.owner()).await?;
    area.require_read()?;
    if !area.sees_all && folder.closed {
        return Err(Error::forbidden());
    }
    listed(&cx, &area, Some(at.id), body).await
}

async fn listed(
    cx: &Context,
    area: &Area,
    folder: Option<FolderId>,
    body: Query<ListForm>,
) -> Result<Reply<Vec<FileWithUser>>> {
    let form = body.decode()?;
    checks::search_term(form.search_term.as_deref())?;
    checks::filter("content_types", &form.content_types)?;
    checks::filter("exclude_content_types", &form.exclude_content_types)?;
    let which = store::FileFilter {
        folder,
        search: form.search_term,
        content_types: form.content_types,
        exclude_content_types: form.exclude_content_types,
        order: store::Order::of(form.sort.as_deref(), form.order.as_deref()),
    };
    let found = store::list(&cx.db, area, which, &cx.page().await?, cx.now).await?;
    let base = cx.base_url().await?;
    let uploaders = uploaders(cx, &form.include, &found.items, &base).await?;
    let with_user = async |file: Attachment| {
        let user = file.user_id.and_then(|user| uploaders.get(&user)).cloned();
        Ok::<_, Error>(FileWithUser { file: view(cx, area, &file, &base, false).await?, user })
    };
    Ok(Reply::page(found.then(with_user).await?))
}

/// Those who have uploaded these files, where they are asked for.
async fn uploaders(
    cx: &Context,
    include: &[String],
    files: &[Attachment],
    base: &str,
) -> Result<BTreeMap<UserId, Uploader>> {
    if !include.iter().any(|word| word == "user") {
        return Ok(BTreeMap::new());
    }
    let ids: BTreeSet<_> = files.iter().filter_map(|file| file.user_id).collect();
    let named = store::names(&cx.db, ids.into_iter().collect()).await?;
    Ok(named.into_iter().map(|user| (user.id, Uploader::new(user, base))).collect())
}

/// Reads a file of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/files/:id" as get_course_file::<OfCourse> { students(200, "students see what is neither hidden nor closed") },
    GET "/api/v1/groups/:group_id/files/:id" as get_group_file::<OfGroup> { summary("Reads a file of a group") },
    GET "/api/v1/users/:user_id/files/:id" as get_user_file::<OfUser> {
        summary("Reads a file of a user"),
        token_or_page,
    },
)]
async fn get_course_file<P: Names>(
    cx: Context,
    Path(at): Path<Of<P, AttachmentId>>,
    query: Query<Include>,
) -> Result<Reply<FileWithUser>> {
    let area = at.owner.area(&cx).await?;
    let file = files::attachment(&cx.db, at.id).await?.or_not_found()?;
    if file.owner() != Some(area.owner) {
        return Err(Error::not_found());
    }
    shown(&cx, &area, file, query).await
}

/// Reads a file.
#[endpoint(GET "/api/v1/files/:id", students(200, "students see what is neither hidden nor closed"))]
async fn get_file(cx: Context, Path(at): Path<FilePath>, query: Query<Include>) -> Result<Reply<FileWithUser>> {
    let (area, file) = find(&cx, at.id).await?;
    shown(&cx, &area, file, query).await
}

async fn shown(cx: &Context, area: &Area, file: Attachment, query: Query<Include>) -> Result<Reply<FileWithUser>> {
    area.require_read()?;
    let include = query.decode()?.include;
    let closed = !area.sees_all && is_closed(cx, &file).await?;
    let base = cx.base_url().await?;
    let (_, user) = uploaders(cx, &include, std::slice::from_ref(&file), &base).await?.pop_first().unzip();
    Ok(Reply::ok(FileWithUser { file: view(cx, area, &file, &base, closed).await?, user }))
}

/// Gives an address that needs no token, for an hour.
#[endpoint(GET "/api/v1/files/:id/public_url", students(200, "students see what is neither hidden nor closed"))]
async fn get_file_public_url(cx: Context, Path(at): Path<FilePath>) -> Result<Reply<PublicUrl>> {
    let (area, file) = find(&cx, at.id).await?;
    require_open_right(&cx, &area, &file).await?;
    Ok(Reply::ok(PublicUrl { public_url: files::address(&cx.base_url().await?, file.id, cx.now).await? }))
}

/// Changes a file's name, folder or visibility.
#[endpoint(
    PUT "/api/v1/files/:id",
    unsupported(unsupported::FILE),
    answers(409, "The folder has a file of that name, and nothing says what becomes of it."),
)]
async fn update_file(cx: Context, Path(at): Path<FilePath>, body: Form<FileForm>) -> Result<Reply<File>> {
    let (area, file) = find(&cx, at.id).await?;
    area.require_manage()?;
    require_changeable(&cx, &file).await?;
    let form = body.decode()?;
    let folder = match form.parent_folder_id {
        Some(id) => Some(own_folder(&cx, &area, id).await?),
        None => None,
    };
    let changes = store::FileChanges {
        name: name(form.name.as_deref())?,
        folder,
        on_duplicate: form.on_duplicate,
        visibility: Changes::default()
            .set("locked", form.locked)
            .set("hidden", form.hidden)
            .set("lock_at", form.lock_at.map(|at| at.to_string()))
            .set("unlock_at", form.unlock_at.map(|at| at.to_string())),
    };
    let file = store::update(&cx.db, file.id, changes, cx.now).await?;
    Ok(Reply::ok(view(&cx, &area, &file, &cx.base_url().await?, false).await?))
}

fn name(given: Option<&str>) -> Result<Option<String>> {
    let Some(name) = given.map(str::trim) else { return Ok(None) };
    if name.is_empty() {
        return Err(Error::invalid("name", "blank", "can't be blank"));
    }
    if name.contains(['/', '\\']) || name.chars().any(char::is_control) {
        return Err(Error::invalid("name", "invalid", "must not contain slashes"));
    }
    params::not_too_long("name", name, MAX_NAME_CHARS)?;
    Ok(Some(name.to_owned()))
}

/// Deletes a file.
#[endpoint(DELETE "/api/v1/files/:id", unsupported(unsupported::DELETED_FILE))]
async fn delete_file(cx: Context, Path(at): Path<FilePath>, query: Query<NoParameters>) -> Result<Reply<File>> {
    let (area, file) = find(&cx, at.id).await?;
    area.require_manage()?;
    require_changeable(&cx, &file).await?;
    query.decode()?;
    store::delete(&cx.db, file.id, cx.now).await?;
    Ok(Reply::ok(view(&cx, &area, &file, &cx.base_url().await?, false).await?))
}

/// Announces a file of a course.
#[endpoint(
    POST "/api/v1/courses/:course_id/files" as create_course_file::<OfCourse>,
    POST "/api/v1/groups/:group_id/files" as create_group_file::<OfGroup> { summary("Announces a file of a group") },
    POST "/api/v1/users/:user_id/files" as create_user_file::<OfUser> {
        summary("Announces a file of a user"),
        token_or_page,
    },
    throttled("files that are announced and not uploaded"),
)]
async fn create_file<P: Names>(cx: Context, Path(at): Path<P>, body: Form<UploadForm>) -> Result<Reply<NewUpload>> {
    let area = at.area(&cx).await?;
    area.require_manage()?;
    let form = body.decode()?;
    let folder = match (form.parent_folder_id, form.parent_folder_path.as_deref()) {
        (Some(_), Some(_)) => return Err(Error::bad_request("Can't set folder path and folder id")),
        (Some(id), None) => own_folder(&cx, &area, id).await?,
        (None, Some(path)) => {
            crate::routes::folders::check_path(path)?;
            let folder = files::folder_at(&cx.db, area.root_account, area.owner, path, cx.now).await?;
            own_folder(&cx, &area, folder).await?
        }
        (None, None) => files::root_folder(&cx.db, area.root_account, area.owner, cx.now).await?,
    };
    started(&cx, &area, folder, form).await
}

/// Announces a file in a folder.
#[endpoint(POST "/api/v1/folders/:id/files", throttled("files that are announced and not uploaded"))]
async fn create_folder_file(
    cx: Context,
    Path(at): Path<FolderPath>,
    body: Form<UploadForm>,
) -> Result<Reply<NewUpload>> {
    let folder = folders::folder(&cx.db, at.id, cx.now).await?.or_not_found()?;
    let area = area(&cx, folder.owner()).await?;
    area.require_manage()?;
    let folder = own_folder(&cx, &area, at.id).await?;
    started(&cx, &area, folder, body.decode()?).await
}

async fn started(cx: &Context, area: &Area, folder: FolderId, form: UploadForm) -> Result<Reply<NewUpload>> {
    let (base, user) = (cx.base_url().await?, cx.caller()?.user);
    Ok(Reply::ok(files::start_upload(&cx.db, &base, user, area.place(folder), form, cx.now).await?))
}

/// A folder of the owner in which files are changed by hand.
async fn own_folder(cx: &Context, area: &Area, id: FolderId) -> Result<FolderId> {
    let folder = folders::folder(&cx.db, id, cx.now).await?.or_not_found()?;
    if folder.owner() != Some(area.owner) {
        return Err(Error::not_found());
    }
    if folder.for_submissions { Err(Error::forbidden()) } else { Ok(folder.id) }
}

pub(crate) async fn find(cx: &Context, id: AttachmentId) -> Result<(Area, Attachment)> {
    let file = files::attachment(&cx.db, id).await?.or_not_found()?;
    Ok((area_of(cx, &file).await?, file))
}

/// 403 unless the caller may have the bytes.
pub(crate) async fn require_open_right(cx: &Context, area: &Area, file: &Attachment) -> Result<()> {
    area.require_read()?;
    if !area.sees_all && is_closed(cx, file).await? { Err(Error::forbidden()) } else { Ok(()) }
}

/// True if the file, or a folder above it, is closed to students.
async fn is_closed(cx: &Context, file: &Attachment) -> Result<bool> {
    if file.is_locked(cx.now) {
        return Ok(true);
    }
    match file.folder_id {
        Some(folder) => Ok(folders::folder(&cx.db, folder, cx.now).await?.is_none_or(|folder| folder.locked_above)),
        None => Ok(false),
    }
}

/// 403 where the file was handed in.
async fn require_changeable(cx: &Context, file: &Attachment) -> Result<()> {
    let Some(folder) = file.folder_id else { return Ok(()) };
    let folder = folders::folder(&cx.db, folder, cx.now).await?;
    if folder.is_some_and(|folder| folder.for_submissions) { Err(Error::forbidden()) } else { Ok(()) }
}

async fn view(cx: &Context, area: &Area, file: &Attachment, base: &str, closed: bool) -> Result<File> {
    match area.sees_all {
        true => File::of(base, file, cx.now).await,
        false => File::for_student(base, file, closed, cx.now).await,
    }
}
