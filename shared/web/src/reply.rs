//! The answer of a handler.

use bytes::Bytes;
use database::{BuiltJson, BuiltList};
use futures::Stream;
use http::header::{CONTENT_TYPE, HeaderName, LINK, LOCATION};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;

use crate::body::ResponseBody;
use crate::error::{Error, Result};
use crate::pagination::{BuiltPage, Links, Paged};
use crate::string_ids;

/// The content type of nearly all we answer.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// A response with a record, a list or nothing in it. Its type says the status of success, for the API description.
pub struct Reply<T = (), const STATUS: u16 = 200> {
    status: Option<StatusCode>,
    content: Content<T>,
    headers: HeaderMap,
}

/// 201 with the record that was made.
pub type Created<T> = Reply<T, 201>;
/// 204.
pub type NoContent = Reply<(), 204>;
/// 302 to another address.
pub type Redirect = Reply<(), 302>;

enum Content<T> {
    Record(T),
    /// JSON that is written already.
    Written(Vec<u8>),
    Body(ResponseBody),
    Nothing,
}

/// A reply without its type.
pub struct UntypedReply {
    pub(crate) status: StatusCode,
    pub(crate) body: ResponseBody,
    pub(crate) headers: HeaderMap,
}

impl<T: Serialize> Reply<T> {
    /// 200 with a record.
    pub fn ok(record: T) -> Self {
        Self::with(Content::Record(record))
    }
}

impl<T: Serialize> Created<T> {
    /// 201 with a record.
    pub fn created(record: T) -> Self {
        Self::with(Content::Record(record))
    }
}

impl<T: Serialize, const STATUS: u16> Reply<T, STATUS> {
    fn with(content: Content<T>) -> Self {
        Self { status: None, content, headers: HeaderMap::new() }
    }

    /// An answer of that status without a body, where clients expect none.
    pub fn empty(status: StatusCode) -> Self {
        Self::with(Content::Nothing).with_status(status)
    }

    /// The same with another status than that of success.
    #[must_use]
    pub fn with_status(self, status: StatusCode) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Success in another form than JSON, for those who ask for it. The declaration names its type, beside that of JSON.
    pub fn in_form(content_type: &str, bytes: impl Into<Bytes>) -> Self {
        Self::with(Content::Body(bytes.into().into())).header(CONTENT_TYPE, content_type)
    }

    /// 302 to that address, also where success is usually answered otherwise.
    pub fn redirect(to: &str) -> Self {
        Self::empty(StatusCode::FOUND).header(LOCATION, to)
    }

    /// The same with a header more. A value that is no header value is left out.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// The reply as it goes out. A handler that has set no content type answers JSON.
    pub(crate) fn into_answer(self, string_ids: bool) -> Result<UntypedReply> {
        let Self { status, content, mut headers } = self;
        let body = match content {
            Content::Record(record) => {
                headers.entry(CONTENT_TYPE).or_insert(JSON);
                json(serde_json::to_vec(&record).map_err(Error::internal)?, string_ids).into()
            }
            Content::Written(text) => {
                headers.entry(CONTENT_TYPE).or_insert(JSON);
                json(text, string_ids).into()
            }
            Content::Body(body) => body,
            Content::Nothing => ResponseBody::default(),
        };
        let success = StatusCode::from_u16(STATUS).map_err(Error::internal)?;
        Ok(UntypedReply { status: status.unwrap_or(success), body, headers })
    }
}

impl<T: Serialize> Reply<Vec<T>> {
    /// 200 with a page of a list and the links to its neighbours.
    pub fn page(page: Paged<T>) -> Self {
        Reply::ok(page.items).linked(&page.links)
    }
}

impl<T: Serialize> Reply<Vec<BuiltJson<T>>> {
    /// 200 with a list in the words in which the database has built it.
    pub fn built_list(list: BuiltList<T>) -> Self {
        Self::with(Content::Written(list.into_json()))
    }

    /// 200 with a page of such a list and the links to its neighbours.
    pub fn built_page(page: BuiltPage<T>) -> Self {
        Self::built_list(page.list).linked(&page.links)
    }
}

impl<T: Serialize> Reply<T> {
    /// 200 with a page that stands inside another record.
    pub fn page_in<I>(page: Paged<I>, wrap: impl FnOnce(Vec<I>) -> T) -> Self {
        Reply::ok(wrap(page.items)).linked(&page.links)
    }

    /// 200 with a list without pages in the words in which the database has built it, as that member of a record beside those of
    /// `others`, which is `()` where there are none. `T` describes the record, and no more: it is not written as one.
    pub fn built_in<I>(list: BuiltList<I>, member: &'static str, others: &impl Serialize) -> Result<Self> {
        Ok(Self::with(Content::Written(written_record(&[(member, &list.into_json())], others)?)))
    }

    /// [`Self::built_in`] with a page and the links to its neighbours.
    pub fn built_page_in<I>(page: BuiltPage<I>, member: &'static str, others: &impl Serialize) -> Result<Self> {
        Ok(Self::built_in(page.list, member, others)?.linked(&page.links))
    }

    /// [`Self::built_page_in`] with one more member that is written already.
    pub fn built_page_beside<I>(
        page: BuiltPage<I>,
        member: &'static str,
        (other, json): (&'static str, &str),
        others: &impl Serialize,
    ) -> Result<Self> {
        let list = page.list.into_json();
        let written = written_record(&[(member, &list), (other, json.as_bytes())], others)?;
        Ok(Self::with(Content::Written(written)).linked(&page.links))
    }

    fn linked(self, links: &Links) -> Self {
        match links.header() {
            Some(header) => self.header(LINK, header),
            None => self,
        }
    }
}

impl NoContent {
    /// 204.
    pub fn no_content() -> Self {
        Self::with(Content::Nothing)
    }
}

impl Reply {
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
        Self::body(content_type, ResponseBody::stream(chunks, length))
    }

    fn body(content_type: &str, body: ResponseBody) -> Self {
        Self::with(Content::Body(body)).header(CONTENT_TYPE, content_type)
    }
}

/// A record with members that are written already, before those of `others`, which is a record or `()`.
fn written_record(members: &[(&str, &[u8])], others: &impl Serialize) -> Result<Vec<u8>> {
    let others = serde_json::to_vec(others).map_err(Error::internal)?;
    let others = others.strip_prefix(b"{").unwrap_or(b"}");
    let length: usize = members.iter().map(|(name, json)| name.len() + json.len() + 4).sum();
    let mut text = Vec::with_capacity(length + others.len() + 1);
    for (name, json) in members {
        text.push(if text.is_empty() { b'{' } else { b',' });
        text.extend_from_slice(format!("\"{name}\":").as_bytes());
        text.extend_from_slice(json);
    }
    if others != b"}" {
        text.push(b',');
    }
    text.extend_from_slice(others);
    Ok(text)
}

fn json(text: Vec<u8>, string_ids: bool) -> Bytes {
    Bytes::from(if string_ids { string_ids::as_text(&text) } else { text })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_that_are_written_stand_before_the_others() {
        let written = |members: &[(&str, &[u8])], others: serde_json::Value| {
            String::from_utf8(written_record(members, &others).unwrap()).unwrap()
        };
        for others in [json!(null), json!({})] {
            assert_eq!(written(&[("a", b"[1, 2]")], others), r#"{"a":[1, 2]}"#);
        }
        assert_eq!(written(&[("a", b"[]"), ("b", b"{}")], json!({ "meta": 1 })), r#"{"a":[],"b":{},"meta":1}"#);
    }
}
