//! The parts of a new import: the file, as it is or in a form, and how it is to be imported.

use http::header::CONTENT_TYPE;
use shared::blob::Writer;
use shared::multipart;
use shared::params::{self, Params};
use shared::{BodyStream, Context, Error, Result};

/// The most bytes of an upload.
pub(crate) const MAX_UPLOAD_BYTES: usize = 256 * 1024 * 1024;
/// The most bytes of a form's field that is no file.
const MAX_FIELD_BYTES: usize = 16 * 1024;

/// The fields of an upload beside its bytes.
#[derive(Default)]
pub(crate) struct UploadForm {
    pub(crate) file_name: Option<String>,
    pub(crate) params: Params,
}

/// Writes the body to a blob, and tells what came with it.
pub(crate) async fn receive(cx: &Context, writer: &mut Writer) -> Result<UploadForm> {
    let body = cx.body_stream()?;
    let content_type = cx.header(CONTENT_TYPE).unwrap_or_default();
    if let Some(boundary) = multipart::boundary(content_type) {
        return form(multipart::Form::new(body, boundary, MAX_UPLOAD_BYTES), writer).await;
    }
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_named = query_has_extension(cx)?;
    match essence.as_str() {
        "text/csv" | "application/zip" | "application/x-zip-compressed" | "application/octet-stream" => {}
        // Programs that are told of no type send one of these.
        "" | "application/x-www-form-urlencoded" | "text/plain" if is_named => {}
        _ => {
            let message = "The file must come in a multipart form as attachment, or as text/csv or application/zip";
            return Err(Error::unsupported_media_type(message));
        }
    }
    whole(body, writer).await?;
    Ok(UploadForm::default())
}

fn query_has_extension(cx: &Context) -> Result<bool> {
    Ok(cx.query().split('&').any(|pair| pair.starts_with("extension=")))
}

async fn whole(mut body: BodyStream, writer: &mut Writer) -> Result<()> {
    while let Some(bytes) = body.chunk().await? {
        writer.write(&bytes).await?;
    }
    Ok(())
}

async fn form(mut form: multipart::Form, writer: &mut Writer) -> Result<UploadForm> {
    let (mut file_name, mut pairs, mut found) = (None, Vec::new(), false);
    while let Some(part) = form.next_part().await? {
        if part.name != "attachment" && part.file_name.is_none() {
            pairs.push((part.name.clone(), text(&mut form, &part.name).await?));
            continue;
        }
        if std::mem::replace(&mut found, true) {
            return Err(Error::bad_request("An import has one attachment"));
        }
        file_name = part.file_name;
        while let Some(bytes) = form.chunk().await? {
            writer.write(&bytes).await?;
        }
    }
    if !found {
        return Err(Error::missing("attachment"));
    }
    Ok(UploadForm { file_name, params: params::parse_pairs(pairs.into_iter())? })
}

/// The field that is read now.
async fn text(form: &mut multipart::Form, name: &str) -> Result<String> {
    let mut value = Vec::new();
    while let Some(bytes) = form.chunk().await? {
        value.extend_from_slice(&bytes);
        if value.len() > MAX_FIELD_BYTES {
            return Err(Error::bad_request(format!("{name} is too long")));
        }
    }
    String::from_utf8(value).map_err(|_not_text| Error::bad_request(format!("{name} is not valid UTF-8")))
}
