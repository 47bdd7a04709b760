//! The first of an upload's three steps: the file is announced, and an address is given out that takes its bytes.
//!
//! See "Uploads" in `docs/contract/files.md`. The second step needs no token, and asks again whether the user may
//! do what the first one asked for; the third reads the file.

use database::{Bind, Db, IdRow};
use serde::{Deserialize, Serialize};
use types::JsonSchema;
use types::clock::{MINUTE, Timestamp};
use types::ids::{AccountId, AttachmentId, FolderId, UploadId, UserId};
use web::LimitKind;
use web::config;
use web::error::{Error, Result};

use super::Owner;
use super::names::{MAX_NAME_CHARS, name_of_upload};
use crate::signed_links;

/// The purpose of tickets of uploads.
pub const UPLOAD_TICKET: &str = "file upload";
/// The time for which the address is good, in seconds.
const ADDRESS_IS_GOOD_FOR: i64 = 30 * MINUTE;
const MEGABYTE: i64 = 1024 * 1024;
/// The most uploads that a user has announced and not made: each of them takes up room.
const MAX_PENDING_UPLOADS: i64 = 100;
/// The most uploads that a user announces within the time for which an address is good, made or not.
const MAX_ANNOUNCED_UPLOADS: i64 = 2_000;
/// After so many seconds somebody with that many may look again.
const UPLOADS_WAIT: i64 = 60;
/// The most files of a course, a group or a user.
const MAX_FILES: i64 = 20_000;

/// The fields of a file that it is about to upload.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UploadForm {
    /// The name of the file.
    pub name: Option<String>,
    /// Another word for `name`.
    pub filename: Option<String>,
    /// The announced size in bytes. More are not taken; without it, as many as there is room for.
    pub size: Option<i64>,
    /// The media type; without one it is guessed from the name.
    pub content_type: Option<String>,
    /// The folder; without one it is the root of the folders.
    pub parent_folder_id: Option<FolderId>,
    /// The folder as a path, which is made if need be.
    pub parent_folder_path: Option<String>,
    /// The way to treat a file of the same name in the folder: `overwrite` or `rename`.
    pub on_duplicate: OnDuplicate,
    /// Files are not fetched from elsewhere.
    pub url: Option<String>,
}

/// The way to treat a file of the same name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnDuplicate {
    /// The new file takes its place.
    #[default]
    Overwrite,
    /// The new file gets another name.
    Rename,
}

impl Bind for OnDuplicate {
    fn value(self) -> database::Value {
        let name = match self {
            Self::Overwrite => "overwrite",
            Self::Rename => "rename",
        };
        name.value()
    }
}

/// The place to which a file goes.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The tenant.
    pub root_account: AccountId,
    /// Its owner-to-be.
    pub owner: Owner,
    /// The folder, which must be one of the owner's; `None`: it is found by its id alone.
    pub folder: Option<FolderId>,
}

/// An upload that was announced, as the client is told of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NewUpload {
    /// Not told; for the area that started it.
    #[serde(skip)]
    pub id: UploadId,
    /// Takes the bytes in a multipart form, once and without a token.
    upload_url: String,
    /// Fields of that form that come before the file.
    upload_params: UploadParams,
    /// The name of the form's field that holds the file.
    file_param: &'static str,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct UploadParams {
    filename: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<String>,
}

/// An upload as it is stored.
#[derive(Debug, Clone, Deserialize)]
pub struct Upload {
    /// Its id.
    pub id: UploadId,
    /// The tenant.
    pub root_account_id: AccountId,
    /// The owner-to-be of the file.
    pub context_type: String,
    /// The id of what the file will belong to.
    pub context_id: i64,
    /// The folder.
    pub folder_id: Option<FolderId>,
    /// The user who uploads it.
    pub user_id: UserId,
    /// The name.
    pub name: String,
    /// The media type that was announced.
    pub content_type: Option<String>,
    /// The greatest size in bytes.
    pub size_limit: i64,
    /// `overwrite` or `rename`.
    pub on_duplicate: OnDuplicate,
    /// The file, when it has come.
    pub attachment_id: Option<AttachmentId>,
    /// The blob to which the bytes go that somebody has begun to send.
    pub blob: Option<String>,
}

/// Announces a file. The rights are checked by whoever calls this; `base` is the service's address.
pub async fn start_upload(
    db: &Db,
    base: &str,
    user: UserId,
    place: Place,
    form: UploadForm,
    now: Timestamp,
) -> Result<NewUpload> {
    let announced = Announced::of(form, now).await?;
    let id = announce(db, user, place, &announced, now).await?;
    let Announced { name, content_type, expires, .. } = announced;
    let ticket = signed_links::issue(UPLOAD_TICKET, &id.to_string(), expires).await?;
    Ok(NewUpload {
        id,
        upload_url: format!("{base}/files_api/{ticket}"),
        upload_params: UploadParams { filename: name, content_type },
        file_param: "file",
    })
}

/// An upload as its client announces it.
struct Announced {
    name: String,
    content_type: Option<String>,
    /// Its bytes, if that is known.
    size: Option<i64>,
    /// The most bytes that a file may have.
    limit: i64,
    on_duplicate: OnDuplicate,
    expires: Timestamp,
}

impl Announced {
    async fn of(form: UploadForm, now: Timestamp) -> Result<Self> {
        if form.url.is_some() {
            return Err(Error::bad_request("Files are not fetched from a url: upload the bytes"));
        }
        let name = name_of_upload(form.name.as_deref().or(form.filename.as_deref()).unwrap_or_default())?;
        let limit = size_limit().await?;
        if form.size.is_some_and(|size| size < 0) {
            return Err(Error::invalid("size", "greater_than_or_equal_to", "must be greater than or equal to 0"));
        }
        if form.size.is_some_and(|size| size > limit) {
            return Err(no_room());
        }
        let content_type = form.content_type.as_deref().map(str::trim).filter(|text| is_media_type(text));
        Ok(Self {
            name,
            content_type: content_type.map(str::to_owned),
            size: form.size,
            limit,
            on_duplicate: form.on_duplicate,
            expires: now.plus_seconds(ADDRESS_IS_GOOD_FOR),
        })
    }
}

/// Takes room for the upload. Between the look at what is left and the row that takes it nobody else may look.
async fn announce(db: &Db, user: UserId, place: Place, upload: &Announced, now: Timestamp) -> Result<UploadId> {
    const INSERT: &str = "INSERT INTO uploads
             (root_account_id, context_type, context_id, folder_id, user_id, name, content_type, size_limit, on_duplicate,
              created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING id";
    db.transaction(async |db| {
        if !may_announce(db, user, now).await? {
            return Err(Error::throttled(LimitKind::Uploads, UPLOADS_WAIT));
        }
        let room = room(db, place.owner, now).await?;
        let bytes = match upload.size {
            Some(size) if size > room => return Err(no_room()),
            Some(size) => size,
            None if room == 0 => return Err(no_room()),
            None => upload.limit.min(room),
        };
        let binds = (
            place.root_account,
            place.owner.kind(),
            place.owner.id(),
            place.folder,
            user,
            upload.name.as_str(),
            upload.content_type.clone(),
            bytes,
            upload.on_duplicate,
            now,
            upload.expires,
        );
        let IdRow { id }: IdRow<UploadId> = db.fetch_one(INSERT, binds).await?;
        Ok(id)
    })
    .await
}

/// The upload, whose ticket is for the caller to check.
pub async fn upload(db: &Db, id: UploadId) -> database::Result<Option<Upload>> {
    let sql =
        "SELECT id, root_account_id, context_type, context_id, folder_id, user_id, name, content_type, size_limit,
            on_duplicate, attachment_id, blob
        FROM uploads WHERE id = ?1";
    db.fetch(sql, (id,)).await
}

/// True if a text can stand in the header of an answer as a media type.
fn is_media_type(text: &str) -> bool {
    let is_token =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "!#$&^_.+-".contains(c));
    let essence = text.split(';').next().unwrap_or_default().trim();
    text.len() <= MAX_NAME_CHARS
        && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
        && essence.split_once('/').is_some_and(|(kind, rest)| is_token(kind) && is_token(rest))
}

async fn size_limit() -> Result<i64> {
    megabytes("file_size_limit_megabytes").await
}

/// The bytes that the files of a course, a group or a user may have together.
pub async fn quota() -> Result<i64> {
    megabytes("file_quota_megabytes").await
}

/// The files that an owner has.
#[derive(Deserialize)]
struct Used {
    files: i64,
    bytes: i64,
}

impl Used {
    /// Refuses one more file where there are as many as there may be.
    fn require_one_more(self) -> Result<Self> {
        if self.files < MAX_FILES { Ok(self) } else { Err(too_many()) }
    }
}

/// The bytes that the owner's files have together.
pub async fn used(db: &Db, owner: Owner) -> database::Result<i64> {
    Ok(used_by(db, owner).await?.bytes)
}

async fn used_by(db: &Db, owner: Owner) -> database::Result<Used> {
    let sql = "SELECT count(*) AS files, ifnull(sum(size), 0) AS bytes FROM attachments
        WHERE context_type = ?1 AND context_id = ?2 AND workflow_state = 'available'";
    db.fetch_one(sql, (owner.kind(), owner.id())).await
}

/// Refuses a file of so many bytes where the owner has no room for it. Packages do not count.
pub async fn require_room_for(db: &Db, owner: Owner, bytes: i64) -> Result<()> {
    if !is_counted(owner) {
        return Ok(());
    }
    let used = used_by(db, owner).await?.require_one_more()?;
    if used.bytes.saturating_add(bytes) > quota().await? { Err(no_room()) } else { Ok(()) }
}

fn is_counted(owner: Owner) -> bool {
    !matches!(owner, Owner::Export(_) | Owner::Migration(_))
}

/// The number of further bytes that may be announced: what others have announced is as good as there.
async fn room(db: &Db, owner: Owner, now: Timestamp) -> Result<i64> {
    #[derive(Deserialize)]
    struct Announced {
        bytes: i64,
    }
    if !is_counted(owner) {
        return Ok(i64::MAX);
    }
    let used = used_by(db, owner).await?.require_one_more()?;
    let sql = "SELECT ifnull(sum(size_limit), 0) AS bytes FROM uploads
        WHERE context_type = ?1 AND context_id = ?2 AND attachment_id IS NULL
          AND (expires_at > ?3 OR claimed_until > ?3)";
    let announced: Announced = db.fetch_one(sql, (owner.kind(), owner.id(), now)).await?;
    let taken = used.bytes.saturating_add(announced.bytes);
    Ok(quota().await?.saturating_sub(taken).max(0))
}

/// True if the user may announce one more upload.
async fn may_announce(db: &Db, user: UserId, now: Timestamp) -> database::Result<bool> {
    #[derive(Deserialize)]
    struct Announced {
        uploads: i64,
        pending: i64,
    }
    let sql = "SELECT count(*) AS uploads, count(*) FILTER (WHERE attachment_id IS NULL) AS pending FROM uploads
        WHERE user_id = ?1 AND expires_at > ?2";
    let Announced { uploads, pending } = db.fetch_one(sql, (user, now)).await?;
    Ok(uploads < MAX_ANNOUNCED_UPLOADS && pending < MAX_PENDING_UPLOADS)
}

fn too_many() -> Error {
    Error::invalid("base", "too_many", format!("There would be more than {MAX_FILES} files"))
}

fn no_room() -> Error {
    Error::bad_request("file size exceeds quota limits")
}

/// The bytes of a variable in megabytes.
async fn megabytes(variable: &str) -> Result<i64> {
    Ok(MEGABYTE.saturating_mul(config::number(variable).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_media_type_is_kept_as_one() {
        for text in ["image/png", "text/plain; charset=utf-8", "application/vnd.ms-excel"] {
            assert!(is_media_type(text), "{text}");
        }
        for text in ["", "image", "image/", "a b/c", "text/plain\r\nX: y", "é/ü"] {
            assert!(!is_media_type(text), "{text}");
        }
    }
}
