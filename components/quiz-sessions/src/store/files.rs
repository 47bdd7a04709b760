//! Files that answer questions.

use serde::Deserialize;
use shared::db::Json;
use shared::ids::UserId;
use shared::{Db, db};

/// A file of a student.
#[derive(Deserialize)]
pub(crate) struct OwnFile {
    pub(crate) id: i64,
    pub(crate) name: String,
}

/// Those of the files that are the user's own.
pub(crate) async fn own(db: &Db, user: UserId, files: &[i64]) -> db::Result<Vec<OwnFile>> {
    let sql = "SELECT a.id, a.filename AS name FROM json_each(?1) named CROSS JOIN attachments a ON a.id = named.value
               WHERE a.workflow_state = 'available' AND a.context_type = 'User' AND a.context_id = ?2";
    db.fetch_all(sql, (Json(files), user)).await
}
