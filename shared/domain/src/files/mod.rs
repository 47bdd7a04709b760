//! Files: what somebody has uploaded to a course, a group or a user's own files, and what work of ours has left to be
//! downloaded. A row names the file, the bytes lie in the blob store.
//!
//! An area that takes files announces an upload with [`start_upload`] and finds the file later with [`attachments`]; it
//! answers a [`File`], whose address carries its own right and ends after an hour.

mod area;
mod folders;
mod names;
mod upload;

use database::{Db, Json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::JsonSchema;
use types::clock::{HOUR, Timestamp};
use types::ids::{
    AccountId, AttachmentId, ContentExportId, ContentMigrationId, CourseId, FolderId, UserGroupId, UserId,
};
use web::error::Result;

use crate::signed_links;

pub use area::{Area, Names, Of, OfCourse, OfGroup, OfUser, area};
pub use folders::{folder_at, root_folder, root_folder_sql, students_see, submissions_folder};
pub use names::{MAX_NAME_CHARS, names_of_path, require_name};
pub use upload::{
    NewUpload, OnDuplicate, Place, UPLOAD_TICKET, Upload, UploadForm, quota, require_room_for, start_upload, upload,
    used,
};

/// The purpose of tickets of downloads.
pub const DOWNLOAD_TICKET: &str = "file download";
/// The greatest depth of folders below the root, because every look at a file goes up to it.
pub const MAX_FOLDER_DEPTH: usize = 30;
/// The time for which the address of a file is good, in seconds.
const ADDRESS_IS_GOOD_FOR: i64 = HOUR;

/// The owner of a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A course.
    Course(CourseId),
    /// A group of users.
    Group(UserGroupId),
    /// A user.
    User(UserId),
    /// An export: its package.
    Export(ContentExportId),
    /// A migration: the package that came in.
    Migration(ContentMigrationId),
}

impl Owner {
    /// As the column `context_type` has it.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Course(_) => "Course",
            Self::Group(_) => "Group",
            Self::User(_) => "User",
            Self::Export(_) => "ContentExport",
            Self::Migration(_) => "ContentMigration",
        }
    }

    /// The id, as the column `context_id` has it.
    pub fn id(self) -> i64 {
        match self {
            Self::Course(id) => id.0,
            Self::Group(id) => id.0,
            Self::User(id) => id.0,
            Self::Export(id) => id.0,
            Self::Migration(id) => id.0,
        }
    }

    /// The owner that the columns `context_type` and `context_id` name.
    pub fn of(kind: &str, id: i64) -> Option<Self> {
        match kind {
            "Course" => Some(Self::Course(CourseId(id))),
            "Group" => Some(Self::Group(UserGroupId(id))),
            "User" => Some(Self::User(UserId(id))),
            "ContentExport" => Some(Self::Export(ContentExportId(id))),
            "ContentMigration" => Some(Self::Migration(ContentMigrationId(id))),
            _ => None,
        }
    }
}

/// A file as it is stored.
#[derive(Debug, Clone, Deserialize)]
pub struct Attachment {
    /// Its id.
    pub id: AttachmentId,
    /// The tenant it belongs to.
    pub root_account_id: AccountId,
    /// Its owner: see [`Attachment::owner`].
    pub context_type: String,
    /// The id of what it belongs to.
    pub context_id: i64,
    /// The folder it lies in.
    pub folder_id: Option<FolderId>,
    /// The user who uploaded it.
    pub user_id: Option<UserId>,
    /// Its name when it was uploaded.
    pub filename: String,
    /// Its name.
    pub display_name: String,
    /// Its media type.
    pub content_type: String,
    /// Its length in bytes.
    pub size: i64,
    /// The name of its bytes in the blob store.
    pub blob: String,
    /// An id that nobody can guess.
    pub uuid: String,
    /// True if it is closed to students.
    pub locked: bool,
    /// True if students find it by its address only.
    pub hidden: bool,
    /// From when on it is closed.
    pub lock_at: Option<Timestamp>,
    /// Until when it is closed.
    pub unlock_at: Option<Timestamp>,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// When its bytes were changed.
    pub modified_at: Timestamp,
    /// When its row was changed.
    pub updated_at: Timestamp,
}

impl Attachment {
    /// The columns of a row, for `SELECT` and `RETURNING`.
    pub const COLUMNS: &str = "id, root_account_id, context_type, context_id, folder_id, user_id, filename,
        display_name, content_type, size, blob, uuid, locked, hidden, lock_at, unlock_at, created_at, modified_at,
        updated_at";

    /// Its owner.
    pub fn owner(&self) -> Option<Owner> {
        Owner::of(&self.context_type, self.context_id)
    }

    /// True if it is closed to students at that moment.
    pub fn is_locked(&self, now: Timestamp) -> bool {
        self.locked || self.lock_at.is_some_and(|at| at <= now) || self.unlock_at.is_some_and(|at| now < at)
    }
}

/// The files of these ids that are there, in the order of the ids. Whose they are is for the caller to check.
pub async fn attachments(db: &Db, ids: &[AttachmentId]) -> database::Result<Vec<Attachment>> {
    let columns = Attachment::COLUMNS;
    let sql = format!(
        "SELECT {columns} FROM (SELECT a.*, j.key AS place FROM json_each(?1) j JOIN attachments a ON a.id = j.value)
         WHERE workflow_state = 'available' ORDER BY place"
    );
    let ids: Vec<_> = ids.iter().map(|id| Value::from(id.0)).collect();
    db.fetch_all(&sql, (Json(Value::from(ids)),)).await
}

/// The file, if it is there. Whose it is is for the caller to check.
pub async fn attachment(db: &Db, id: AttachmentId) -> database::Result<Option<Attachment>> {
    let columns = Attachment::COLUMNS;
    db.fetch(&format!("SELECT {columns} FROM attachments WHERE id = ?1 AND workflow_state = 'available'"), (id,)).await
}

/// A file as the API answers it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct File {
    /// The id.
    pub id: AttachmentId,
    folder_id: Option<FolderId>,
    /// The name that is shown.
    pub display_name: String,
    /// The name when it was uploaded.
    filename: String,
    uuid: String,
    /// `success`.
    upload_status: &'static str,
    #[serde(rename = "content-type")]
    content_type: String,
    /// The address of its bytes, for an hour; blank where the caller may not have them.
    pub url: String,
    /// In bytes.
    size: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
    unlock_at: Option<Timestamp>,
    locked: bool,
    hidden: bool,
    lock_at: Option<Timestamp>,
    hidden_for_user: bool,
    thumbnail_url: Option<String>,
    modified_at: Timestamp,
    /// `image`, `pdf`, `doc`, `zip`, …, or `file`.
    mime_class: &'static str,
    media_entry_id: Option<String>,
    /// `uncategorized`.
    category: &'static str,
    locked_for_user: bool,
}

impl File {
    /// The file as those see it to whom nothing is closed. `base` is the service's address.
    pub async fn of(base: &str, file: &Attachment, now: Timestamp) -> Result<Self> {
        let url = address(base, file.id, now).await?;
        Ok(Self {
            id: file.id,
            folder_id: file.folder_id,
            display_name: file.display_name.clone(),
            filename: file.filename.clone(),
            uuid: file.uuid.clone(),
            upload_status: "success",
            content_type: file.content_type.clone(),
            url,
            size: file.size,
            created_at: file.created_at,
            updated_at: file.updated_at,
            unlock_at: file.unlock_at,
            locked: file.locked,
            hidden: file.hidden,
            lock_at: file.lock_at,
            hidden_for_user: false,
            thumbnail_url: None,
            modified_at: file.modified_at,
            mime_class: mime_class(&file.content_type),
            media_entry_id: None,
            category: "uncategorized",
            locked_for_user: false,
        })
    }

    /// The file as students see it: without an address while it is closed.
    pub async fn for_student(base: &str, file: &Attachment, closed: bool, now: Timestamp) -> Result<Self> {
        let seen = Self::of(base, file, now).await?;
        let url = if closed { String::new() } else { seen.url };
        Ok(Self { url, hidden_for_user: file.hidden, locked_for_user: closed, ..seen })
    }
}

/// The address of a file's bytes, for an hour.
pub async fn address(base: &str, id: AttachmentId, now: Timestamp) -> Result<String> {
    let ticket = signed_links::issue(DOWNLOAD_TICKET, &id.to_string(), now.plus_seconds(ADDRESS_IS_GOOD_FOR)).await?;
    Ok(format!("{base}/files/{id}/download?download_frd=1&verifier={ticket}"))
}

/// The kind of thing that a media type stands for, in one word.
fn mime_class(content_type: &str) -> &'static str {
    match content_type.split(';').next().unwrap_or_default().trim() {
        "application/pdf" => "pdf",
        "text/html" | "application/xhtml+xml" => "html",
        "application/msword"
        | "application/rtf"
        | "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        | "application/vnd.oasis.opendocument.text" => "doc",
        "application/vnd.ms-excel"
        | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        | "application/vnd.oasis.opendocument.spreadsheet"
        | "text/csv" => "xls",
        "application/vnd.ms-powerpoint"
        | "application/vnd.openxmlformats-officedocument.presentationml.presentation"
        | "application/vnd.oasis.opendocument.presentation" => "ppt",
        "application/zip" | "application/x-zip-compressed" | "application/gzip" | "application/x-tar" => "zip",
        "text/plain" => "text",
        other => match other.split('/').next() {
            Some("image") => "image",
            Some("video") => "video",
            Some("audio") => "audio",
            Some("text") => "code",
            _ => "file",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_read_as_it_is_written() {
        let owners = [
            Owner::Course(CourseId(1)),
            Owner::Group(UserGroupId(2)),
            Owner::User(UserId(3)),
            Owner::Export(ContentExportId(4)),
        ];
        for owner in owners {
            assert_eq!(Owner::of(owner.kind(), owner.id()), Some(owner));
        }
        assert_eq!(Owner::of("Nothing", 1), None);
    }

    #[test]
    fn the_kind_of_a_file_is_one_word() {
        for (content_type, class) in [
            ("image/png", "image"),
            ("text/html; charset=utf-8", "html"),
            ("text/x-python", "code"),
            ("application/octet-stream", "file"),
            ("", "file"),
        ] {
            assert_eq!(mime_class(content_type), class);
        }
    }
}
