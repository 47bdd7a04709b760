//! The second and the third step of an upload: the bytes come in, and the file is read.
//!
//! The sender of the bytes claims the upload first, so that nobody else does at the same time. They go from the request
//! to the blob store piece by piece, and the file's row is written last, so that no half file is ever there. Whatever
//! does not become a file is forgotten at once, and the address takes another try.

use std::time::{Duration, Instant};

use http::header::{CONTENT_TYPE, LOCATION};
use serde::{Deserialize, Serialize};
use shared::clock::HOUR;
use shared::error::OrNotFound;
use shared::files::{self, Attachment, File, Owner, UPLOAD_TICKET, Upload};
use shared::ids::UploadId;
use shared::live_events::Cause;
use shared::multipart::{self, Form};
use shared::notify::Notifier;
use shared::{
    Context, Created, Db, Error, JsonSchema, Path, Reply, Result, background, blob, clock, endpoint, endpoints,
    signed_links,
};

use crate::notices;
use crate::store::uploads::{self as store, Claim, Received};

/// The purpose of tickets of the last step: a file's uuid is known to all who see the file, also while it is closed.
pub(crate) const CONFIRMATION_TICKET: &str = "file confirmation";
/// The time for which the last step may be made without a token, in seconds.
const CONFIRMED_WITHIN: i64 = HOUR;
/// The most bytes that a request is read for: the limit of the upload itself is smaller.
const REQUEST_LIMIT: usize = 4 * 1000 * 1000 * 1000;
/// The most bytes of a form beside the file.
const FORM_OVERHEAD: usize = 256 * 1024;
/// The interval at which the sender of the bytes tells that they still come. A claim ends when that was left out a few
/// times.
const RENEW_EVERY: Duration = Duration::from_secs(15);

endpoints![upload_file];

#[derive(Deserialize, JsonSchema)]
struct TicketPath {
    ticket: String,
}

/// The file, and where it is read.
#[derive(Serialize, JsonSchema)]
struct Uploaded {
    #[serde(flatten)]
    file: File,
    location: String,
}

/// Takes the bytes of a file that was announced, in a multipart form, once.
#[endpoint(
    POST "/files_api/:ticket",
    public,
    streamed(REQUEST_LIMIT),
    nobody(403, "the address must be signed"),
    answers(409, "The file has been uploaded already, or another request uploads it."),
    answers(415, "The body is no multipart form."),
    parts(&["file"]),
)]
async fn upload_file(cx: Context, Path(at): Path<TicketPath>) -> Result<Created<Uploaded>> {
    let id = signed_links::open(UPLOAD_TICKET, &at.ticket, cx.now).await?.and_then(|id| id.parse().ok().map(UploadId));
    let upload = files::upload(&cx.db, id.ok_or_else(Error::forbidden)?).await?.or_not_found()?;
    let boundary = cx.header(CONTENT_TYPE).and_then(multipart::boundary);
    let boundary = boundary.ok_or_else(|| Error::unsupported_media_type("The file must come in a multipart form"))?;
    let claim = store::claim(&cx.db, upload.id, clock::now()).await?;
    let (file, told) = match stored(&cx, &upload, &claim, boundary).await {
        Ok(stored) => stored,
        Err(error) => {
            background::log_if_failed(store::release(&cx.db, upload.id, &claim).await);
            return Err(error);
        }
    };
    if told {
        background::run_soon();
    }
    if matches!(file.owner(), Some(Owner::Migration(_))) {
        // The area that reads packages need not wait for the tick.
        background::after_response(async { background::run_jobs("content-exports", None).await.map(drop) });
    }
    created(&cx, &file).await
}

/// Writes the form's file and makes it the upload's, or leaves nothing of it.
async fn stored(cx: &Context, upload: &Upload, claim: &Claim, boundary: String) -> Result<(Attachment, bool)> {
    if let Some(left_behind) = &upload.blob {
        // Of somebody whose claim has ended, and who may be writing still.
        blob::abandon(left_behind).await?;
    }
    let limit = usize::try_from(upload.size_limit).map_err(Error::internal)?;
    let form = Form::new(cx.body_stream()?, boundary, limit.saturating_add(FORM_OVERHEAD));
    let mut writer = blob::Writer::new(&claim.blob).await?;
    let renewal = Renewal { db: &cx.db, upload: upload.id, claim, told: Instant::now() };
    if let Err(error) = copied(&mut writer, form, limit, renewal).await {
        background::log_if_failed(writer.discard().await);
        return Err(error);
    }
    let size = writer.finish().await?;
    let content_type = content_type(upload);
    let cause = Cause::of(cx).await?.by(upload.user_id, upload.root_account_id);
    let length = i64::try_from(size).map_err(Error::internal)?;
    let notifier = Notifier::of(cx).await?.by(upload.user_id);
    let tell = async |db: &Db, file: &Attachment| notices::file_added(db, &notifier, file, cx.now).await;
    let received = Received { size: length, content_type: &content_type };
    match store::complete(&cx.db, tell, upload, claim, received, &cause, cx.now).await {
        Ok(file) => Ok(file),
        Err(error) => {
            if !error.is_in_doubt() {
                background::log_if_failed(blob::delete(&claim.blob, size).await);
            }
            Err(error)
        }
    }
}

async fn copied(writer: &mut blob::Writer, mut form: Form, limit: usize, mut renewal: Renewal<'_>) -> Result<()> {
    while let Some(part) = form.next_part().await? {
        if part.name != "file" && part.file_name.is_none() {
            continue;
        }
        while let Some(bytes) = form.chunk().await? {
            if writer.size().saturating_add(bytes.len()) > limit {
                return Err(Error::too_large(limit));
            }
            writer.write(&bytes).await?;
            renewal.renew().await?;
        }
        return Ok(());
    }
    Err(Error::missing("file"))
}

/// Keeps the claim while bytes come.
struct Renewal<'a> {
    db: &'a Db,
    upload: UploadId,
    claim: &'a Claim,
    told: Instant,
}

impl Renewal<'_> {
    async fn renew(&mut self) -> Result<()> {
        if self.told.elapsed() < RENEW_EVERY {
            return Ok(());
        }
        self.told = Instant::now();
        store::renew(self.db, self.upload, self.claim, clock::now()).await
    }
}

/// The type that was announced, or else the one that the name suggests.
fn content_type(upload: &Upload) -> String {
    let guess = || mime_guess::from_path(&upload.name).first_or_octet_stream().to_string();
    upload.content_type.clone().filter(|given| given != "unknown/unknown").unwrap_or_else(guess)
}

async fn created(cx: &Context, file: &Attachment) -> Result<Created<Uploaded>> {
    let base = cx.base_url().await?;
    let good_until = cx.now.plus_seconds(CONFIRMED_WITHIN);
    let ticket = signed_links::issue(CONFIRMATION_TICKET, &file.id.to_string(), good_until).await?;
    let location = format!("{base}/api/v1/files/{}/create_success?ticket={ticket}", file.id);
    let file = File::of(&base, file, cx.now).await?;
    let uploaded = Uploaded { file, location: location.clone() };
    Ok(Reply::created(uploaded).header(LOCATION, &location))
}
