//! Clients, and what they are answered.

use std::future::IntoFuture;
use std::ops::Index;
use std::pin::Pin;

use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{answers, recorder};

/// The part of an `Accept` that asks for ids as text.
const TEXT_IDS: &[u8] = b"string-ids";

/// Somebody who calls the API.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base_url: String,
    /// The token, unless it is nobody who calls.
    pub token: Option<String>,
    /// The cookie, where a browser calls that has one.
    pub cookie: Option<String>,
    /// The id of the user, where it is known.
    pub id: i64,
}

/// A request, which goes out when it is awaited.
pub struct Call {
    request: RequestBuilder,
    method: Method,
    path: String,
    /// True if ids are asked for as text.
    has_text_ids: bool,
}

/// The answer to a call.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as it came.
    pub bytes: bytes::Bytes,
    /// The body as text.
    pub body: String,
    /// The body as JSON; null where it is none.
    pub json: Value,
    pub(crate) request: String,
}

impl Client {
    /// A caller with that token, or nobody.
    pub fn new(base_url: &str, token: Option<&str>) -> Self {
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let http = http.build().expect("a client");
        Self { http, base_url: base_url.to_owned(), token: token.map(str::to_owned), cookie: None, id: 0 }
    }

    /// The address of the place, without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The same place, called with another token.
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// The same place, called with that cookie.
    pub fn with_cookie(&self, cookie: &str) -> Self {
        Self { cookie: Some(cookie.to_owned()), ..self.clone() }
    }

    /// The same place, called without a token.
    pub fn without_token(&self) -> Self {
        Self { token: None, id: 0, ..self.clone() }
    }

    /// The user for whom the OAuth2 client acts.
    pub async fn with_credentials(&self, client_id: &str, client_secret: &str) -> Self {
        let form = [("grant_type", "client_credentials"), ("client_id", client_id), ("client_secret", client_secret)];
        let answer = self.post("/login/oauth2/token").form(&form).await.is(200);
        let client = self.with_token(answer["access_token"].as_str().expect("a token"));
        let id = client.get("/api/v1/users/self").await.is(200).id();
        client.with_id(id)
    }

    pub(crate) fn with_id(self, id: i64) -> Self {
        Self { id, ..self }
    }

    /// A new personal token of the user, of whom this client is the administrator or the user itself.
    pub async fn token_for(&self, user: i64, token: Value) -> Response {
        self.post(&format!("/api/v1/users/{user}/tokens")).json(json!({ "token": token })).await
    }

    /// `GET`.
    pub fn get(&self, path: &str) -> Call {
        self.call(Method::GET, path)
    }

    /// `POST`.
    pub fn post(&self, path: &str) -> Call {
        self.call(Method::POST, path)
    }

    /// `PUT`.
    pub fn put(&self, path: &str) -> Call {
        self.call(Method::PUT, path)
    }

    /// `PATCH`.
    pub fn patch(&self, path: &str) -> Call {
        self.call(Method::PATCH, path)
    }

    /// `DELETE`.
    pub fn delete(&self, path: &str) -> Call {
        self.call(Method::DELETE, path)
    }

    /// Any method; `path` may be a whole address, as links are.
    pub fn call(&self, method: Method, path: &str) -> Call {
        let url = if path.starts_with('/') { format!("{}{path}", self.base_url) } else { path.to_owned() };
        let mut request = self.http.request(method.clone(), url);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        Call { request, method, path: path.to_owned(), has_text_ids: false }
    }
}

impl Call {
    /// With a body of JSON.
    pub fn json(self, body: impl Serialize) -> Self {
        Self { request: self.request.json(&body), ..self }
    }

    /// With a form: names and values, in their order.
    pub fn form<V: AsRef<str>>(self, pairs: &[(&str, V)]) -> Self {
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| (*name, value.as_ref())).collect();
        Self { request: self.request.form(&pairs), ..self }
    }

    /// With a multipart form.
    pub fn multipart(self, pairs: &[(&'static str, &'static str)]) -> Self {
        let form = pairs.iter().fold(reqwest::multipart::Form::new(), |form, (name, value)| form.text(*name, *value));
        Self { request: self.request.multipart(form), ..self }
    }

    /// With a body of that type.
    pub fn body(self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let request = self.request.header("content-type", content_type).body(body.into());
        Self { request, ..self }
    }

    /// With a header, which need not be text.
    pub fn header(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let has_text_ids = self.has_text_ids || value.as_ref().windows(TEXT_IDS.len()).any(|part| part == TEXT_IDS);
        Self { request: self.request.header(name, value.as_ref()), has_text_ids, ..self }
    }

    /// The status alone, of a call during which something fails that the service needs.
    pub async fn status(self) -> u16 {
        let Self { request, method, path, .. } = self;
        request.send().await.unwrap_or_else(|error| panic!("{method} {path}: {error}")).status().as_u16()
    }
}

impl IntoFuture for Call {
    type Output = Response;
    type IntoFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Self { request, method, path, has_text_ids } = self;
            let recorded = recorder::sent(&request);
            let response = request.send().await.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let bytes = response.bytes().await.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
            let json = serde_json::from_slice(&bytes).unwrap_or_default();
            let body = String::from_utf8_lossy(&bytes).into_owned();
            let answer = Response { status, headers, bytes, body, json, request: format!("{method} {path}") };
            answer.is_well_formed(&method, answer.bytes.len());
            answers::check(method.as_str(), &path, &answer, has_text_ids);
            recorder::record(recorded.as_ref(), &answer);
            answer
        })
    }
}

impl Response {
    /// Checks the headers that every answer has, whatever it says.
    fn is_well_formed(&self, method: &Method, received: usize) {
        let request = &self.request;
        // 503 says that somebody else does not answer, 507 that a disk is full; anything else would be our fault.
        assert!(self.status < 500 || matches!(self.status, 503 | 507), "{self}");
        let id = self.header("x-request-context-id").and_then(|id| uuid::Uuid::parse_str(id).ok());
        assert!(id.is_some(), "{request}: no X-Request-Context-Id: {:?}", self.headers);
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"), "{request}");
        assert_eq!(self.header("referrer-policy"), Some("no-referrer"), "{request}");
        assert!(self.header("content-security-policy").is_some(), "{request}");
        let length = self.header("content-length").map(|length| length.parse().expect("a number"));
        match (self.status, method) {
            (204 | 304, _) => assert_eq!(received, 0, "{request}"),
            (_, &Method::HEAD) => assert!(length.is_some() && received == 0, "{request}"),
            _ if self.is_stream() => assert_eq!(length, None, "{request}"),
            _ => assert_eq!(length, Some(received), "{request}"),
        }
    }

    /// True if it was made while it was sent.
    fn is_stream(&self) -> bool {
        self.header("content-type").is_some_and(|content| content.starts_with("text/event-stream"))
    }

    /// The answer, which must have that status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// Refused with that status and words.
    #[track_caller]
    pub fn is_refused(self, status: u16, words: &str) -> Self {
        let answer = self.is(status);
        assert!(answer.body.contains(words), "not {words:?}: {answer}");
        answer
    }

    /// 401 of a caller whose token says nothing: with the challenge by which clients know it.
    #[track_caller]
    pub fn is_unauthenticated(self, words: &str) -> Self {
        let answer = self.is_refused(401, words);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"canvas-lms\""), "{answer}");
        answer
    }

    /// 403 of the LMS.
    #[track_caller]
    pub fn is_forbidden(self) -> Self {
        self.is_refused(403, "user not authorized to perform that action")
    }

    /// A page that says so, with that status.
    #[track_caller]
    pub fn is_page(self, status: u16, words: &str) -> Self {
        let answer = self.is_refused(status, words);
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{answer}");
        assert!(answer.body.starts_with("<!DOCTYPE html>"), "{answer}");
        answer
    }

    /// 404.
    #[track_caller]
    pub fn is_not_found(self) -> Self {
        self.is_refused(404, "The specified resource does not exist.")
    }

    /// A header, where it is there and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The id of the record that was answered, be it a number or a text.
    #[track_caller]
    pub fn id(&self) -> i64 {
        id(&self.json).unwrap_or_else(|| panic!("no id: {self}"))
    }

    /// The ids of the records that were answered.
    #[track_caller]
    pub fn ids(&self) -> Vec<i64> {
        let list = self.json.as_array().unwrap_or_else(|| panic!("no list: {self}"));
        list.iter().filter_map(id).collect()
    }

    /// The records that stand in the first of these members that the answer has.
    #[track_caller]
    pub fn records(&self, members: &[&str]) -> &[Value] {
        let list = members.iter().find_map(|member| self[member].as_array());
        list.unwrap_or_else(|| panic!("no list of records: {self}"))
    }

    /// The one record that stands there.
    #[track_caller]
    pub fn only(&self, members: &[&str]) -> &Value {
        match self.records(members) {
            [record] => record,
            _ => panic!("not one record: {self}"),
        }
    }

    /// The address of another page.
    pub fn link(&self, rel: &str) -> Option<String> {
        let entries = self.header("link")?.split(',');
        let mut pages = entries.filter_map(|entry| entry.strip_prefix('<')?.split_once(">; rel="));
        pages.find(|(_, name)| name.trim_matches('"') == rel).map(|(address, _)| address.to_owned())
    }
}

fn id(record: &Value) -> Option<i64> {
    let id = record.get("id")?;
    id.as_i64().or_else(|| id.as_str()?.parse().ok())
}

impl Index<&str> for Response {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        &self.json[key]
    }
}

impl std::fmt::Display for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} answered {}: {}", self.request, self.status, self.body)
    }
}

/// What a POST of that body has made.
pub async fn make(client: &Client, path: &str, body: Value) -> Response {
    let answer = client.post(path).json(body).await;
    assert!(answer.status < 300, "{answer}");
    answer
}
