//! Uploads of files that are to be handed in, and what becomes of the files.

use serde::Deserialize;
use serde_json::Value;
use shared::db::{Json, OnUnique};
use shared::ids::{AccountId, AssignmentId, AttachmentId, FolderId, UploadId, UserId};
use shared::{Db, Error, Result, Timestamp, db, files};

/// Notes for which assignment a file is uploaded: whoever watches the assignment is told when it comes.
pub(crate) async fn is_for(db: &Db, upload: UploadId, assignment: AssignmentId) -> db::Result<()> {
    db.execute("UPDATE uploads SET assignment_id = ?2 WHERE id = ?1", (upload, assignment)).await
}

/// Who hands files in, for whom, and for which assignment.
#[derive(Clone, Copy)]
pub(crate) struct Handing {
    pub(crate) root_account: AccountId,
    pub(crate) assignment: AssignmentId,
    pub(crate) student: UserId,
    pub(crate) caller: UserId,
}

/// Takes files for what is handed in, so that nobody changes them any more: those that lie elsewhere are moved to where
/// everything lies that the student has handed in. False where one of them may not be handed in. `db` is in a transaction.
pub(crate) async fn take(db: &Db, files: &[AttachmentId], handing: Handing, now: Timestamp) -> Result<bool> {
    let ids = Json(Value::from(files.iter().map(|id| id.0).collect::<Vec<_>>()));
    let Takeable { files: takeable, elsewhere } = takeable(db, ids.clone(), handing).await?;
    if takeable != files.len() {
        return Ok(false);
    }
    if elsewhere > 0 {
        let folder = files::submissions_folder(db, handing.root_account, handing.student, now).await?;
        move_to(db, folder, ids, now).await?;
    }
    Ok(true)
}

/// The number of files that may be handed in, and of those among them that lie where they can be changed.
#[derive(Deserialize)]
struct Takeable {
    files: usize,
    elsewhere: usize,
}

/// Which of these files somebody may hand in for a student: all of the student's own where the student does it, else those of
/// them that the caller has uploaded for this very assignment.
async fn takeable(db: &Db, ids: Json<Value>, handing: Handing) -> db::Result<Takeable> {
    let Handing { assignment, student, caller, .. } = handing;
    db.fetch_one(
        "SELECT count(*) AS files, count(*) FILTER (WHERE ifnull(f.for_submissions, 0) = 0) AS elsewhere
         FROM json_each(?1) j CROSS JOIN attachments a ON a.id = j.value LEFT JOIN folders f ON f.id = a.folder_id
         WHERE a.workflow_state = 'available' AND a.context_type = 'User' AND a.context_id = ?2
           AND (?2 = ?3 OR (a.user_id = ?3 AND a.assignment_id = ?4))",
        (ids, student, caller, assignment),
    )
    .await
}

/// Moves files to a folder. One whose name another one has there, or is about to have, gets its id before its name.
async fn move_to(db: &Db, folder: FolderId, ids: Json<Value>, now: Timestamp) -> Result<()> {
    let moved = db.execute(
        "UPDATE attachments
         SET folder_id = ?2, updated_at = ?3,
             display_name = iif(
                 EXISTS (SELECT 1 FROM attachments there
                         WHERE there.folder_id = ?2 AND there.display_name = attachments.display_name COLLATE NOCASE
                           AND there.workflow_state = 'available')
                 OR EXISTS (SELECT 1 FROM json_each(?1) j CROSS JOIN attachments other ON other.id = j.value
                            WHERE other.id < attachments.id
                              AND other.display_name = attachments.display_name COLLATE NOCASE),
                 id || '-' || display_name, display_name)
         WHERE id IN (SELECT value FROM json_each(?1)) AND folder_id IS NOT ?2",
        (ids, folder, now),
    );
    let taken = || Error::conflict("The folder of what is handed in has a file of that name: rename yours");
    moved.await.on_unique("attachments.folder_id, attachments.display_name", taken)
}
