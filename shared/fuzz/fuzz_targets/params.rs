//! Bodies of every kind, read into a typed struct: whatever comes is read or refused, and never panics.

#![no_main]

use bytes::Bytes;
use futures::executor::block_on;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use shared::{Patch, Timestamp, params};

const CONTENT_TYPES: [&str; 3] =
    ["application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=x"];

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

fuzz_target!(|data: &[u8]| {
    let Some((kind, body)) = data.split_first() else { return };
    let content_type = CONTENT_TYPES[usize::from(*kind) % CONTENT_TYPES.len()];
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, content_type.parse().unwrap());
    if let Ok(params) = block_on(params::parse_body(&headers, &Bytes::copy_from_slice(body))) {
        let _ = params::decode::<Form>(params);
    }
});
