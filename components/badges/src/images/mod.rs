//! Images of badges: PNG or SVG, looked at closely when they come, and stored under a name of their own.
//!
//! Bytes are stored before the row that names them, and noted before that; so what a crash leaves behind is found again. An
//! image that no record names any more is not shown, and goes a day later.

mod css;
pub(crate) mod png;
pub(crate) mod retention;
pub(crate) mod svg;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde_json::Value;
use shared::clock::HOUR;
use shared::error::OrNotFound;
use shared::throttle::{self, Limit};
use shared::{Context, Db, Error, LimitKind, Patch, Result, blob};

use crate::model::entity::new_id;
use crate::store::images::{self, NewImage, Quota};

/// The most bytes of an image.
pub(crate) const MAX_IMAGE_BYTES: usize = 1024 * 1024;
/// The most bytes of a body that may hold one in base64.
pub(crate) const BODY: usize = 2 * MAX_IMAGE_BYTES;

/// The room for the images of a user, and how often one is uploaded.
const OF_USER: Quota = Quota { images: 500, bytes: 128 * 1024 * 1024 };
const OF_TENANT: Quota = Quota { images: 20_000, bytes: 4 * 1024 * 1024 * 1024 };
const UPLOADS: Limit = Limit { most: 200, seconds: HOUR };

/// The form of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageFormat {
    Png,
    Svg,
}

/// An image that was looked at.
pub(crate) struct Image {
    pub(crate) form: ImageFormat,
    pub(crate) bytes: Bytes,
}

impl ImageFormat {
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Svg => "image/svg+xml",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
        }
    }

    /// The form of an image that is stored under that name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        [Self::Png, Self::Svg].into_iter().find(|form| name.ends_with(&format!(".{}", form.extension())))
    }
}

/// The change that an update makes to an image.
pub(crate) enum ImageChange {
    /// It was not given, or its address was, which says to keep it.
    Kept,
    Removed,
    New(Image),
}

impl Image {
    /// The image in those bytes, or what is wrong with it.
    pub(crate) fn read(bytes: Bytes) -> Result<Self, String> {
        if bytes.len() > MAX_IMAGE_BYTES {
            return Err(format!("The image is larger than {MAX_IMAGE_BYTES} bytes."));
        }
        let form = if png::has_signature(&bytes) { ImageFormat::Png } else { ImageFormat::Svg };
        let bytes = match form {
            ImageFormat::Png => png::check(&bytes).map(|()| bytes)?,
            ImageFormat::Svg => svg::clean(&bytes)?,
        };
        Ok(Self { form, bytes })
    }

    /// The image that a body holds as a data URI.
    pub(crate) fn change(value: Option<&Value>) -> Result<ImageChange, String> {
        let text = match value {
            None => return Ok(ImageChange::Kept),
            Some(Value::Null) => return Ok(ImageChange::Removed),
            Some(Value::String(text)) => text.trim(),
            Some(_) => return Err("Invalid image: a data URI is expected.".to_owned()),
        };
        if text.is_empty() {
            return Ok(ImageChange::Removed);
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            return Ok(ImageChange::Kept);
        }
        let bytes = from_data_uri(text).ok_or("Invalid image: a data URI in base64 is expected.")?;
        Self::read(bytes).map(ImageChange::New)
    }

    /// The row of the image, under a name of its own.
    fn row(&self) -> NewImage {
        let name = format!("{}.{}", new_id(), self.form.extension());
        NewImage { name, content_type: self.form.content_type(), size: self.bytes.len() }
    }
}

/// Counts an upload before its bytes are looked at.
pub(crate) async fn take_turn(cx: &Context, field: &Patch<Value>) -> Result<()> {
    let is_upload = matches!(field, Patch::Value(Value::String(text)) if text.trim_start().starts_with("data:"));
    if !is_upload {
        return Ok(());
    }
    throttle::require_turn(cx, LimitKind::BadgeImages, &format!("badge-images/{}", cx.caller()?.user), UPLOADS).await
}

/// Stores the image, if there is one, with the record that names it: `write` is told its name, in the transaction that
/// makes its row. If that fails nothing of the image stays. Without an image `write` stands alone: where it is of several
/// statements, it is a transaction of its own.
pub(crate) async fn store_with<T>(
    cx: &Context,
    image: Option<&Image>,
    write: impl AsyncFnOnce(&Db, Option<&str>) -> Result<T>,
) -> Result<T> {
    let Some(image) = image else {
        return write(&cx.db, None).await;
    };
    let caller = cx.caller()?;
    let (user, tenant) = (caller.user, caller.root_account);
    let quotas = (OF_USER, OF_TENANT);
    let new = image.row();
    if !images::has_room(&cx.db, tenant, user, new.size, quotas).await? {
        return Err(no_room());
    }
    let blob = blob_name(&new.name);
    blob::put(&blob, &image.bytes).await?;
    let stored = cx.db.transaction(async |db| {
        if !images::insert(db, tenant, user, &new, quotas, cx.now).await? {
            return Err(no_room());
        }
        blob::keep(db, &blob).await?;
        write(db, Some(&new.name)).await
    });
    let stored = stored.await;
    if stored.as_ref().is_err_and(|error| !error.is_in_doubt()) {
        discard(&blob, image.bytes.len()).await;
    }
    stored
}

/// Forgets bytes that no row names. If that fails the tick finds them later.
async fn discard(blob: &str, size: usize) {
    shared::background::log_if_failed(blob::delete(blob, size).await);
}

fn no_room() -> Error {
    Error::invalid("image", "quota", "There is no room for more images.")
}

pub(crate) fn blob_name(name: &str) -> String {
    format!("badge-images/{name}")
}

/// The bytes of a data URI in base64, whatever type it claims.
pub(crate) fn from_data_uri(text: &str) -> Option<Bytes> {
    let (head, encoded) = text.strip_prefix("data:")?.split_once(',')?;
    head.strip_suffix(";base64")?;
    BASE64_STANDARD.decode(encoded).ok().map(Bytes::from)
}

/// A stored image.
pub(crate) async fn load(cx: &Context, name: &str) -> Result<Image> {
    let row = images::find(&cx.db, name).await?.or_not_found()?;
    let form = ImageFormat::of_name(name).or_not_found()?;
    let bytes = blob::get(&blob_name(name), row.size).await?;
    let bytes = bytes.ok_or_else(|| Error::internal(lost(name)))?;
    Ok(Image { form, bytes })
}

fn lost(name: &str) -> std::io::Error {
    std::io::Error::other(format!("the bytes of the image {name} are not there"))
}
