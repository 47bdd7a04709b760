//! The second and the third step of an upload: the bytes come in, and the file is read.
//!
//! The bytes go from the request to the blob store piece by piece. The file's row is written last, so that no half file is
//! ever there; what a broken upload leaves behind is noted before it begins, and cleaned up later.

use http::header::{CONTENT_TYPE, LOCATION};
use send_wrapper::SendWrapper;
use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::files::{self, Attachment, File, Owner, UPLOAD_TICKET, Upload};
use shared::ids::{AttachmentId, UploadId};
use shared::live_events::Cause;
use shared::{Body, BodyStream, Context, Endpoint, Error, Reply, Result, background, blob, get, post, tickets};

use crate::attachments::{self, FilePath};
use crate::store::uploads as store;

/// What tickets of the last step are for: a file's uuid is known to all who see the file, also while it is closed.
const CONFIRMATION_TICKET: &str = "file confirmation";
/// How long the last step may be made without a token, in seconds.
const CONFIRMED_WITHIN: i64 = 3600;
/// The most bytes that a request is read for: the limit of the upload itself is smaller.
const REQUEST_LIMIT: usize = 4 * 1000 * 1000 * 1000;

pub(crate) fn endpoints() -> [Endpoint; 3] {
    [
        post("/files_api/:ticket", receive)
            .about("Takes the bytes of a file that was announced, in a multipart form, once")
            .public()
            .streamed(REQUEST_LIMIT),
        get("/api/v1/files/:id/create_success", confirm)
            .about("Reads a file that was uploaded: the last step")
            .token_optional(),
        post("/api/v1/files/:id/create_success", confirm)
            .about("Reads a file that was uploaded: the last step")
            .token_optional(),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct TicketPath {
    ticket: String,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Confirmation {
    /// The right to read the file, which is part of the address that was given out, and stands for a token.
    #[serde(default)]
    ticket: Option<String>,
}

/// The file, and where it is read.
#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Uploaded {
    #[serde(flatten)]
    file: File,
    location: String,
}

async fn receive(cx: Context, at: TicketPath) -> Result<Reply<Uploaded>> {
    let id = tickets::open(UPLOAD_TICKET, &at.ticket, cx.now).await?.and_then(|id| id.parse().ok().map(UploadId));
    let upload = files::upload(&cx.db, id.ok_or_else(Error::forbidden)?).await?.or_not_found()?;
    if upload.attachment_id.is_some() {
        return Err(came_already());
    }
    let boundary = cx.header(CONTENT_TYPE).and_then(|content_type| multer::parse_boundary(content_type).ok());
    let boundary = boundary.ok_or_else(|| Error::unsupported_media_type("The file must come in a multipart form"))?;
    let name = files::begin_bytes(&cx.db, cx.now).await?;
    let size = match written(&name, cx.body_stream()?, boundary, upload.size_limit).await {
        Ok(size) => size,
        Err(error) => {
            files::end_bytes(&cx.db, &name).await?;
            return Err(error);
        }
    };
    let content_type = content_type(&upload);
    let cause = Cause::of(&cx).await?.by(upload.user_id, upload.root_account_id);
    let Some((file, told)) = store::complete(&cx.db, &upload, &name, size, &content_type, &cause, cx.now).await? else {
        return Err(came_already());
    };
    if told {
        background::nudge();
    }
    if matches!(file.owner(), Some(Owner::Migration(_))) {
        // The area that reads packages need not wait for the tick.
        background::later(async { background::run_jobs("content-exports", None).await.map(drop) });
    }
    created(&cx, &file).await
}

/// Writes the form's file, and tells its size.
async fn written(name: &str, body: BodyStream, boundary: String, limit: i64) -> Result<i64> {
    let mut writer = blob::Writer::new(name).await?;
    match copied(&mut writer, body, boundary, limit).await {
        Ok(()) => i64::try_from(writer.finish().await?).map_err(Error::internal),
        Err(error) => {
            writer.discard().await?;
            Err(error)
        }
    }
}

async fn copied(writer: &mut blob::Writer, body: BodyStream, boundary: String, limit: i64) -> Result<()> {
    let limit = usize::try_from(limit).map_err(Error::internal)?;
    // An instance has one thread.
    let mut form = multer::Multipart::new(SendWrapper::new(body), boundary);
    while let Some(mut field) = form.next_field().await.map_err(fault)? {
        if field.name() != Some("file") && field.file_name().is_none() {
            continue;
        }
        while let Some(bytes) = field.chunk().await.map_err(fault)? {
            if writer.size().saturating_add(bytes.len()) > limit {
                return Err(Error::too_large(limit));
            }
            writer.write(&bytes).await?;
        }
        return Ok(());
    }
    Err(Error::missing("file"))
}

/// What was wrong with the body stays what it was: too much of it, say.
fn fault(error: multer::Error) -> Error {
    let unreadable = |error: &dyn std::fmt::Display| Error::bad_request(format!("the form cannot be read: {error}"));
    match error {
        multer::Error::StreamReadFailed(error) => match error.downcast() {
            Ok(error) => *error,
            Err(error) => unreadable(&error),
        },
        error => unreadable(&error),
    }
}

/// The type that was announced, or else the one that the name suggests.
fn content_type(upload: &Upload) -> String {
    let guess = || mime_guess::from_path(&upload.name).first_or_octet_stream().to_string();
    upload.content_type.clone().filter(|given| given != "unknown/unknown").unwrap_or_else(guess)
}

async fn created(cx: &Context, file: &Attachment) -> Result<Reply<Uploaded>> {
    let base = cx.base_url().await?;
    let good_until = cx.now.plus_seconds(CONFIRMED_WITHIN);
    let ticket = tickets::issue(CONFIRMATION_TICKET, &file.id.to_string(), good_until).await?;
    let location = format!("{base}/api/v1/files/{}/create_success?ticket={ticket}", file.id);
    let file = File::of(&base, file, cx.now).await?;
    let uploaded = Uploaded { file, location: location.clone() };
    Ok(Reply::created(uploaded).header(LOCATION, &location))
}

async fn confirm(cx: Context, at: FilePath, body: Body<Confirmation>) -> Result<Reply<File>> {
    let file = match body.decode()?.ticket {
        Some(ticket) => granted(&cx, at.id, &ticket).await?,
        None => {
            cx.caller()?;
            let (area, file) = attachments::find(&cx, at.id).await?;
            area.must_manage()?;
            file
        }
    };
    Ok(Reply::ok(File::of(&cx.base_url().await?, &file, cx.now).await?))
}

/// The file of a ticket that is good for it.
async fn granted(cx: &Context, id: AttachmentId, ticket: &str) -> Result<Attachment> {
    let subject = tickets::open(CONFIRMATION_TICKET, ticket, cx.now).await?;
    if subject != Some(id.to_string()) {
        return Err(Error::not_found());
    }
    files::attachment(&cx.db, id).await?.or_not_found()
}

fn came_already() -> Error {
    Error::conflict("The file has been uploaded already.")
}
