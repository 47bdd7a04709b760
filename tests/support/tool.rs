//! A tool that subscribes to events.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::{Client, Response, unique};

/// A tool that an administrator has registered, with a token of its own.
pub struct Tool {
    /// Its name for itself.
    pub guid: String,
    /// The secret with which it signs.
    pub secret: String,
    /// The account at which it asks for tokens.
    pub account: i64,
    /// The client with which it calls the API.
    pub client: Client,
}

/// A subscription, and the secret by which its deliveries are known.
pub struct Subscription {
    /// Its id.
    pub id: String,
    /// The secret with which its deliveries are signed.
    pub secret: String,
}

impl Tool {
    /// Registers a tool that may subscribe to everything.
    pub async fn register(admin: &Client) -> Self {
        Self::with(admin, &["vnd.vendor.webhooks.root_account.all"]).await
    }

    /// Registers a tool with these capabilities.
    pub async fn with(admin: &Client, capabilities: &[&str]) -> Self {
        let tool = json!({ "capabilities": capabilities, "name": "A tool" });
        let tool = admin.post("/api/lti/tool_proxies").json(tool).await.is(201);
        let text = |key: &str| tool[key].as_str().expect("a text").to_owned();
        let account = tool["account_id"].as_i64().expect("an account");
        let mut new =
            Self { guid: text("guid"), secret: text("shared_secret"), account, client: admin.without_token() };
        let token = new.exchange(&new.assertion()).await.is(200);
        new.client = new.client.with_token(token["access_token"].as_str().expect("a token"));
        new
    }

    /// Where it asks for tokens.
    pub fn authorize(&self) -> String {
        format!("/api/lti/accounts/{}/authorize", self.account)
    }

    /// The claims of an assertion that is good now.
    pub fn claims(&self) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs();
        let address = format!("{}{}", self.client.base_url(), self.authorize());
        json!({ "sub": self.guid, "aud": address, "iat": now, "exp": now + 60, "jti": unique("assertion") })
    }

    /// An assertion that is good now.
    pub fn assertion(&self) -> String {
        self.sign(&self.claims())
    }

    /// Signs claims as the tool signs.
    pub fn sign(&self, claims: &Value) -> String {
        xtask::assertion::sign(claims, &self.secret)
    }

    /// Asks for a token.
    pub async fn exchange(&self, assertion: &str) -> Response {
        let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
        let form = [("grant_type", grant), ("assertion", assertion)];
        self.client.without_token().post(&self.authorize()).form(&form).await
    }

    /// Parameters of a subscription to all submissions of the account.
    pub fn wanted(&self, url: &str) -> Value {
        json!({
            "ContextId": self.account.to_string(),
            "ContextType": "account",
            "EventTypes": ["SUBMISSION_CREATED"],
            "Format": "live-event",
            "TransportType": "https",
            "TransportMetadata": { "Url": url },
        })
    }

    /// Subscribes to all submissions of the account.
    pub async fn subscribe(&self, url: &str) -> Subscription {
        self.subscribe_to(self.wanted(url)).await
    }

    /// Subscribes to what these parameters say.
    pub async fn subscribe_to(&self, wanted: Value) -> Subscription {
        let made = self.client.post("/api/lti/subscriptions").json(json!({ "subscription": wanted })).await.is(200);
        let text = |key: &str| made[key].as_str().expect("a text").to_owned();
        Subscription { id: text("Id"), secret: text("SigningSecret") }
    }
}
