//! Copies of bodies that pass by: as much of them as somebody will want to read.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use flate2::read::GzDecoder;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use wasmtime_wasi_http::WasiBody;

use crate::observed_body::observed;

/// The most that is kept of a body.
pub(super) const MAX_BODY_BYTES: usize = 64 * 1024;

/// What has been copied so far.
#[derive(Clone, Default)]
pub(super) struct BodyCopy(Arc<Mutex<Vec<u8>>>);

impl BodyCopy {
    /// The body, which is copied while it is read.
    pub(super) fn of(&self, body: WasiBody) -> WasiBody {
        let copy = self.clone();
        observed(body, move |bytes| copy.add(bytes))
    }

    fn add(&self, bytes: &[u8]) {
        let mut copy = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_BODY_BYTES.saturating_sub(copy.len());
        copy.extend(bytes.iter().take(room));
    }

    /// What was copied, where it is text: `None` if there is nothing, or if it is no text.
    pub(super) fn text(&self, headers: &HeaderMap) -> Option<String> {
        let copy = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match headers.get(CONTENT_ENCODING).map(http::HeaderValue::as_bytes) {
            None => text(copy),
            Some(b"gzip") => text(unzipped(&copy)),
            Some(_) => None,
        }
    }
}

/// The text that these bytes are, or begin: the last character may be cut.
fn text(bytes: Vec<u8>) -> Option<String> {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.utf8_error().error_len().is_none() => {
            let end = error.utf8_error().valid_up_to();
            String::from_utf8(error.into_bytes().into_iter().take(end).collect()).ok()?
        }
        Err(_no_text) => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// As much as these bytes are the beginning of.
fn unzipped(bytes: &[u8]) -> Vec<u8> {
    let mut unzipped = Vec::new();
    let limit = u64::try_from(MAX_BODY_BYTES).unwrap_or(u64::MAX);
    // What was read stays where the rest is missing.
    let _cut_short = GzDecoder::new(bytes).take(limit).read_to_end(&mut unzipped);
    unzipped
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use bytes::Bytes;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use http::HeaderValue;
    use http_body_util::{BodyExt, Full};
    use wasmtime_wasi_http::Error;

    use super::*;

    async fn copied(bytes: Vec<u8>) -> BodyCopy {
        let copy = BodyCopy::default();
        let body = Full::new(Bytes::from(bytes.clone())).map_err(Error::from).boxed_unsync();
        assert_eq!(copy.of(body).collect().await.unwrap().to_bytes(), bytes);
        copy
    }

    #[tokio::test]
    async fn text_is_kept_up_to_a_limit_and_whole_characters() {
        let none = HeaderMap::new();
        assert_eq!(copied(b"{}".to_vec()).await.text(&none).as_deref(), Some("{}"));
        assert_eq!(copied(Vec::new()).await.text(&none), None);
        assert_eq!(copied(vec![0xff, 0xfe, b'a']).await.text(&none), None);
        let long = copied("xä".repeat(MAX_BODY_BYTES).into_bytes()).await.text(&none).unwrap();
        assert!(long.len() <= MAX_BODY_BYTES && long.ends_with(['x', 'ä']));
    }

    #[tokio::test]
    async fn what_was_compressed_is_read_as_far_as_it_was_kept() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"a list of courses").unwrap();
        let headers = HeaderMap::from_iter([(CONTENT_ENCODING, HeaderValue::from_static("gzip"))]);
        let bytes = encoder.finish().unwrap();
        assert_eq!(copied(bytes).await.text(&headers).as_deref(), Some("a list of courses"));
    }
}
