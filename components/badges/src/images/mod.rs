//! Images of badges: PNG or SVG, looked at closely when they come, and stored under a name of their own.

pub(crate) mod png;
pub(crate) mod svg;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde_json::Value;
use shared::error::OrNotFound;
use shared::{Context, Error, Result, blob};

use crate::entity::new_id;
use crate::store::images;

/// The most bytes of an image.
pub(crate) const LARGEST: usize = 1024 * 1024;
/// The most bytes of a body that may hold one in base64.
pub(crate) const BODY: usize = 2 * LARGEST;

/// The form of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Png,
    Svg,
}

/// An image that was looked at.
pub(crate) struct Image {
    pub(crate) form: Form,
    pub(crate) bytes: Bytes,
}

impl Form {
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

/// What an update does with an image.
pub(crate) enum Given {
    /// It was not given, or its address was, which says to keep it.
    Kept,
    Removed,
    New(Image),
}

impl Image {
    /// The image in those bytes, or what is wrong with it.
    pub(crate) fn read(bytes: Bytes) -> Result<Self, String> {
        if bytes.len() > LARGEST {
            return Err(format!("The image is larger than {LARGEST} bytes."));
        }
        let form = if png::has_signature(&bytes) { Form::Png } else { Form::Svg };
        match form {
            Form::Png => png::check(&bytes)?,
            Form::Svg => svg::check(&bytes)?,
        }
        Ok(Self { form, bytes })
    }

    /// The image that a body holds as a data URI.
    pub(crate) fn given(value: Option<&Value>) -> Result<Given, String> {
        let text = match value {
            None => return Ok(Given::Kept),
            Some(Value::Null) => return Ok(Given::Removed),
            Some(Value::String(text)) => text.trim(),
            Some(_) => return Err("Invalid image: a data URI is expected.".to_owned()),
        };
        if text.is_empty() {
            return Ok(Given::Removed);
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            return Ok(Given::Kept);
        }
        let bytes = from_data_uri(text).ok_or("Invalid image: a data URI in base64 is expected.")?;
        Self::read(bytes).map(Given::New)
    }

    /// Stores the bytes, and answers the name. No row names them yet: that is written in the transaction of the record.
    pub(crate) async fn store(&self) -> Result<Stored> {
        let name = format!("{}.{}", new_id(), self.form.extension());
        blob::put(&blob_name(&name), &self.bytes).await?;
        Ok(Stored { name, form: self.form, size: self.bytes.len() })
    }
}

/// An image whose bytes are stored.
pub(crate) struct Stored {
    pub(crate) name: String,
    pub(crate) form: Form,
    pub(crate) size: usize,
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
    let form = Form::of_name(name).or_not_found()?;
    let bytes = blob::get(&blob_name(name), row.size).await?;
    let bytes = bytes.ok_or_else(|| Error::internal(lost(name)))?;
    Ok(Image { form, bytes })
}

fn lost(name: &str) -> std::io::Error {
    std::io::Error::other(format!("the bytes of the image {name} are not there"))
}
