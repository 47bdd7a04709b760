//! The environment of a report that brings none: what the request itself tells, without what only its sender should know.

use http::header::{ACCEPT_LANGUAGE, HOST, HeaderName, REFERER, USER_AGENT};
use serde_json::{Map, Value};
use shared::Context;

use crate::form::cut;

/// Headers that help to understand a problem, by the names that CGI gives them.
const HEADERS: [(&str, HeaderName); 4] = [
    ("HTTP_ACCEPT_LANGUAGE", ACCEPT_LANGUAGE),
    ("HTTP_HOST", HOST),
    ("HTTP_REFERER", REFERER),
    ("HTTP_USER_AGENT", USER_AGENT),
];
const LONGEST: usize = 2048;

/// What the request tells. It is scrubbed like one that was sent.
pub(crate) fn collect(cx: &Context) -> Map<String, Value> {
    let headers = HEADERS.iter().filter_map(|(name, header)| Some((*name, cx.header(header)?)));
    let line = [
        ("REQUEST_METHOD", "POST"),
        ("PATH_INFO", cx.path()),
        ("QUERY_STRING", cx.query()),
        ("request_context_id", cx.request_id()),
    ];
    headers.chain(line).map(|(name, value)| (name.to_owned(), Value::from(cut(value, LONGEST)))).collect()
}
