//! The subscriptions of a scenario: each of a tool of its own, which signs for its token as tools do.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::Webhook as Subscribed;
use super::loading::Loading;
use super::model::Webhook;
use crate::sandbox::PREFIX;
use crate::sandbox::inbox::Settings;
use crate::sandbox::inside::{number, text};
use crate::sandbox::reply::{Problem, require_name};

/// What the tool may subscribe to: everything of the institution.
const CAPABILITY: &str = "vnd.lectern.webhooks.root_account.all";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// The name of an inbox of the sandbox stands behind this.
const INBOX: &str = "inbox:";
/// So many seconds the tool's word is good.
const ASSERTION_SECONDS: i64 = 60;

/// Registers a tool and subscribes. An inbox of the sandbox learns the secret.
pub(super) async fn subscribe(loading: &mut Loading<'_>, webhook: &Webhook, file: &str) -> Result<(), Problem> {
    let inside = &loading.sandbox.inside;
    let address = inside.address();
    let inbox = webhook.url.strip_prefix(INBOX);
    if let Some(name) = inbox {
        require_name(name).map_err(|problem| problem.at(&format!("{file}.url")))?;
    }
    let url = inbox.map_or_else(|| webhook.url.clone(), |name| format!("{address}{PREFIX}/inbox/{name}"));

    let tool = json!({ "name": "Sandbox", "capabilities": [CAPABILITY] });
    let tool = loading.send(webhook.account.as_deref(), "/api/lti/tool_proxies", &tool, file).await?;
    let account = number(&tool, "account_id")?;
    let token = token(loading, &tool, account).await.map_err(|problem| problem.at(file))?;
    let subscription = json!({ "subscription": {
        "ContextType": "account",
        "ContextId": account.to_string(),
        "EventTypes": webhook.events,
        "Format": webhook.format.as_deref().unwrap_or("live-event"),
        "TransportType": "https",
        "TransportMetadata": { "Url": url },
    } });
    let made = inside.post("/api/lti/subscriptions", &token, &subscription).await;
    let made = made.map_err(|problem| problem.at(file))?;
    let (subscription_id, secret) = (text(&made, "Id")?, text(&made, "SigningSecret")?);
    if let Some(name) = inbox {
        loading.sandbox.inboxes.set(name, Settings::of_secret(&secret))?;
    }
    loading.loaded.webhooks.push(Subscribed { url, subscription_id, secret });
    Ok(())
}

/// The tool's token, for an assertion that it signs.
async fn token(loading: &Loading<'_>, tool: &Value, account: i64) -> Result<String, Problem> {
    let sandbox = loading.sandbox;
    let path = format!("/api/lti/accounts/{account}/authorize");
    let now = sandbox.clock.moment().timestamp();
    let claims = json!({
        "sub": text(tool, "guid")?,
        "aud": format!("{}{path}", sandbox.inside.address()),
        "iat": now,
        "exp": now.saturating_add(ASSERTION_SECONDS),
        "jti": uuid::Uuid::new_v4().to_string(),
    });
    let assertion = signed(&claims, &text(tool, "shared_secret")?).ok_or_else(|| anyhow::anyhow!("no key"))?;
    let form = json!({ "grant_type": GRANT, "assertion": assertion });
    text(&sandbox.inside.post(&path, "", &form).await?, "access_token")
}

/// A JSON Web Token (HS256).
fn signed(claims: &Value, secret: &str) -> Option<String> {
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&json!({ "alg": "HS256", "typ": "JWT" })), part(claims));
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?.chain_update(&signed);
    Some(format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_signs_as_rfc_7515_shows_it() {
        let token = signed(&json!({ "sub": "1" }), "secret").unwrap();
        let [header, claims, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!("{token}") };
        assert_eq!(header, "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9");
        assert_eq!(claims, "eyJzdWIiOiIxIn0");
        assert_eq!(signature.len(), 43);
    }
}
