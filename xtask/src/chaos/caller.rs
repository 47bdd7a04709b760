//! A client as careful ones are: it tells an acknowledged write from one of which nothing is known, and reads until it is
//! answered.

use std::time::Duration;

use anyhow::{Result, ensure};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::Value;

/// The time to wait for an answer. A request that takes so long has met a server that was killed.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The time between two tries of a read.
const PAUSE: Duration = Duration::from_millis(100);
/// Tries of a read, after which something is wrong with the cluster.
const TRIES: usize = 1_200;

/// What a write was answered.
#[derive(Debug)]
pub(super) enum Outcome<T> {
    /// It was acknowledged.
    Done(T),
    /// No answer, or one of the servers failed: it may have happened, or not.
    Unknown(String),
    /// The application will not do it, because of what was asked.
    Refused(String),
    /// The application will do it later.
    Later,
    /// There is nothing more to write.
    Over,
}

impl<T> Outcome<T> {
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Done(value) => Outcome::Done(change(value)),
            Self::Unknown(cause) => Outcome::Unknown(cause),
            Self::Refused(answer) => Outcome::Refused(answer),
            Self::Later => Outcome::Later,
            Self::Over => Outcome::Over,
        }
    }
}

/// A caller of the front with a token.
#[derive(Clone)]
pub(super) struct Caller {
    http: reqwest::Client,
    base_url: String,
    token: String,
}

impl Caller {
    pub(super) fn new(base_url: &str, token: &str) -> Result<Self> {
        let http = reqwest::Client::builder().timeout(TIMEOUT).build()?;
        Ok(Self { http, base_url: base_url.to_owned(), token: token.to_owned() })
    }

    /// A request to a path, or to a whole address, which takes no token.
    pub(super) fn request(&self, method: Method, to: &str) -> RequestBuilder {
        match to.starts_with("http://") {
            true => self.http.request(method, to),
            false => self.http.request(method, format!("{}{to}", self.base_url)).bearer_auth(&self.token),
        }
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Outcome<Value> {
        write(self.request(Method::POST, path).json(body)).await
    }

    pub(super) async fn put(&self, path: &str, body: &Value) -> Outcome<Value> {
        write(self.request(Method::PUT, path).json(body)).await
    }

    /// Reads until there is an answer. `None`: there is no such record.
    pub(super) async fn read(&self, path: &str) -> Result<Option<Value>> {
        let answer = self.read_bytes(path).await?;
        Ok(answer.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }

    /// The same for any body.
    pub(super) async fn read_bytes(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let mut last = String::new();
        for _ in 0..TRIES {
            match self.try_read(path).await {
                Ok((StatusCode::NOT_FOUND, _)) => return Ok(None),
                Ok((status, bytes)) if status.is_success() => return Ok(Some(bytes)),
                Ok((status, bytes)) => {
                    last = format!("{status} {}", String::from_utf8_lossy(&bytes));
                    ensure!(status.is_server_error(), "GET {path}: {last}");
                }
                Err(error) => last = format!("{error:#}"),
            }
            tokio::time::sleep(PAUSE).await;
        }
        anyhow::bail!("GET {path} is never answered: {last}")
    }

    async fn try_read(&self, path: &str) -> Result<(StatusCode, Vec<u8>)> {
        let answer = self.request(Method::GET, path).send().await?;
        Ok((answer.status(), answer.bytes().await?.to_vec()))
    }
}

/// Sends a write once.
pub(super) async fn write(request: RequestBuilder) -> Outcome<Value> {
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(error) => return Outcome::Unknown(format!("{:#}", anyhow::Error::new(error))),
    };
    let status = answer.status();
    let Ok(text) = answer.text().await else { return Outcome::Unknown(format!("{status}, cut off")) };
    match status {
        status if status.is_success() => Outcome::Done(serde_json::from_str(&text).unwrap_or(Value::String(text))),
        StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS => Outcome::Later,
        status if status.is_server_error() => Outcome::Unknown(format!("{status} {text}")),
        status => Outcome::Refused(format!("{status} {text}")),
    }
}
