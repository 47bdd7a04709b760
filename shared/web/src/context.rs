//! The things that a handler has at hand: the caller, the database, and the request it answers.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use bytes::Bytes;
use database::Db;
use http::header::{ACCEPT, AsHeaderName, HOST, IF_NONE_MATCH};
use http::request::Parts;
use http::uri::Authority;
use types::clock::{self, Timestamp};

use crate::body::{BodyStream, RequestBody};
use crate::caller::{Caller, SignedIn};
use crate::client_network;
use crate::config;
use crate::error::{Error, Result, TokenProblem};
use crate::pagination::Page;
use crate::{params, string_ids};

/// As long as a name of the domain name system may be, with a port.
const MAX_HOST_BYTES: usize = 253 + ":65535".len();

/// The things that a handler has at hand.
#[derive(Clone)]
pub struct Context {
    /// The database.
    pub db: Db,
    /// The moment at which the request came.
    pub now: Timestamp,
    caller: Option<Rc<Caller>>,
    signed_in: Option<Rc<SignedIn>>,
    request: Rc<Request>,
    body: Bytes,
    stream: Rc<Cell<Option<BodyStream>>>,
}

struct Request {
    id: String,
    parts: Parts,
    client_address: Option<String>,
}

impl Context {
    /// The context of a request before its body is read.
    pub(crate) async fn new(id: &str, parts: Parts, db: Db) -> Result<Self> {
        let client_address = client_network::client_address(&parts.headers).await?;
        let request = Request { id: id.to_owned(), parts, client_address };
        Ok(Self {
            db,
            now: clock::now(),
            caller: None,
            signed_in: None,
            request: Rc::new(request),
            body: Bytes::new(),
            stream: Rc::default(),
        })
    }

    pub(crate) fn with_body(self, body: RequestBody) -> Self {
        match body {
            RequestBody::Whole(body) => Self { body, ..self },
            RequestBody::Stream(stream) => Self { stream: Rc::new(Cell::new(Some(stream))), ..self },
        }
    }

    pub(crate) fn with_caller(self, caller: Option<Caller>) -> Self {
        Self { caller: caller.map(Rc::new), ..self }
    }

    pub(crate) fn with_signed_in(self, signed_in: SignedIn) -> Self {
        Self { signed_in: Some(Rc::new(signed_in)), ..self }
    }

    /// The same on a page that shows by itself who calls: by its ticket, for which there is no token.
    #[must_use]
    pub fn called_by(&self, caller: Caller) -> Self {
        self.clone().with_caller(Some(caller))
    }

    /// The caller; 401 where an endpoint without a token asks for one after all.
    pub fn caller(&self) -> Result<&Caller> {
        self.known_caller().ok_or_else(|| Error::token(TokenProblem::Missing))
    }

    /// The caller, if that is known.
    pub fn known_caller(&self) -> Option<&Caller> {
        self.caller.as_deref()
    }

    /// The session of the caller on our pages, on those that are for who is signed in. `None` where a signed link has opened the
    /// page.
    pub fn signed_in(&self) -> Option<&SignedIn> {
        self.signed_in.as_deref()
    }

    /// The id by which the answer and the log call the request.
    pub fn request_id(&self) -> &str {
        &self.request.id
    }

    /// A header, where it is text.
    pub fn header(&self, name: impl AsHeaderName) -> Option<&str> {
        self.request.parts.headers.get(name)?.to_str().ok()
    }

    /// The language in which the reader would rather have a page: that of the caller's profile, or else the one that the client
    /// asks for.
    pub fn language(&self) -> texts::Language {
        let locale = self.known_caller().and_then(|caller| caller.locale.as_deref());
        let accept_language = self.header(http::header::ACCEPT_LANGUAGE).unwrap_or_default();
        crate::accept::Reader { locale, accept_language, ..Default::default() }.language()
    }

    /// True if the client has what that entity tag names already: then the answer is 304.
    pub fn has_entity_tag(&self, tag: &str) -> bool {
        self.header(IF_NONE_MATCH).is_some_and(|tags| names_entity_tag(tags, tag))
    }

    /// The address of the client, where a proxy of the operator's has written it down: see the variable `trusted_proxies`.
    pub fn client_address(&self) -> Option<&str> {
        self.request.client_address.as_deref()
    }

    /// The network of [`Self::client_address`] that counts as one client: empty where the address is not known.
    pub fn client_network(&self) -> String {
        client_network::of_address(self.client_address().unwrap_or_default())
    }

    /// The body as it came, for endpoints that take it raw.
    pub fn bytes(&self) -> Bytes {
        self.body.clone()
    }

    /// The body piece by piece, for endpoints that take it so. It can be taken once.
    pub fn body_stream(&self) -> Result<BodyStream> {
        self.stream.take().ok_or_else(|| Error::internal(anyhow::anyhow!("the body was taken before")))
    }

    /// The path as it came.
    pub fn path(&self) -> &str {
        self.request.parts.uri.path()
    }

    /// The query as it came, without its question mark.
    pub fn query(&self) -> &str {
        self.request.parts.uri.query().unwrap_or_default()
    }

    /// The last of the query's parameters of that name, as text.
    pub fn query_text(&self, name: &str) -> Option<Cow<'_, str>> {
        params::query_text(self.query(), name)
    }

    /// The page that the query asks for.
    pub async fn page(&self) -> Result<Page> {
        Page::of(&self.address().await?, self.query())
    }

    /// The page that the query asks for, or the whole list when it asks for none.
    pub async fn page_or_whole(&self) -> Result<Page> {
        Page::of_or_whole(&self.address().await?, self.query())
    }

    /// The page that the query asks for, of a list that has bookmarks alone.
    pub async fn cursor_page(&self) -> Result<Page> {
        Page::of_cursor(&self.address().await?, self.query())
    }

    /// The host and port that the client has asked for. Some hosts pass the header `Host` on, others a whole address.
    pub fn host(&self) -> Option<&str> {
        let authority = self.request.parts.uri.authority().map(http::uri::Authority::as_str);
        authority.or_else(|| self.header(HOST))
    }

    /// The absolute address of the service, without a slash at its end: from the variable, or else as the client wrote it.
    /// It is for links that only whoever asks gets to see; what others read takes [`Self::lasting_base_url`].
    pub async fn base_url(&self) -> Result<String> {
        match configured_base_url().await? {
            Some(base) => Ok(base),
            None => self.requested_base_url(),
        }
    }

    /// The absolute address of the service for what outlives the request: mails, credentials, audiences of tokens,
    /// links that are passed on. It comes from the variable, because anybody can write any `Host`; only a developer's
    /// machine goes by the request. Ask for it before anything is written: where it is not known, the request is
    /// refused.
    pub async fn lasting_base_url(&self) -> Result<String> {
        self.known_base_url().await?.ok_or_else(no_base_url)
    }

    /// The same for what does without it: nothing where it is not known.
    pub async fn known_base_url(&self) -> Result<Option<String>> {
        match configured_base_url().await? {
            None if config::flag("development").await? => self.requested_base_url().map(Some),
            known => Ok(known),
        }
    }

    fn requested_base_url(&self) -> Result<String> {
        let uri = &self.request.parts.uri;
        let host = match uri.authority() {
            Some(authority) => authority.as_str(),
            None => match self.request.parts.headers.get(HOST) {
                Some(host) => host.to_str().map_err(|_not_text| not_a_host())?,
                None => "localhost",
            },
        };
        let scheme = uri.scheme_str().unwrap_or("http");
        if is_host(host) { Ok(format!("{scheme}://{host}")) } else { Err(not_a_host()) }
    }

    async fn address(&self) -> Result<String> {
        Ok(format!("{}{}", self.base_url().await?, self.path()))
    }

    pub(crate) fn string_ids(&self) -> bool {
        self.header(ACCEPT).is_some_and(|accept| accept.contains(string_ids::ACCEPT))
    }

    /// The request without its body.
    pub fn parts(&self) -> &Parts {
        &self.request.parts
    }
}

pub(crate) async fn configured_base_url() -> Result<Option<String>> {
    Ok(config::get("public_base_url").await?.map(|base| base.trim_end_matches('/').to_owned()))
}

/// A name or an address, and perhaps a port: nothing that means more in a link.
fn is_host(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    let has_host = text.parse::<Authority>().is_ok_and(|authority| !authority.host().is_empty());
    text.len() <= MAX_HOST_BYTES && text.bytes().all(is_plain) && has_host
}

fn not_a_host() -> Error {
    Error::bad_request("the Host header is not the name of a host")
}

fn no_base_url() -> Error {
    let cause = anyhow::anyhow!("public_base_url is not set: links that outlive their request are made from it");
    Error::unavailable("The service has not been told its public address, so it makes no links that last.")
        .because(cause)
}

/// True if a list of entity tags, as `If-None-Match` has it, names this one, be it as a weak one.
fn names_entity_tag(tags: &str, tag: &str) -> bool {
    tags.split(',').map(str::trim).any(|named| named == "*" || named.strip_prefix("W/").unwrap_or(named) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_tag_is_known_again_in_every_form() {
        for tags in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "\"b\", W/\"a\"", "*"] {
            assert!(names_entity_tag(tags, "\"a\""), "{tags}");
        }
        assert!(!names_entity_tag("\"b\"", "\"a\"") && !names_entity_tag("", "\"a\""));
    }

    #[test]
    fn a_host_is_a_name_or_an_address_with_a_port_at_most() {
        for host in ["lms.test", "127.0.0.1:3000", "[::1]:80", "xn--mnchen-3ya.test", "my_host"] {
            assert!(is_host(host), "{host}");
        }
        let long = "x".repeat(MAX_HOST_BYTES + 1);
        for host in
            ["", ":80", "a b", "me@lms.test", "lms.test/x", "lms.test?x", "a\"><b>", "lms.test,evil.test", &long]
        {
            assert!(!is_host(host), "{host}");
        }
    }
}
