//! Uploads of files that are to be handed in.

use serde::Deserialize;
use serde_json::Value;
use shared::db::Json;
use shared::ids::{AssignmentId, AttachmentId, UploadId, UserId};
use shared::{Db, db};

/// Notes for which assignment a file is uploaded: whoever watches the assignment is told when it comes.
pub(crate) async fn is_for(db: &Db, upload: UploadId, assignment: AssignmentId) -> db::Result<()> {
    db.execute("UPDATE uploads SET assignment_id = ?2 WHERE id = ?1", (upload, assignment)).await
}

/// The number of these files that somebody may hand in for a student: all of the student's own where the student does
/// it, else those of them that the caller has uploaded for this very assignment.
pub(crate) async fn count_for(
    db: &Db,
    files: &[AttachmentId],
    assignment: AssignmentId,
    student: UserId,
    caller: UserId,
) -> db::Result<usize> {
    #[derive(Deserialize)]
    struct Row {
        count: usize,
    }
    let files: Vec<_> = files.iter().map(|id| id.0).collect();
    let row: Row = db
        .fetch_one(
            "SELECT count(*) AS count FROM json_each(?1) j CROSS JOIN attachments a ON a.id = j.value
             WHERE a.workflow_state = 'available' AND a.context_type = 'User' AND a.context_id = ?2
               AND (?2 = ?3 OR (a.user_id = ?3 AND a.assignment_id = ?4))",
            (Json(Value::from(files)), student, caller, assignment),
        )
        .await?;
    Ok(row.count)
}
