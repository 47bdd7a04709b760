//! The SQL of uploads.

use serde::Deserialize;
use shared::files::{self, Attachment, OnDuplicate, Owner, Upload};
use shared::ids::UploadId;
use shared::live_events::{self, Cause};
use shared::{Db, Error, Result, Timestamp, blob, db};
use uuid::Uuid;

use crate::store::attachments::{free_name, give_way};
use crate::store::upload_rights::may_upload_sql;

/// For how many seconds who sends the bytes need not tell that they still come.
const CLAIM_SECONDS: i64 = 60;

/// The sender of the bytes of an upload, and the blob that they go to.
pub(crate) struct Claim {
    id: String,
    pub(crate) blob: String,
}

/// Takes the upload: nobody else sends its bytes until this is released, or has not been renewed for a minute. 403 where
/// the address has ended, or the right for which it was given.
pub(crate) async fn claim(db: &Db, upload: UploadId, now: Timestamp) -> Result<Claim> {
    #[derive(Deserialize)]
    struct State {
        has_come: bool,
        is_over: bool,
        may_upload: bool,
    }
    let may_upload = may_upload_sql();
    let claim = Claim { id: Uuid::new_v4().to_string(), blob: blob::new_name("file") };
    let sql = format!(
        "UPDATE uploads SET claim = ?2, blob = ?3, claimed_until = ?4
         WHERE id = ?1 AND attachment_id IS NULL AND expires_at > ?5 AND ifnull(claimed_until <= ?5, 1)
           AND {may_upload}
         RETURNING id"
    );
    let until = now.plus_seconds(CLAIM_SECONDS);
    if db.affects(&sql, (upload, &claim.id, &claim.blob, until, now)).await? {
        return Ok(claim);
    }
    let sql = format!(
        "SELECT attachment_id IS NOT NULL AS has_come, expires_at <= ?2 AS is_over, {may_upload} AS may_upload
         FROM uploads WHERE id = ?1"
    );
    Err(match db.fetch(&sql, (upload, now)).await? {
        Some(State { has_come: true, .. }) => came_already(),
        Some(State { is_over: false, may_upload: true, .. }) => {
            Error::conflict("The file is being uploaded by another request.")
        }
        Some(State { .. }) | None => Error::forbidden(),
    })
}

/// Keeps the upload for another minute; 409 where the claim had ended and somebody else has it.
pub(crate) async fn renew(db: &Db, upload: UploadId, claim: &Claim, now: Timestamp) -> Result<()> {
    let sql = "UPDATE uploads SET claimed_until = ?3 WHERE id = ?1 AND claim = ?2 RETURNING id";
    match db.affects(sql, (upload, &claim.id, now.plus_seconds(CLAIM_SECONDS))).await? {
        true => Ok(()),
        false => Err(taken_over()),
    }
}

/// Lets others send the bytes: those of this claim are gone.
pub(crate) async fn release(db: &Db, upload: UploadId, claim: &Claim) -> db::Result<()> {
    let sql = "UPDATE uploads SET claim = NULL, claimed_until = NULL, blob = NULL WHERE id = ?1 AND claim = ?2";
    db.execute(sql, (upload, &claim.id)).await
}

fn came_already() -> Error {
    Error::conflict("The file has been uploaded already.")
}

fn taken_over() -> Error {
    Error::conflict("The upload went on elsewhere.")
}

/// The upload that has come.
#[derive(Clone, Copy)]
pub(crate) struct Received<'a> {
    pub(crate) size: i64,
    pub(crate) content_type: &'a str,
}

/// The name of the file in its folder. One of the same name gives way where the upload wants it, and the folder lets it.
async fn name_for(db: &Db, upload: &Upload, keeps_all: bool, now: Timestamp) -> Result<String> {
    Ok(match (upload.folder_id, upload.on_duplicate) {
        (Some(folder), OnDuplicate::Overwrite) if !keeps_all => {
            give_way(db, folder, &upload.name, now).await?;
            upload.name.clone()
        }
        (Some(folder), _) => free_name(db, folder, &upload.name).await?,
        (None, _) => upload.name.clone(),
    })
}

/// Makes the file whose bytes are all there, and tells whether tools are to be told of it. `tell` is called in the
/// transaction.
pub(crate) async fn complete(
    db: &Db,
    tell: impl AsyncFn(&Db, &Attachment) -> db::Result<()>,
    upload: &Upload,
    claim: &Claim,
    Received { size, content_type }: Received<'_>,
    cause: &Cause,
    now: Timestamp,
) -> Result<(Attachment, bool)> {
    #[derive(Deserialize)]
    struct State {
        is_ours: bool,
        /// False if the right has ended while the bytes came.
        may_upload: bool,
        /// True if the folder was deleted since the file was announced.
        folder_is_gone: bool,
        /// True if files are handed in there, be it since the file was announced: none of them gives way.
        is_for_submissions: bool,
    }
    let work = db.transaction(async |db| {
        let state: State = db
            .fetch_one(
                &format!(
                    "SELECT attachment_id IS NULL AND claim IS ?2 AS is_ours, {} AS may_upload,
                            EXISTS (SELECT 1 FROM folders f WHERE f.id = uploads.folder_id
                                    AND f.workflow_state = 'deleted') AS folder_is_gone,
                            EXISTS (SELECT 1 FROM folders f WHERE f.id = uploads.folder_id
                                    AND f.for_submissions) AS is_for_submissions
                     FROM uploads WHERE id = ?1",
                    may_upload_sql()
                ),
                (upload.id, &claim.id),
            )
            .await?;
        if !state.is_ours {
            return Err(taken_over());
        }
        if !state.may_upload {
            return Err(Error::forbidden());
        }
        if state.folder_is_gone {
            return Err(Error::conflict("The folder of the file has been deleted."));
        }
        if let Some(owner) = Owner::of(&upload.context_type, upload.context_id) {
            files::require_room_for(db, owner, size).await?;
        }
        let name = name_for(db, upload, state.is_for_submissions, now).await?;
        let columns = Attachment::COLUMNS;
        let sql = format!(
            "INSERT INTO attachments (root_account_id, context_type, context_id, folder_id, user_id, filename,
                 display_name, content_type, size, blob, uuid, created_at, modified_at, updated_at)
             SELECT root_account_id, context_type, context_id, folder_id, user_id, name, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7
             FROM uploads WHERE id = ?1
             RETURNING {columns}"
        );
        let uuid = Uuid::new_v4().simple().to_string();
        let binds = (upload.id, name, content_type, size, &claim.blob, uuid, now);
        let file: Attachment = db.fetch_one(&sql, binds).await?;
        let ended = "UPDATE uploads SET attachment_id = ?2, claim = NULL, claimed_until = NULL, blob = NULL
             WHERE id = ?1";
        db.execute(ended, (upload.id, file.id)).await?;
        blob::keep(db, &claim.blob).await?;
        tell(db, &file).await?;
        let told = live_events::attachment_created(db, cause, &file, upload.id).await?;
        Ok((file, told))
    });
    work.await
}
