//! The SQL of uploads.

use serde::Deserialize;
use shared::files::{self, Attachment, OnDuplicate, Owner, Upload};
use shared::ids::AttachmentId;
use shared::live_events::{self, Cause};
use shared::{Db, Error, Result, Timestamp};
use uuid::Uuid;

use super::attachments::{free_name, give_way};

/// Makes the file whose bytes are all there, and tells whether somebody is to be told of it; `None` where another request
/// was faster.
pub(crate) async fn complete(
    db: &Db,
    upload: &Upload,
    blob: &str,
    size: i64,
    content_type: &str,
    cause: &Cause,
    now: Timestamp,
) -> Result<Option<(Attachment, bool)>> {
    #[derive(Deserialize)]
    struct State {
        attachment_id: Option<AttachmentId>,
        /// Whether the folder was deleted since the file was announced.
        folder_is_gone: bool,
    }
    let work = db.transaction(async |db| {
        let state: State = db
            .fetch_one(
                "SELECT attachment_id, EXISTS (SELECT 1 FROM folders f WHERE f.id = u.folder_id
                                               AND f.workflow_state = 'deleted') AS folder_is_gone
                 FROM uploads u WHERE id = ?1",
                (upload.id,),
            )
            .await?;
        if state.attachment_id.is_some() {
            return Ok(None);
        }
        if state.folder_is_gone {
            return Err(Error::conflict("The folder of the file has been deleted."));
        }
        if let Some(owner) = Owner::of(&upload.context_type, upload.context_id) {
            files::must_have_room(db, owner, size).await?;
        }
        let name = match (upload.folder_id, upload.on_duplicate) {
            (Some(folder), OnDuplicate::Overwrite) => {
                give_way(db, folder, &upload.name, None, now).await?;
                upload.name.clone()
            }
            (Some(folder), OnDuplicate::Rename) => free_name(db, folder, &upload.name, None).await?,
            (None, _) => upload.name.clone(),
        };
        let columns = Attachment::COLUMNS;
        let sql = format!(
            "INSERT INTO attachments (root_account_id, context_type, context_id, folder_id, user_id, filename,
                 display_name, content_type, size, blob, uuid, created_at, modified_at, updated_at)
             SELECT root_account_id, context_type, context_id, folder_id, user_id, name, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7
             FROM uploads WHERE id = ?1
             RETURNING {columns}"
        );
        let uuid = Uuid::new_v4().simple().to_string();
        let file: Attachment = db.fetch_one(&sql, (upload.id, name, content_type, size, blob, uuid, now)).await?;
        db.execute("UPDATE uploads SET attachment_id = ?2 WHERE id = ?1", (upload.id, file.id)).await?;
        files::end_bytes(db, blob).await?;
        let told = live_events::attachment_created(db, cause, &file, upload.id).await?;
        Ok(Some((file, told)))
    });
    work.await
}
