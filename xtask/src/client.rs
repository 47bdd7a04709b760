//! A client of the API that takes every refusal for a failure.

use anyhow::{Context, Result, bail, ensure};
use reqwest::header::CONTENT_TYPE;
use reqwest::multipart::Form;
use reqwest::{Body, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::folder::Variables;

/// A client with one caller's token.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base_url: String,
    token: String,
    /// The login of the user as whom an administrator acts.
    mask: Option<String>,
}

impl Client {
    /// A client with that token.
    pub fn new(base_url: &str, token: &str) -> Self {
        Self { http: reqwest::Client::new(), base_url: base_url.to_owned(), token: token.to_owned(), mask: None }
    }

    /// The site's administrator, by the client that every installation is set up with.
    pub async fn admin(base_url: &str, variables: &Variables) -> Result<Self> {
        let variable = |name: &str| variables.get(name).with_context(|| format!("{name} is not known"));
        let form = json!({
            "grant_type": "client_credentials",
            "client_id": variable("admin_client_id")?,
            "client_secret": variable("admin_client_secret")?,
        });
        let answer = Self::new(base_url, "").post("/login/oauth2/token", form).await?;
        Ok(Self::new(base_url, text(&answer, "access_token")?))
    }

    /// A new personal token of the user with that login, who may be missing.
    pub async fn token_of(&self, login: &str, purpose: &str) -> Result<Option<String>> {
        let path = format!("/api/v1/users/sis_login_id:{login}/tokens");
        let (status, answer) = self.send(Method::POST, &path, Some(json!({"token": {"purpose": purpose}}))).await?;
        match status {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => Ok(Some(text(&answer, "visible_token")?.to_owned())),
            status => bail!("POST {path}: {status} {answer}"),
        }
    }

    /// The same for another caller.
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    /// The same administrator, who acts as the user with that login.
    pub fn acting_as(&self, login: &str) -> Self {
        Self { mask: Some(login.to_owned()), ..self.clone() }
    }

    /// The address of the service, without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The caller's token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Result<Value> {
        self.call(Method::GET, path, None).await
    }

    /// Reads what may not be there.
    pub async fn find(&self, path: &str) -> Result<Option<Value>> {
        match self.send(Method::GET, path, None).await? {
            (StatusCode::NOT_FOUND, _) => Ok(None),
            (status, answer) if status.is_success() => Ok(Some(answer)),
            (status, answer) => bail!("GET {path}: {status} {answer}"),
        }
    }

    /// Creates, with a body of JSON, what may be refused.
    pub async fn try_post(&self, path: &str, body: Value) -> Result<(StatusCode, Value)> {
        self.send(Method::POST, path, Some(body)).await
    }

    /// Deletes.
    pub async fn delete(&self, path: &str) -> Result<Value> {
        self.call(Method::DELETE, path, None).await
    }

    /// Sends a form with a file to an address that needs no token.
    pub async fn send_file(&self, url: &str, form: Form) -> Result<Value> {
        let (status, answer) = self.with_token("").answer(self.http.post(url).multipart(form)).await?;
        ensure!(status.is_success(), "POST {url}: {status} {answer}");
        Ok(answer)
    }

    /// Creates, with a body of JSON.
    pub async fn post(&self, path: &str, body: Value) -> Result<Value> {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Creates, with a body of another type.
    pub async fn upload(&self, path: &str, content_type: &str, body: impl Into<Body>) -> Result<Value> {
        let request = self.http.post(format!("{}{path}", self.base_url)).header(CONTENT_TYPE, content_type).body(body);
        let (status, answer) = self.answer(request).await?;
        ensure!(status.is_success(), "POST {path}: {status} {answer}");
        Ok(answer)
    }

    /// Changes, with a body of JSON.
    pub async fn put(&self, path: &str, body: Value) -> Result<Value> {
        self.call(Method::PUT, path, Some(body)).await
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let (status, answer) = self.send(method.clone(), path, body).await?;
        if !status.is_success() {
            bail!("{method} {path}: {status} {answer}");
        }
        Ok(answer)
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Result<(StatusCode, Value)> {
        let mut request = self.http.request(method, format!("{}{path}", self.base_url));
        if let Some(login) = &self.mask {
            request = request.query(&[("as_user_id", format!("sis_login_id:{login}"))]);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        self.answer(request).await
    }

    async fn answer(&self, mut request: RequestBuilder) -> Result<(StatusCode, Value)> {
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        let response = request.send().await.with_context(|| format!("nothing answers at {}", self.base_url))?;
        let (status, text) = (response.status(), response.text().await?);
        Ok((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }
}

/// The text under `key`.
pub fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value.get(key).and_then(Value::as_str).with_context(|| format!("the answer has no {key}: {value}"))
}

/// The id of a record, be it a number or a text.
pub fn id(value: &Value) -> Result<String> {
    match value.get("id") {
        Some(Value::Number(number)) => Ok(number.to_string()),
        Some(Value::String(text)) => Ok(text.clone()),
        _ => bail!("the answer has no id: {value}"),
    }
}
