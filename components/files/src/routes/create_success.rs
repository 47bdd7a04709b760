//! The end of an upload, as the client confirms it.

use serde::Deserialize;
use shared::error::OrNotFound;
use shared::files::{self, Attachment, File};
use shared::ids::AttachmentId;
use shared::prefetch::Prefetched;
use shared::{Context, Error, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints, signed_links};

use crate::routes::files::FilePath;
use crate::routes::files_api::CONFIRMATION_TICKET;
use crate::store::attachments::StoredFile;
use crate::store::needs::InArea;

endpoints![confirm_upload];

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    /// The right to read the file, which is part of the address that was given out, and stands for a token.
    #[serde(default)]
    ticket: Option<String>,
}

/// Reads a file that was uploaded: the last step.
#[endpoint(
    GET "/api/v1/files/:id/create_success",
    POST "/api/v1/files/:id/create_success" as complete_upload,
    token_optional,
    nobody(401, "the address carries its own right, or a token is needed"),
    answers(403, "The caller may not open the file."),
)]
async fn confirm_upload(
    cx: Context,
    Path(at): Path<FilePath>,
    file: Prefetched<InArea<StoredFile>>,
    body: Query<Confirmation>,
) -> Result<Reply<File>> {
    if let Some(ticket) = body.decode()?.ticket {
        return confirmed(&cx, &granted(&cx, at.id, &ticket).await?).await;
    }
    cx.caller()?;
    let file = file.record()?;
    file.area().require_manage()?;
    confirmed(&cx, file.file()).await
}

async fn confirmed(cx: &Context, file: &Attachment) -> Result<Reply<File>> {
    Ok(Reply::ok(File::of(&cx.base_url().await?, file, cx.now).await?))
}

/// The file of a ticket that is good for it.
async fn granted(cx: &Context, id: AttachmentId, ticket: &str) -> Result<Attachment> {
    let subject = signed_links::open(CONFIRMATION_TICKET, ticket, cx.now).await?;
    if subject != Some(id.to_string()) {
        return Err(Error::not_found());
    }
    files::attachment(&cx.db, id).await?.or_not_found()
}
