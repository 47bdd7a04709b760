//! Folders of files. See `docs/contract/files.md`.

use serde::{Deserialize, Serialize};
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::files::{self, Area, MAX_FOLDER_DEPTH, MAX_NAME_CHARS, Names, Of, OfCourse, OfGroup, OfUser, require_name};
use shared::ids::FolderId;
use shared::needs::Needed;
use shared::params;
use shared::prefetch::PrefetchedList;
use shared::{Context, Db, Error, Form, JsonSchema, Paged, Patch, Path, Reply, Result, Timestamp, endpoint, endpoints};

use crate::store::folders as store;
use crate::store::needs::NeededInArea;

endpoints![
    list_folders,
    get_course_folder,
    get_folder,
    list_subfolders,
    create_folder,
    create_subfolder,
    update_folder,
    delete_folder,
    get_folder_path
];

/// A folder of files.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Folder {
    id: FolderId,
    name: String,
    /// The names from the root down.
    full_name: String,
    /// `Course`, `Group` or `User`.
    context_type: String,
    context_id: i64,
    parent_folder_id: Option<FolderId>,
    created_at: Timestamp,
    updated_at: Timestamp,
    lock_at: Option<Timestamp>,
    unlock_at: Option<Timestamp>,
    position: Option<i64>,
    /// True if it is closed to students now.
    locked: bool,
    hidden: bool,
    locked_for_user: bool,
    hidden_for_user: bool,
    for_submissions: bool,
    can_upload: bool,
    files_count: i64,
    folders_count: i64,
    folders_url: String,
    files_url: String,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct FolderForm {
    name: Option<String>,
    parent_folder_id: Option<FolderId>,
    /// The folder that it lies in, as a path that is made if need be.
    parent_folder_path: Option<String>,
    lock_at: Patch<Timestamp>,
    unlock_at: Patch<Timestamp>,
    locked: Patch<bool>,
    hidden: Patch<bool>,
    position: Patch<i64>,
}

#[derive(Deserialize, JsonSchema)]
struct DeleteForm {
    /// Deletes what is in the folder too.
    #[serde(default)]
    force: bool,
}

/// Lists all folders of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/folders" as list_course_folders::<OfCourse> { students(200, "students see what is neither hidden nor closed") },
    GET "/api/v1/groups/:group_id/folders" as list_group_folders::<OfGroup> { summary("Lists all folders of a group") },
    GET "/api/v1/users/:user_id/folders" as list_user_folders::<OfUser> { summary("Lists all folders of a user") },
    numbered_pages,
)]
async fn list_folders<P: Names>(cx: Context, owner: Needed<P::Access>) -> Result<Reply<Vec<Folder>>> {
    let area = P::area_of(&owner);
    area.require_read()?;
    let page = cx.page().await?;
    let mut found = store::list(&cx.db, &area, None, &page, cx.now).await?;
    if found.items.is_empty() {
        // The root of a user is made when it is asked for.
        files::root_folder(&cx.db, area.root_account, area.owner, cx.now).await?;
        found = store::list(&cx.db, &area, None, &page, cx.now).await?;
    }
    listed(&cx, &area, found).await
}

/// Lists the folders in a folder.
#[endpoint(
    GET "/api/v1/folders/:id/folders",
    numbered_pages,
    students(200, "students see what is neither hidden nor closed"),
)]
async fn list_subfolders(cx: Context, parent: NeededInArea<store::Folder>) -> Result<Reply<Vec<Folder>>> {
    parent.require_read(parent.area())?;
    let found = store::list(&cx.db, parent.area(), Some(parent.id), &cx.page().await?, cx.now).await?;
    listed(&cx, parent.area(), found).await
}

async fn listed(cx: &Context, area: &Area, found: Paged<store::Folder>) -> Result<Reply<Vec<Folder>>> {
    let base = cx.base_url().await?;
    Ok(Reply::page(found.map(|folder| view(area, folder, &base))))
}

/// Reads a folder, or the root.
#[endpoint(
    GET "/api/v1/courses/:course_id/folders/:id" as get_course_folder::<OfCourse> { students(200, "students see what is neither hidden nor closed") },
    GET "/api/v1/groups/:group_id/folders/:id" as get_group_folder::<OfGroup>,
    GET "/api/v1/users/:user_id/folders/:id" as get_user_folder::<OfUser>,
)]
async fn get_course_folder<P: Names>(
    cx: Context,
    Path(at): Path<Of<P, String>>,
    owner: Needed<P::Access>,
) -> Result<Reply<Folder>> {
    let area = P::area_of(&owner);
    let folder = match at.id.as_str() {
        "root" => {
            area.require_read()?;
            root(&cx, &area).await?
        }
        id => own(&cx.db, &cx, &area, id.parse().map_err(|_no_id| Error::not_found())?).await?,
    };
    folder.require_read(&area)?;
    Ok(Reply::ok(view(&area, folder, &cx.base_url().await?)))
}

/// Reads a folder.
#[endpoint(GET "/api/v1/folders/:id", students(200, "students see what is neither hidden nor closed"))]
async fn get_folder(cx: Context, folder: NeededInArea<store::Folder>) -> Result<Reply<Folder>> {
    folder.require_read(folder.area())?;
    let (area, folder) = folder.into_record().into_parts();
    Ok(Reply::ok(view(&area, folder, &cx.base_url().await?)))
}

/// Lists the folders from the root down to a folder.
#[endpoint(GET "/api/v1/folders/:id/path", students(200, "students see what is neither hidden nor closed"))]
async fn get_folder_path(
    cx: Context,
    folder: NeededInArea<store::Folder>,
    path: PrefetchedList<store::FoldersDownTo>,
) -> Result<Reply<Vec<Folder>>> {
    folder.require_read(folder.area())?;
    let base = cx.base_url().await?;
    Ok(Reply::ok(path.rows()?.into_iter().map(|above| view(folder.area(), above, &base)).collect()))
}

/// Creates a folder of a course.
#[endpoint(
    POST "/api/v1/courses/:course_id/folders" as create_course_folder::<OfCourse>,
    POST "/api/v1/groups/:group_id/folders" as create_group_folder::<OfGroup> { summary("Creates a folder of a group") },
    POST "/api/v1/users/:user_id/folders" as create_user_folder::<OfUser> { summary("Creates a folder of a user") },
    throttled("folders that one owner gets"),
)]
async fn create_folder<P: Names>(
    cx: Context,
    owner: Needed<P::Access>,
    body: Form<FolderForm>,
) -> Result<Reply<Folder>> {
    let area = P::area_of(&owner);
    area.require_manage()?;
    let form = body.decode()?;
    let base = cx.base_url().await?;
    // The folders of a path are not left behind where the one in them is refused.
    let makes_several = form.parent_folder_path.is_some();
    let work = cx.db.transaction_if(makes_several, async |db| {
        let parent = parent_of_form(db, &cx, &area, &form).await?;
        created(db, &cx, &base, &area, parent.as_ref(), form).await
    });
    work.await
}

/// The folder in which a new one is to lie, where the form names one.
async fn parent_of_form(db: &Db, cx: &Context, area: &Area, form: &FolderForm) -> Result<Option<store::Folder>> {
    let id = match (form.parent_folder_id, form.parent_folder_path.as_deref()) {
        (Some(_), Some(_)) => return Err(Error::bad_request("Can't set folder path and folder id")),
        (Some(id), None) => id,
        (None, Some(path)) => {
            check_path(path)?;
            store::at_path(db, area, path, cx.now).await?
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(own(db, cx, area, id).await?))
}

/// Creates a folder in a folder.
#[endpoint(POST "/api/v1/folders/:id/folders", throttled("folders that one owner gets"))]
async fn create_subfolder(
    cx: Context,
    parent: NeededInArea<store::Folder>,
    body: Form<FolderForm>,
) -> Result<Reply<Folder>> {
    parent.area().require_manage()?;
    created(&cx.db, &cx, &cx.base_url().await?, parent.area(), Some(&parent), body.decode()?).await
}

/// A new folder in `parent`, or else in the root.
async fn created(
    db: &Db,
    cx: &Context,
    base: &str,
    area: &Area,
    parent: Option<&store::Folder>,
    form: FolderForm,
) -> Result<Reply<Folder>> {
    let name = require_name(form.name.as_deref().ok_or_else(|| Error::missing("name"))?)?;
    parent.map_or(Ok(()), require_folder_of_folders)?;
    let new = store::NewFolder {
        name: name.to_owned(),
        locked: form.locked.unwrap_or(false),
        hidden: form.hidden.unwrap_or(false),
        lock_at: form.lock_at.into_option(),
        unlock_at: form.unlock_at.into_option(),
        position: form.position.into_option(),
    };
    let parent = parent.map(|parent| parent.id);
    let folder = match store::insert(db, area, parent, &new, cx.now).await? {
        None if parent.is_none() => {
            // The root of a user is made when it is needed first.
            let root = files::root_folder(db, area.root_account, area.owner, cx.now).await?;
            store::insert(db, area, Some(root), &new, cx.now).await?
        }
        made => made,
    };
    Ok(Reply::ok(view(area, folder.or_not_found()?, base)))
}

/// Changes a folder.
#[endpoint(PUT "/api/v1/folders/:id")]
async fn update_folder(
    cx: Context,
    folder: NeededInArea<store::Folder>,
    body: Form<FolderForm>,
) -> Result<Reply<Folder>> {
    let area = folder.area();
    area.require_manage()?;
    folder.require_changeable()?;
    let form = body.decode()?;
    let parent = match form.parent_folder_id {
        Some(id) => Some(own(&cx.db, &cx, area, id).await?),
        None => None,
    };
    if let Some(parent) = &parent {
        require_folder_of_folders(parent)?;
    }
    let is_root = folder.parent_folder_id.is_none();
    if is_root && parent.is_some() {
        return Err(Error::invalid("parent_folder_id", "invalid", "cannot be set for the root"));
    }
    let changes = Changes::default()
        .set("name", Patch::from(form.name.as_deref().map(require_name).transpose()?))
        .set("locked", form.locked)
        .set("hidden", form.hidden)
        .set("lock_at", form.lock_at.map(|at| at.to_string()))
        .set("unlock_at", form.unlock_at.map(|at| at.to_string()))
        .set("position", form.position);
    let folder = store::update(&cx.db, folder.id, parent.map(|parent| parent.id), changes, cx.now).await?;
    Ok(Reply::ok(view(area, folder, &cx.base_url().await?)))
}

/// Deletes a folder: with what is in it, if that is forced.
#[endpoint(DELETE "/api/v1/folders/:id")]
async fn delete_folder(
    cx: Context,
    folder: NeededInArea<store::Folder>,
    body: Form<DeleteForm>,
) -> Result<Reply<Folder>> {
    folder.area().require_manage()?;
    folder.require_changeable()?;
    if folder.parent_folder_id.is_none() {
        return Err(Error::bad_request("Can't delete the root folder"));
    }
    let force = body.decode()?.force;
    if !store::delete(&cx.db, folder.id, force, cx.now).await? {
        return Err(Error::bad_request("Can't delete a folder with content"));
    }
    let (area, folder) = folder.into_record().into_parts();
    Ok(Reply::ok(view(&area, folder, &cx.base_url().await?)))
}

/// The root of the owner, which of a user is made when it is asked for.
async fn root(cx: &Context, area: &Area) -> Result<store::Folder> {
    if let Some(root) = store::root(&cx.db, area.owner, cx.now).await? {
        return Ok(root);
    }
    let root = files::root_folder(&cx.db, area.root_account, area.owner, cx.now).await?;
    store::folder(&cx.db, root, cx.now).await?.or_not_found()
}

/// A folder of that owner.
async fn own(db: &Db, cx: &Context, area: &Area, id: FolderId) -> Result<store::Folder> {
    let folder = store::folder(db, id, cx.now).await?.or_not_found()?;
    if folder.owner() == Some(area.owner) { Ok(folder) } else { Err(Error::not_found()) }
}

fn require_folder_of_folders(parent: &store::Folder) -> Result<()> {
    parent.require_changeable()?;
    match parent.full_name.split('/').count() >= MAX_FOLDER_DEPTH {
        true => {
            Err(Error::invalid("parent_folder_id", "too_deep", format!("is nested {MAX_FOLDER_DEPTH} deep already")))
        }
        false => Ok(()),
    }
}

/// Refuses a path that names more folders than are nested, or names that are none.
pub(crate) fn check_path(path: &str) -> Result<()> {
    if path.split('/').count() >= MAX_FOLDER_DEPTH {
        return Err(Error::invalid("parent_folder_path", "too_deep", format!("is more than {MAX_FOLDER_DEPTH} deep")));
    }
    for part in path.split('/') {
        params::not_too_long("parent_folder_path", part, MAX_NAME_CHARS)?;
        if part.chars().any(char::is_control) {
            return Err(Error::invalid("parent_folder_path", "invalid", "must not contain control characters"));
        }
    }
    Ok(())
}

fn view(area: &Area, folder: store::Folder, base: &str) -> Folder {
    let address = format!("{base}/api/v1/folders/{}", folder.id);
    Folder {
        id: folder.id,
        name: folder.name,
        full_name: folder.full_name,
        context_type: folder.context_type,
        context_id: folder.context_id,
        parent_folder_id: folder.parent_folder_id,
        created_at: folder.created_at,
        updated_at: folder.updated_at,
        lock_at: folder.lock_at,
        unlock_at: folder.unlock_at,
        position: folder.position,
        locked: folder.locked,
        hidden: folder.hidden,
        locked_for_user: !area.sees_all && folder.locked_above,
        hidden_for_user: !area.sees_all && folder.hidden,
        for_submissions: folder.for_submissions,
        can_upload: area.can_manage() && !folder.for_submissions,
        files_count: folder.files_count,
        folders_count: folder.folders_count,
        folders_url: format!("{address}/folders"),
        files_url: format!("{address}/files"),
    }
}
