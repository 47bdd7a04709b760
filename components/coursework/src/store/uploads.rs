//! Uploads of files that are to be handed in.

use shared::ids::{AssignmentId, UploadId};
use shared::{Db, db};

/// Notes for which assignment a file is uploaded: whoever watches the assignment is told when it comes.
pub(crate) async fn is_for(db: &Db, upload: UploadId, assignment: AssignmentId) -> db::Result<()> {
    db.execute("UPDATE uploads SET assignment_id = ?2 WHERE id = ?1", (upload, assignment)).await
}
