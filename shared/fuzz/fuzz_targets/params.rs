//! Bodies of every kind, read into a typed struct: whatever comes is read or refused, and never panics.

#![no_main]

use bytes::Bytes;
use futures::executor::block_on;
use fuzz::{BARE, Frame};
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderValue};
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use shared::params::{self, FileParts};
use shared::{Patch, Timestamp};

const FRAMES: [Frame; 4] = [
    BARE,
    Frame { before: "{\"a\":1,\"e\":[", after: "0]}" },
    Frame { before: "{\"a\":1,\"e\":{", after: "\"a\":0}}" },
    Frame { before: "a=1&c[][name]=", after: "&d=2026-01-01" },
];

#[derive(Deserialize)]
#[expect(dead_code, reason = "the fields are read by serde alone")]
struct Form {
    a: i64,
    #[serde(default)]
    b: Patch<f64>,
    #[serde(default)]
    c: Vec<Row>,
    #[serde(default)]
    d: Option<Timestamp>,
    #[serde(default)]
    e: serde_json::Value,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "the fields are read by serde alone")]
struct Row {
    id: i64,
    #[serde(default)]
    open: Option<bool>,
    #[serde(default)]
    name: Patch<String>,
}

/// JSON begins with a brace, a multipart form with its boundary, everything else is a form.
fn content_type(body: &[u8]) -> &'static str {
    match body {
        [b'{', ..] => "application/json",
        [b'-', b'-', b'x', ..] => "multipart/form-data; boundary=x",
        _ => "application/x-www-form-urlencoded",
    }
}

fn read(body: &[u8]) {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type(body)));
    let body = Bytes::copy_from_slice(body);
    for files in [FileParts::Text, FileParts::DataUri] {
        if let Ok(params) = block_on(params::parse_body(&headers, &body, files)) {
            let _form_or_refusal = params::decode::<Form>(params);
        }
    }
}

fuzz_target!(|data: &[u8]| fuzz::check(data, &FRAMES, None, read));
