//! Bodies into parameters: JSON, urlencoded and multipart.

use std::string::FromUtf8Error;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures::stream;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use percent_encoding::percent_decode;
use serde_json::{Map, Value};

use super::{Params, rack};
use crate::error::{Error, Result};

/// The value of a part of a multipart form that is a file, which browsers send with its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileParts {
    /// Its text, as of any other part.
    Text,
    /// A data URI of its bytes.
    DataUri,
}

/// Reads the parameters of a body by its content type. A body without one is taken for a form.
pub async fn parse(headers: &HeaderMap, body: &Bytes, files: FileParts) -> Result<Params> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        _ if body.is_empty() => Ok(Map::new()),
        "" | "application/x-www-form-urlencoded" => form(body),
        "multipart/form-data" => multipart(content_type, body, files).await,
        json if json == "application/json" || json.ends_with("+json") => object(body),
        other => Err(Error::unsupported_media_type(format!("{other} is not supported"))),
    }
}

fn object(body: &Bytes) -> Result<Params> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(params)) => Ok(params),
        Ok(_) => Err(Error::bad_request("the body must be a JSON object")),
        Err(error) => Err(Error::bad_request(format!("the body is not valid JSON: {error}"))),
    }
}

fn form(body: &Bytes) -> Result<Params> {
    rack::parse(pairs(body)?.into_iter())
}

/// The pairs of a form or query, in their order.
pub(crate) fn pairs(text: &[u8]) -> Result<Vec<(String, String)>> {
    let pairs = text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    pairs
        .enumerate()
        .map(|(count, pair)| {
            if count == rack::MAX_VALUES {
                return Err(rack::too_many());
            }
            let mut halves = pair.splitn(2, |byte| *byte == b'=');
            let name = decoded(halves.next().unwrap_or_default())
                .map_err(|_not_text| Error::bad_request("the name of a parameter is not valid UTF-8"))?;
            let value = decoded(halves.next().unwrap_or_default()).map_err(|_not_text| not_text(&name))?;
            Ok((name, value))
        })
        .collect()
}

fn not_text(name: &str) -> Error {
    Error::bad_request(format!("{} is not valid UTF-8", rack::shown(name)))
}

fn decoded(text: &[u8]) -> Result<String, FromUtf8Error> {
    let spaced: Vec<_> = text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    String::from_utf8(percent_decode(&spaced).collect())
}

async fn multipart(content_type: &str, body: &Bytes, files: FileParts) -> Result<Params> {
    let fault = |error: multer::Error| Error::bad_request(format!("the multipart body cannot be read: {error}"));
    let boundary = multer::parse_boundary(content_type).map_err(fault)?;
    let stream = stream::iter([Ok::<_, std::io::Error>(body.clone())]);
    let mut parts = multer::Multipart::new(stream, boundary);
    let mut pairs = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(fault)? {
        if pairs.len() == rack::MAX_VALUES {
            return Err(rack::too_many());
        }
        let name = part.name().unwrap_or_default().to_owned();
        let file = part.file_name().filter(|_| files == FileParts::DataUri).map(str::to_owned);
        let kind = part.content_type().map_or_else(String::new, |kind| kind.essence_str().to_owned());
        let bytes = part.bytes().await.map_err(fault)?;
        if let Some(file) = file {
            // A browser sends a file without a name and without bytes where nobody has chosen one.
            if !(file.is_empty() && bytes.is_empty()) {
                pairs.push((name, format!("data:{kind};base64,{}", BASE64_STANDARD.encode(&bytes))));
            }
            continue;
        }
        let value = String::from_utf8(bytes.into()).map_err(|_not_text| not_text(&name))?;
        pairs.push((name, value));
    }
    rack::parse(pairs.into_iter())
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use serde_json::json;

    use super::*;

    fn read(content_type: &str, body: &str) -> Result<Value> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, content_type.parse().unwrap());
        block_on(parse(&headers, &Bytes::copy_from_slice(body.as_bytes()), FileParts::Text)).map(Value::Object)
    }

    #[test]
    fn the_three_kinds_of_body_say_the_same() {
        let expected = json!({"item": {"title": "Äpfel & Birnen"}});
        let form = "item%5Btitle%5D=%C3%84pfel+%26+Birnen";
        let multipart =
            "--x\r\nContent-Disposition: form-data; name=\"item[title]\"\r\n\r\nÄpfel & Birnen\r\n--x--\r\n";
        assert_eq!(read("application/x-www-form-urlencoded; charset=utf-8", form).unwrap(), expected);
        assert_eq!(read("multipart/form-data; boundary=x", multipart).unwrap(), expected);
        assert_eq!(read("application/json", r#"{"item": {"title": "Äpfel & Birnen"}}"#).unwrap(), expected);
    }

    #[test]
    fn a_file_is_a_data_uri_where_files_are_taken() {
        let file = |headers: &str, bytes: &[u8]| {
            let head = format!("--x\r\nContent-Disposition: form-data; name=\"image\"{headers}\r\n\r\n");
            [head.as_bytes(), bytes, b"\r\n--x--\r\n"].concat()
        };
        let read = |body: Vec<u8>, files: FileParts| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, "multipart/form-data; boundary=x".parse().unwrap());
            block_on(parse(&headers, &Bytes::from(body), files)).map(Value::Object)
        };
        let named = "; filename=\"a.png\"\r\nContent-Type: image/png";
        let png = file(named, b"\x89PNG");
        assert_eq!(read(png.clone(), FileParts::DataUri).unwrap(), json!({"image": "data:image/png;base64,iVBORw=="}));
        assert!(read(png, FileParts::Text).is_err());
        let untyped = file("; filename=\"a\"", b"ab");
        assert_eq!(read(untyped, FileParts::DataUri).unwrap()["image"], "data:;base64,YWI=");
        assert_eq!(read(file("", b"ab"), FileParts::DataUri).unwrap(), json!({"image": "ab"}));
        assert_eq!(read(file("; filename=\"\"", b""), FileParts::DataUri).unwrap(), json!({}));
        assert_eq!(read(file("; filename=\"\"", b"ab"), FileParts::Text).unwrap(), json!({"image": "ab"}));
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let cases = [
            ("application/json", "{"),
            ("application/json", "[]"),
            ("application/x-www-form-urlencoded", "a=%FF"),
            ("multipart/form-data", "x"),
            ("multipart/form-data; boundary=x", "--y"),
            ("text/csv", "a,b"),
        ];
        for (content_type, body) in cases {
            assert!(read(content_type, body).is_err(), "{content_type} {body}");
        }
    }

    fn seconds(content_type: &str, body: &str) -> f64 {
        let began = std::time::Instant::now();
        let _read_or_refused = std::hint::black_box(read(content_type, std::hint::black_box(body)));
        began.elapsed().as_secs_f64()
    }

    /// True if the time grows much faster than the body. Other work on the machine only ever makes a run longer, so the
    /// shortest of many runs count, and what takes no time to speak of is fast whatever the ratio.
    fn grows_too_fast(seconds: impl Fn(usize) -> f64) -> Option<(f64, f64)> {
        let (mut once, mut more) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..10 {
            once = once.min(seconds(20_000));
            more = more.min(seconds(80_000));
            // What is shorter than a turn on the processor is not broken off, so that on a busy machine the ratio is greater.
            if more < 0.25 || more < 10.0 * once {
                return None;
            }
        }
        Some((once, more))
    }

    #[test]
    fn four_times_the_body_takes_about_four_times_the_time() {
        let form = ["a=1&", "a[]=1&", "a[][b]=1&", "a[b][c]=1&", "a[", "[]", "%", "%41", "&", "=", "+", "a]=&"];
        let part = "--x\r\nContent-Disposition: form-data; name=\"a[]\"\r\n\r\n1\r\n";
        let multipart = [part, "--x\r\n", "\r\n--", "--x\r\nA: b\r\n", "\r\n--x\r\n\r\n", "-", "--x\r\nA: "];
        let json = ["[", "{\"a\":", "\"a\",", "1", "\\u0061", "[1,", " "];
        let cases = form.map(|piece| ("", "", piece)).into_iter();
        let cases = cases.chain(multipart.map(|piece| ("multipart/form-data; boundary=x", "", piece)));
        let cases = cases.chain(json.map(|piece| ("application/json", "{\"a\":", piece)));
        for (content_type, start, piece) in cases {
            let slow =
                grows_too_fast(|bytes| seconds(content_type, &format!("{start}{}", piece.repeat(bytes / piece.len()))));
            assert_eq!(slow, None, "{content_type} {piece}: the seconds of a body and of four times as much");
        }
    }

    #[test]
    fn a_sent_replacement_character_is_text_and_excuses_nothing_else() {
        assert_eq!(read("", "a=%ef%bf%bd").unwrap(), json!({"a": "\u{FFFD}"}));
        assert!(read("", "a=%ef%bf%bd&b=%ff").is_err());
    }

    #[test]
    fn a_form_is_read_as_browsers_write_it() {
        let expected = json!({"a": "1 2+3", "b": "", "c": "x=y", "d": "%"});
        assert_eq!(read("", "&a=1+2%2B3&b&c=x=y&&d=%").unwrap(), expected);
    }
}
