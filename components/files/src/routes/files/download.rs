//! The bytes of files, at addresses that carry their own right and end after an hour.

use std::ops::Range;

use http::StatusCode;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_SECURITY_POLICY, ETAG, IF_RANGE, RANGE,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::json;
use shared::error::OrNotFound;
use shared::files::{self, Attachment, DOWNLOAD_TICKET, Names, OfCourse};
use shared::needs::NeededCourse;
use shared::prefetch::Prefetched;
use shared::{Context, Error, JsonSchema, Path, Query, Reply, Result, blob, endpoint, endpoints, signed_links};

use crate::model::ranges::{self, Requested};
use crate::routes::files::{FilePath, of_owner, require_open_right};
use crate::store::attachments::StoredFile;
use crate::store::needs::InArea;

/// The characters that may stand in a name of a header as they are.
const NOT_ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

endpoints![download_file, download_course_file];

#[derive(Deserialize, JsonSchema)]
struct Grant {
    /// The right to read the file, which is part of its address. Without it a token is needed.
    #[serde(default)]
    verifier: Option<String>,
}

/// Reads the bytes of a file.
#[endpoint(
    GET "/files/:id/download",
    token_optional,
    nobody(401, "the address is signed, or a token is needed"),
    sends(&["application/octet-stream"]),
    entity_tag,
    answers(206, "The part of the file that `Range` asks for."),
    answers(403, "The address is not one that was given out, or has ended; or the caller may not open the file."),
    answers(416, "The file has no such part."),
)]
async fn download_file(
    cx: Context,
    Path(at): Path<FilePath>,
    file: Prefetched<InArea<StoredFile>>,
    body: Query<Grant>,
) -> Result<Reply> {
    if let Some(ticket) = body.decode()?.verifier {
        return sent(&cx, &granted(&cx, &at, &ticket).await?);
    }
    cx.caller()?;
    let file = file.record()?;
    require_open_right(&cx, file.area(), &file)?;
    sent(&cx, file.file())
}

/// Reads the bytes of a file of a course.
///
/// Addresses in the texts of a course carry no right of their own: these are for those who have a token.
#[endpoint(
    GET "/courses/:course_id/files/:id/download",
    GET "/courses/:course_id/files/:id/preview" as preview_course_file { summary("Reads the bytes of a file of a course, as texts refer to it") },
    token_or_page,
    students(200, "students see what is neither hidden nor closed"),
    sends(&["application/octet-stream"]),
    entity_tag,
    answers(206, "The part of the file that `Range` asks for."),
    answers(416, "The file has no such part."),
)]
async fn download_course_file(cx: Context, course: NeededCourse, file: Prefetched<StoredFile>) -> Result<Reply> {
    let area = OfCourse::area_of(&course);
    let file = of_owner(&area, file)?;
    require_open_right(&cx, &area, &file)?;
    sent(&cx, file.file())
}

/// The bytes of the file, or the part of them that is asked for, unless the client has them.
fn sent(cx: &Context, file: &Attachment) -> Result<Reply> {
    let size = usize::try_from(file.size).map_err(Error::internal)?;
    // The bytes of a file never change: one that takes its place has another id.
    let etag = format!("\"file-{}\"", file.id);
    let headers = |reply: Reply| {
        // A file that others have uploaded is saved and never shown as a page of ours.
        reply
            .header(CONTENT_DISPOSITION, &disposition(&file.display_name))
            .header(CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox")
            .header(CACHE_CONTROL, "private, no-store")
            .header(ACCEPT_RANGES, "bytes")
            .header(ETAG, &etag)
    };
    if cx.has_entity_tag(&etag) {
        return Ok(headers(Reply::empty(StatusCode::NOT_MODIFIED)));
    }
    let is_same = cx.header(IF_RANGE).is_none_or(|had| had == etag);
    let range = cx.header(RANGE).filter(|_| is_same);
    let part = match ranges::requested(range, size) {
        Requested::Whole => return Ok(headers(bytes(file, 0..size)?)),
        Requested::Part(part) => part,
        Requested::Unsatisfiable => {
            let body = json!({ "errors": [{ "message": format!("The file has {size} bytes.") }] }).to_string();
            return Ok(Reply::bytes("application/json; charset=utf-8", body)
                .with_status(StatusCode::RANGE_NOT_SATISFIABLE)
                .header(CONTENT_RANGE, &format!("bytes */{size}")));
        }
    };
    let told = format!("bytes {}-{}/{size}", part.start, part.end.saturating_sub(1));
    Ok(headers(bytes(file, part)?).with_status(StatusCode::PARTIAL_CONTENT).header(CONTENT_RANGE, &told))
}

fn bytes(file: &Attachment, part: Range<usize>) -> Result<Reply> {
    let length = u64::try_from(part.len()).map_err(Error::internal)?;
    Ok(Reply::stream(&file.content_type, Some(length), blob::stream_part(&file.blob, part)))
}

/// The file of a ticket that is good for it.
async fn granted(cx: &Context, at: &FilePath, ticket: &str) -> Result<Attachment> {
    let id = signed_links::open(DOWNLOAD_TICKET, ticket, cx.now).await?;
    if id != Some(at.id.to_string()) {
        return Err(Error::forbidden());
    }
    files::attachment(&cx.db, at.id).await?.or_not_found()
}

/// Saves under that name, for old and new clients (RFC 6266).
fn disposition(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_graphic() && !"\"\\%".contains(c) { c } else { '_' }).collect();
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{}", utf8_percent_encode(name, NOT_ENCODED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_header() {
        let header = disposition("a\"\r\nX: ü.txt");
        assert_eq!(header, "attachment; filename=\"a___X:__.txt\"; filename*=UTF-8''a%22%0D%0AX%3A%20%C3%BC.txt");
    }
}
