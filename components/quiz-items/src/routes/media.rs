//! Media of hot-spot questions: an address to upload to, and the same without its query to read from.
//!
//! The address carries its own right, and is good for one object and one hour. Bytes are checked
//! for being the image that they claim to be, because everybody can read them here afterwards.

use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use serde::Deserialize;
use shared::auth::secrets;
use shared::error::OrNotFound;
use shared::ids::CourseId;
use shared::{Context, Error, JsonSchema, Path, Query, Reply, Result, blob, endpoint, endpoints, files};
use uuid::Uuid;

use crate::model::image;
use crate::store::media::{self as store, Place};

/// The largest image.
const LIMIT: usize = 10 * 1024 * 1024;
/// The purpose of the signature.
pub(crate) const PURPOSE: &str = "media upload";

endpoints![upload_media, get_media];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ObjectPath {
    context: Uuid,
    object: Uuid,
}

impl ObjectPath {
    pub(crate) fn new() -> Self {
        Self { context: Uuid::new_v4(), object: Uuid::new_v4() }
    }

    pub(crate) fn id(&self) -> String {
        format!("{}/{}", self.context, self.object)
    }
}

/// The query of an address to upload to.
#[derive(Deserialize, JsonSchema)]
struct Grant {
    /// The course that the image belongs to.
    course: i64,
    /// When the address ends, in seconds since 1970.
    expires: i64,
    /// It says that we have made the address, which nobody has changed.
    signature: String,
}

/// Takes the bytes of an image, once, at an address that was given out.
///
/// Without the header `Content-Type` the bytes tell which of the types they are.
#[endpoint(
    PUT "/api/quiz/v1/media/:context/:object",
    public,
    raw(LIMIT),
    nobody(403, "the address must be signed"),
    answers(409, "The image has been uploaded already."),
    accepts(&["image/png", "image/jpeg", "image/gif", "image/webp"]),
)]
async fn upload_media(cx: Context, Path(at): Path<ObjectPath>, query: Query<Grant>) -> Result<Reply> {
    let object = at.id();
    // Whatever is wrong with the address, it is not one of ours.
    let grant = query.decode().map_err(|_no_grant| Error::forbidden())?;
    let text = signed(&object, grant.course, grant.expires);
    let is_ours = secrets::verify(PURPOSE, &text, &grant.signature).await?;
    if !is_ours || grant.expires <= cx.now.unix() {
        return Err(Error::forbidden());
    }
    let bytes = cx.bytes();
    let content_type = image::content_type(cx.header(CONTENT_TYPE), &bytes)?;
    let size = i64::try_from(bytes.len()).map_err(Error::internal)?;
    let (course, quota) = (CourseId(grant.course), files::quota().await?);
    let new = store::NewObject { course, id: &object, size, quota };
    require_place(&cx, &new).await?;
    // Each upload has a name of its own, so that two at once cannot mix their bytes.
    let name = format!("media/{object}/{}", Uuid::new_v4());
    blob::put(&name, &bytes).await?;
    match store::insert(&cx.db, &new, &name, content_type, cx.now).await? {
        true => Ok(Reply::empty(StatusCode::OK)),
        false => {
            blob::delete(&name, bytes.len()).await?;
            require_place(&cx, &new).await?;
            Err(there_already())
        }
    }
}

/// 409 where the object is there already, and 400 where the course has no room for it.
async fn require_place(cx: &Context, new: &store::NewObject<'_>) -> Result<()> {
    match store::place(&cx.db, new).await? {
        Place { is_taken: true, .. } => Err(there_already()),
        Place { is_full: true, .. } => Err(Error::bad_request("the images of the course exceed its quota")),
        Place { .. } => Ok(()),
    }
}

/// Reads an image.
#[endpoint(
    GET "/api/quiz/v1/media/:context/:object",
    public,
    nobody(404, "an image whose address nobody can guess; there is none yet"),
    sends(&["image/png", "image/jpeg", "image/gif", "image/webp"]),
)]
async fn get_media(cx: Context, Path(at): Path<ObjectPath>) -> Result<Reply> {
    let object = store::object(&cx.db, &at.id()).await?.or_not_found()?;
    let bytes = blob::get(&object.blob, object.size).await?.or_not_found()?;
    Ok(Reply::bytes(&object.content_type, bytes)
        .header(CACHE_CONTROL, "public, max-age=31536000, immutable")
        .header(CONTENT_DISPOSITION, "inline")
        .header(CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"))
}

pub(crate) fn signed(object: &str, course: i64, expires: i64) -> String {
    format!("{object} {course} {expires}")
}

fn there_already() -> Error {
    Error::conflict("The object has been uploaded already.")
}
