//! The event of a file that came.

use database::{Db, Json};
use serde::Deserialize;
use types::ids::{AccountId, AssignmentId, AttachmentId, CourseId, FolderId, UploadId};

use super::{AttachmentCreated, Cause, Event, Place, is_wanted, record, record_all};
use crate::files::Attachment;

const ATTACHMENT_CREATED: &str = "ATTACHMENT_CREATED";

/// Records that a file came, as [`record`] does. Of a file that lies in no folder of a course, a group or a user nobody is
/// told. A file that is to be handed in concerns its assignment.
pub async fn attachment_created(db: &Db, cause: &Cause, file: &Attachment, upload: UploadId) -> database::Result<bool> {
    let in_folders = matches!(file.context_type.as_str(), "Course" | "Group" | "User");
    let Some(folder) = file.folder_id.filter(|_| in_folders) else {
        return Ok(false);
    };
    record(db, cause, place(db, file, upload).await?, created(file, folder)).await
}

/// Records that files came into a course together, as a copy or an import brings them. All of them lie in its folders.
pub async fn attachments_created(
    db: &Db,
    cause: &Cause,
    course: CourseId,
    files: &[AttachmentId],
) -> database::Result<bool> {
    #[derive(Deserialize)]
    struct Accounts {
        root_account: AccountId,
        account: AccountId,
    }
    /// So many files are told of in a statement.
    const AT_ONCE: usize = 500;
    if files.is_empty() {
        return Ok(false);
    }
    let sql = "SELECT root_account_id AS root_account, account_id AS account FROM courses WHERE id = ?1";
    let Accounts { root_account, account } = db.fetch_one(sql, (course,)).await?;
    let place = Place::in_course(root_account, account, course, None);
    // Most of the time nobody does.
    if !is_wanted(db, place, ATTACHMENT_CREATED).await? {
        return Ok(false);
    }
    let columns = Attachment::COLUMNS;
    let sql = format!(
        "SELECT {columns} FROM attachments
         WHERE id IN (SELECT value FROM json_each(?1)) AND context_type = 'Course' AND context_id = ?2 ORDER BY id"
    );
    let mut told = false;
    for ids in files.chunks(AT_ONCE) {
        let came: Vec<Attachment> = db.fetch_all(&sql, (Json(ids), course)).await?;
        let events: Vec<_> = came.iter().filter_map(|file| Some(created(file, file.folder_id?))).collect();
        told |= record_all(db, cause, place, &events).await?;
    }
    Ok(told)
}

fn created(file: &Attachment, folder: FolderId) -> Event {
    Event::AttachmentCreated(AttachmentCreated {
        attachment_id: file.id,
        user_id: file.user_id,
        display_name: file.display_name.clone(),
        filename: file.filename.clone(),
        context_type: file.context_type.clone(),
        context_id: file.context_id,
        content_type: file.content_type.clone(),
        folder_id: Some(folder.0),
        locked: file.locked,
        unlock_at: file.unlock_at,
        lock_at: file.lock_at,
        created_at: file.created_at,
        updated_at: file.updated_at,
    })
}

async fn place(db: &Db, file: &Attachment, upload: UploadId) -> database::Result<Place> {
    #[derive(Deserialize)]
    struct PlaceRow {
        account: AccountId,
        course: Option<CourseId>,
        assignment: Option<AssignmentId>,
    }
    let found: PlaceRow = db
        .fetch_one(
            "SELECT coalesce(c.account_id, g.account_id, ?1) AS account, c.id AS course, a.id AS assignment
             FROM (SELECT ?2 AS upload, ?3 AS kind, ?4 AS id) f
             LEFT JOIN uploads u ON u.id = f.upload
             LEFT JOIN assignments a ON a.id = u.assignment_id
             LEFT JOIN groups g ON f.kind = 'Group' AND g.id = f.id
             LEFT JOIN courses c ON c.id = coalesce(a.course_id, g.course_id, iif(f.kind = 'Course', f.id, NULL))",
            (file.root_account_id, upload, &file.context_type, file.context_id),
        )
        .await?;
    Ok(Place {
        root_account: file.root_account_id,
        account: found.account,
        course: found.course,
        assignment: found.assignment,
    })
}
