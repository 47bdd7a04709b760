//! The environment of a report that brings none: what the request itself tells, without what only its sender should know.

use http::header::{ACCEPT_LANGUAGE, HeaderName, REFERER, USER_AGENT};
use serde_json::{Map, Value};
use shared::Context;

/// Headers that help to understand a problem, by the names that CGI gives them.
const HEADERS: [(&str, HeaderName); 3] =
    [("HTTP_ACCEPT_LANGUAGE", ACCEPT_LANGUAGE), ("HTTP_REFERER", REFERER), ("HTTP_USER_AGENT", USER_AGENT)];
const MAX_CHARS: usize = 2048;

/// The environment in the request. It is scrubbed like one that was sent.
pub(crate) fn collect(cx: &Context) -> Map<String, Value> {
    let headers = HEADERS.iter().filter_map(|(name, header)| Some((*name, cx.header(header)?)));
    let line = [
        ("REQUEST_METHOD", "POST"),
        ("PATH_INFO", cx.path()),
        ("QUERY_STRING", cx.query()),
        ("request_context_id", cx.request_id()),
    ];
    let host = cx.host().map(|host| ("HTTP_HOST", host));
    let all = headers.chain(host).chain(line);
    all.map(|(name, value)| (name.to_owned(), Value::from(cut(value, MAX_CHARS)))).collect()
}

/// The beginning of a text, of so many characters.
pub(crate) fn cut(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
