//! Files: the lists of what a course, a group or a user has, and each one's record. See `docs/contract/files.md`.

pub(crate) mod download;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::files::{
    self, Area, Attachment, File, Names, NewUpload, OfCourse, OfGroup, OfUser, UploadForm, require_name,
};
use shared::ids::{AttachmentId, FolderId, UserId};
use shared::needs::Needed;
use shared::params::{NoParameters, SearchTerm};
use shared::prefetch::Prefetched;
use shared::{Context, Db, Error, Form, JsonSchema, Patch, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::checks;
use crate::model::unsupported;
use crate::model::uploaders::Uploader;
use crate::store::attachments::{self as store, StoredFile};
use crate::store::folders::{self, Folder};
use crate::store::needs::NeededInArea;

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
async fn get_quota<P: Names>(cx: Context, owner: Needed<P::Access>) -> Result<Reply<Quota>> {
    let area = P::area_of(&owner);
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
    owner: Needed<P::Access>,
    body: Query<ListForm>,
) -> Result<Reply<Vec<FileWithUser>>> {
    let area = P::area_of(&owner);
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
    folder: NeededInArea<Folder>,
    body: Query<ListForm>,
) -> Result<Reply<Vec<FileWithUser>>> {
    folder.require_read(folder.area())?;
    listed(&cx, folder.area(), Some(folder.id), body).await
}

async fn listed(
    cx: &Context,
    area: &Area,
    folder: Option<FolderId>,
    body: Query<ListForm>,
) -> Result<Reply<Vec<FileWithUser>>> {
    let form = body.decode()?;
    checks::filter("content_types", &form.content_types)?;
    checks::filter("exclude_content_types", &form.exclude_content_types)?;
    let which = store::FileFilter {
        folder,
        search: SearchTerm::read(form.search_term.as_deref())?,
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
    owner: Needed<P::Access>,
    file: Prefetched<StoredFile>,
    query: Query<Include>,
) -> Result<Reply<FileWithUser>> {
    let area = P::area_of(&owner);
    shown(&cx, &area, &of_owner(&area, file)?, query).await
}

/// The file, which is one of the owner's.
pub(crate) fn of_owner(area: &Area, file: Prefetched<StoredFile>) -> Result<StoredFile> {
    let file = file.record()?;
    if file.file().owner() == Some(area.owner) { Ok(file) } else { Err(Error::not_found()) }
}

/// Reads a file.
#[endpoint(GET "/api/v1/files/:id", students(200, "students see what is neither hidden nor closed"))]
async fn get_file(cx: Context, file: NeededInArea<StoredFile>, query: Query<Include>) -> Result<Reply<FileWithUser>> {
    shown(&cx, file.area(), &file, query).await
}

async fn shown(cx: &Context, area: &Area, stored: &StoredFile, query: Query<Include>) -> Result<Reply<FileWithUser>> {
    area.require_read()?;
    let include = query.decode()?.include;
    let closed = !area.sees_all && stored.is_closed(cx.now);
    let (file, base) = (stored.file(), cx.base_url().await?);
    let (_, user) = uploaders(cx, &include, std::slice::from_ref(file), &base).await?.pop_first().unzip();
    Ok(Reply::ok(FileWithUser { file: view(cx, area, file, &base, closed).await?, user }))
}

/// Gives an address that needs no token, for an hour.
#[endpoint(GET "/api/v1/files/:id/public_url", students(200, "students see what is neither hidden nor closed"))]
async fn get_file_public_url(cx: Context, file: NeededInArea<StoredFile>) -> Result<Reply<PublicUrl>> {
    require_open_right(&cx, file.area(), &file)?;
    Ok(Reply::ok(PublicUrl { public_url: files::address(&cx.base_url().await?, file.file().id, cx.now).await? }))
}

/// Changes a file's name, folder or visibility.
#[endpoint(
    PUT "/api/v1/files/:id",
    unsupported(unsupported::FILE),
    answers(409, "The folder has a file of that name, and nothing says what becomes of it."),
)]
async fn update_file(cx: Context, stored: NeededInArea<StoredFile>, body: Form<FileForm>) -> Result<Reply<File>> {
    let area = stored.area();
    area.require_manage()?;
    stored.require_changeable()?;
    let form = body.decode()?;
    let folder = match form.parent_folder_id {
        Some(id) => Some(own_folder(&cx.db, &cx, area, id).await?),
        None => None,
    };
    let changes = store::FileChanges {
        name: form.name.as_deref().map(require_name).transpose()?.map(str::to_owned),
        folder,
        on_duplicate: form.on_duplicate,
        visibility: Changes::default()
            .set("locked", form.locked)
            .set("hidden", form.hidden)
            .set("lock_at", form.lock_at.map(|at| at.to_string()))
            .set("unlock_at", form.unlock_at.map(|at| at.to_string())),
    };
    let file = store::update(&cx.db, stored.file().id, changes, cx.now).await?;
    Ok(Reply::ok(view(&cx, area, &file, &cx.base_url().await?, false).await?))
}

/// Deletes a file.
#[endpoint(DELETE "/api/v1/files/:id", unsupported(unsupported::DELETED_FILE))]
async fn delete_file(cx: Context, stored: NeededInArea<StoredFile>, query: Query<NoParameters>) -> Result<Reply<File>> {
    let (area, file) = (stored.area(), stored.file());
    area.require_manage()?;
    stored.require_changeable()?;
    query.decode()?;
    store::delete(&cx.db, file.id, cx.now).await?;
    Ok(Reply::ok(view(&cx, area, file, &cx.base_url().await?, false).await?))
}

/// Announces a file of a course.
#[endpoint(
    POST "/api/v1/courses/:course_id/files" as create_course_file::<OfCourse>,
    POST "/api/v1/groups/:group_id/files" as create_group_file::<OfGroup> { summary("Announces a file of a group") },
    POST "/api/v1/users/:user_id/files" as create_user_file::<OfUser> {
        summary("Announces a file of a user"),
        token_or_page,
    },
    throttled("files that one user announces"),
)]
async fn create_file<P: Names>(
    cx: Context,
    owner: Needed<P::Access>,
    body: Form<UploadForm>,
) -> Result<Reply<NewUpload>> {
    let area = P::area_of(&owner);
    area.require_manage()?;
    let form = body.decode()?;
    let base = cx.base_url().await?;
    // The folders of a path are not left behind where the file is refused.
    let makes_folders = form.parent_folder_path.is_some();
    let work = cx.db.transaction_if(makes_folders, async |db| {
        let folder = folder_of_form(db, &cx, &area, &form).await?;
        started(db, &cx, &base, &area, folder, form).await
    });
    work.await
}

/// The folder into which a file is to come.
async fn folder_of_form(db: &Db, cx: &Context, area: &Area, form: &UploadForm) -> Result<FolderId> {
    match (form.parent_folder_id, form.parent_folder_path.as_deref()) {
        (Some(_), Some(_)) => Err(Error::bad_request("Can't set folder path and folder id")),
        (Some(id), None) => own_folder(db, cx, area, id).await,
        (None, Some(path)) => {
            crate::routes::folders::check_path(path)?;
            let folder = folders::at_path(db, area, path, cx.now).await?;
            own_folder(db, cx, area, folder).await
        }
        (None, None) => Ok(files::root_folder(db, area.root_account, area.owner, cx.now).await?),
    }
}

/// Announces a file in a folder.
#[endpoint(POST "/api/v1/folders/:id/files", throttled("files that one user announces"))]
async fn create_folder_file(
    cx: Context,
    folder: NeededInArea<Folder>,
    body: Form<UploadForm>,
) -> Result<Reply<NewUpload>> {
    folder.area().require_manage()?;
    folder.require_changeable()?;
    started(&cx.db, &cx, &cx.base_url().await?, folder.area(), folder.id, body.decode()?).await
}

async fn started(
    db: &Db,
    cx: &Context,
    base: &str,
    area: &Area,
    folder: FolderId,
    form: UploadForm,
) -> Result<Reply<NewUpload>> {
    let user = cx.caller()?.user;
    Ok(Reply::ok(files::start_upload(db, base, user, area.place(folder), form, cx.now).await?))
}

/// A folder of the owner in which files are changed by hand.
async fn own_folder(db: &Db, cx: &Context, area: &Area, id: FolderId) -> Result<FolderId> {
    let folder = folders::folder(db, id, cx.now).await?.or_not_found()?;
    if folder.owner() != Some(area.owner) {
        return Err(Error::not_found());
    }
    folder.require_changeable()?;
    Ok(folder.id)
}

/// 403 unless the caller may have the bytes.
pub(crate) fn require_open_right(cx: &Context, area: &Area, file: &StoredFile) -> Result<()> {
    area.require_read()?;
    if !area.sees_all && file.is_closed(cx.now) { Err(Error::forbidden()) } else { Ok(()) }
}

async fn view(cx: &Context, area: &Area, file: &Attachment, base: &str, closed: bool) -> Result<File> {
    match area.sees_all {
        true => File::of(base, file, cx.now).await,
        false => File::for_student(base, file, closed, cx.now).await,
    }
}
