//! What a handler answers.

use bytes::Bytes;
use futures::Stream;
use http::header::{CONTENT_TYPE, HeaderName, LINK, LOCATION};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;

use crate::body::Outgoing;
use crate::error::{Error, Result};
use crate::page::Paged;
use crate::string_ids;

/// The content type of nearly all we answer.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// An answer with a record, a list or nothing in it.
pub struct Reply<T = ()> {
    status: StatusCode,
    content: Content<T>,
    headers: HeaderMap,
}

enum Content<T> {
    Record(T),
    Body(Outgoing),
    Nothing,
}

/// A reply without its type.
pub struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Outgoing,
    pub(crate) headers: HeaderMap,
}

impl<T: Serialize> Reply<T> {
    /// 200 with a record.
    pub fn ok(record: T) -> Self {
        Self { status: StatusCode::OK, content: Content::Record(record), headers: HeaderMap::new() }
    }

    /// 201 with a record.
    pub fn created(record: T) -> Self {
        Self { status: StatusCode::CREATED, ..Self::ok(record) }
    }

    /// That status without a body, where clients expect none.
    pub fn empty(status: StatusCode) -> Self {
        Self { status, content: Content::Nothing, headers: HeaderMap::new() }
    }

    /// The same with a header more. A value that is no header value is left out.
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// The reply as it goes out. A handler that has set no content type answers JSON.
    pub(crate) fn into_answer(self, string_ids: bool) -> Result<Answer> {
        let Self { status, content, mut headers } = self;
        let body = match content {
            Content::Record(record) => {
                headers.entry(CONTENT_TYPE).or_insert(JSON);
                json(&record, string_ids).map_err(Error::internal)?.into()
            }
            Content::Body(body) => body,
            Content::Nothing => Outgoing::default(),
        };
        Ok(Answer { status, body, headers })
    }
}

impl<T: Serialize> Reply<Vec<T>> {
    /// 200 with a page of a list and the links to its neighbours.
    pub fn page(page: Paged<T>) -> Self {
        let (items, link) = page.into_parts();
        Reply::ok(items).link(link)
    }
}

impl<T: Serialize> Reply<T> {
    /// 200 with a page that stands inside another record.
    pub fn page_in<I>(page: Paged<I>, wrap: impl FnOnce(Vec<I>) -> T) -> Self {
        let (items, link) = page.into_parts();
        Reply::ok(wrap(items)).link(link)
    }

    fn link(self, link: Option<String>) -> Self {
        match link {
            Some(link) => self.header(LINK, &link),
            None => self,
        }
    }
}

impl Reply<()> {
    /// 204.
    pub fn no_content() -> Self {
        Self { status: StatusCode::NO_CONTENT, content: Content::Nothing, headers: HeaderMap::new() }
    }

    /// 200 with bytes of that type.
    pub fn bytes(content_type: &str, bytes: impl Into<Bytes>) -> Self {
        Self::body(content_type, bytes.into().into())
    }

    /// 200 with bytes of that type that are made while they are sent. `length` is how many there will be.
    pub fn stream(
        content_type: &str,
        length: Option<u64>,
        chunks: impl Stream<Item = Result<Bytes>> + 'static,
    ) -> Self {
        Self::body(content_type, Outgoing::stream(chunks, length))
    }

    fn body(content_type: &str, body: Outgoing) -> Self {
        let reply = Self { status: StatusCode::OK, content: Content::Body(body), headers: HeaderMap::new() };
        reply.header(CONTENT_TYPE, content_type)
    }

    /// 302 to that address.
    pub fn redirect(to: &str) -> Self {
        let reply = Self { status: StatusCode::FOUND, ..Self::no_content() };
        reply.header(LOCATION, to)
    }

    /// The same with another status.
    pub fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }
}

fn json(record: &impl Serialize, string_ids: bool) -> serde_json::Result<Bytes> {
    if !string_ids {
        return serde_json::to_vec(record).map(Bytes::from);
    }
    let mut value = serde_json::to_value(record)?;
    string_ids::stringify(&mut value);
    serde_json::to_vec(&value).map(Bytes::from)
}
