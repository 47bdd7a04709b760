//! The event of a file that came.

use database::Db;
use serde::Deserialize;
use types::ids::{AccountId, AssignmentId, CourseId, UploadId};

use super::{AttachmentCreated, Cause, Event, Place, record};
use crate::files::Attachment;

/// Records that a file came, as [`record`] does. Of a file that lies in no folder of a course, a group or a user nobody is
/// told. A file that is to be handed in concerns its assignment.
pub async fn attachment_created(db: &Db, cause: &Cause, file: &Attachment, upload: UploadId) -> database::Result<bool> {
    let in_folders = matches!(file.context_type.as_str(), "Course" | "Group" | "User");
    let Some(folder) = file.folder_id.filter(|_| in_folders) else {
        return Ok(false);
    };
    let event = Event::AttachmentCreated(AttachmentCreated {
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
    });
    record(db, cause, place(db, file, upload).await?, event).await
}

async fn place(db: &Db, file: &Attachment, upload: UploadId) -> database::Result<Place> {
    #[derive(Deserialize)]
    struct Found {
        account: AccountId,
        course: Option<CourseId>,
        assignment: Option<AssignmentId>,
    }
    let found: Found = db
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
