//! Large bodies of text are compressed for those who take it. What lies compressed already is sent as it is.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, ETAG, VARY};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::accept;
use crate::reply::UntypedReply;

/// The least number of bytes for which it is worth while: less fits into a few packets anyway.
const MIN_BYTES: usize = 4096;

/// Compresses the body of an answer if that saves something, and says that another client may get it otherwise.
///
/// Pages are left as they are: what is secret in them stands beside what others may have put there, and the length of both
/// together would tell of the secret.
pub(crate) fn compress(answer: &mut UntypedReply, client_takes_gzip: bool) {
    let Some(plain) = answer.body.whole().filter(|body| body.len() >= MIN_BYTES) else { return };
    if !is_data(&answer.headers) || answer.headers.contains_key(CONTENT_ENCODING) {
        return;
    }
    vary(&mut answer.headers, ACCEPT_ENCODING);
    if client_takes_gzip && let Some(compressed) = gzip(plain) {
        answer.body = compressed.into();
        answer.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
}

/// Says that an answer depends on that header of the request too.
pub(crate) fn vary(headers: &mut HeaderMap, name: HeaderName) {
    let named = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(name.as_str().as_bytes());
    if !headers.get_all(VARY).iter().any(named) {
        headers.append(VARY, name.into());
    }
}

/// True for text that programs read, whose bytes no header speaks of.
fn is_data(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = text(CONTENT_TYPE).split(';').next().unwrap_or_default().trim();
    let is_strong = headers.contains_key(ETAG) && !text(ETAG).starts_with("W/");
    (matches!(essence, "application/json" | "application/xml" | "text/csv" | "text/plain")
        || essence.ends_with("+json"))
        && !is_strong
        && !headers.contains_key(CONTENT_RANGE)
}

/// Nothing where it would be no shorter.
fn gzip(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 4), Compression::fast());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok().filter(|compressed| compressed.len() < plain.len()).map(Bytes::from)
}

/// True if a client with these headers takes a body that gzip has compressed. One that says nothing may not.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    // Lines of one name are one list.
    let lines: Vec<_> = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok()).collect();
    accept::takes_coding(&lines.join(","), &["gzip", "x-gzip"])
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use http::StatusCode;

    use super::*;
    use crate::body::ResponseBody;

    fn accepting(line: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(line))])
    }

    fn answer(content_type: &'static str, body: impl Into<Bytes>) -> UntypedReply {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]);
        UntypedReply { status: StatusCode::OK, body: ResponseBody::from(body.into()), headers }
    }

    #[test]
    fn gzip_goes_to_those_who_take_it() {
        for accepted in ["gzip", "deflate, gzip;q=0.5", "*", "br;q=1.0, gzip; q=0.8"] {
            assert!(takes_gzip(&accepting(accepted)), "{accepted}");
        }
        for refused in ["", "identity", "gzip;q=0", "gzip;q=0.000", "br"] {
            assert!(!takes_gzip(&accepting(refused)), "{refused}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
        let mut lines = accepting("*");
        assert!(takes_gzip(&lines));
        lines.append(ACCEPT_ENCODING, HeaderValue::from_static("gzip;q=0"));
        assert!(!takes_gzip(&lines), "what is named goes before *");
    }

    #[test]
    fn a_large_list_is_compressed_for_who_takes_it() {
        let list = "[1,2,3]".repeat(1000);
        let mut large = answer("application/json; charset=utf-8", list.clone());
        compress(&mut large, true);
        let compressed = large.body.whole().unwrap();
        assert!(compressed.len() < list.len() / 10, "{}", compressed.len());
        let mut plain = String::new();
        GzDecoder::new(&compressed[..]).read_to_string(&mut plain).unwrap();
        assert_eq!(plain, list);
        assert_eq!(
            (&large.headers[CONTENT_ENCODING], &large.headers[VARY]),
            (&"gzip".parse().unwrap(), &"accept-encoding".parse().unwrap())
        );
        let mut plain = answer("application/json", list.clone());
        compress(&mut plain, false);
        assert_eq!(plain.body.whole().unwrap(), list.as_bytes());
        assert!(plain.headers.contains_key(VARY) && !plain.headers.contains_key(CONTENT_ENCODING));
    }

    #[test]
    fn what_is_short_or_a_page_or_compressed_or_known_by_its_bytes_stays_as_it_is() {
        let long = "x".repeat(MIN_BYTES);
        let with = |name, value: &'static str| {
            let mut answer = answer("application/json", long.clone());
            answer.headers.insert(name, HeaderValue::from_static(value));
            answer
        };
        for mut answer in [
            answer("application/json", "x".repeat(MIN_BYTES - 1)),
            answer("text/html; charset=utf-8", long.clone()),
            answer("image/png", long.clone()),
            with(CONTENT_ENCODING, "gzip"),
            with(ETAG, "\"x\""),
            with(CONTENT_RANGE, "bytes 0-4095/9000"),
        ] {
            let before = answer.headers.clone();
            compress(&mut answer, true);
            assert_eq!(answer.headers, before);
        }
    }
}
