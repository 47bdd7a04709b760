//! The service's own secrets: with the old one beside the new, whoever still shows the old is served.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use support::{Client, Receiver, Reply};
use xtask::app::App;
use xtask::client::Client as ToolClient;
use xtask::sandbox::Sandbox;

use super::{NEW, OLD, signature};
use crate::uploads::until;

/// Starts applications with the old secret, with both, and with the new one alone, and tells each time who is served: those
/// who show the old one, and those who show the new.
async fn rotated(name: &str, settings: &[(&str, &str)], serves: impl AsyncFn(&Sandbox, &App, &str) -> bool) {
    let mut sandbox = support::sandbox(settings);
    let mut served = Vec::new();
    for (current, previous) in [(OLD, ""), (NEW, OLD), (NEW, "")] {
        sandbox.set(name, current);
        sandbox.set(&format!("{name}_previous"), previous);
        let app = sandbox.start().await.unwrap();
        served.push((serves(&sandbox, &app, OLD).await, serves(&sandbox, &app, NEW).await));
        app.stop().await.unwrap();
    }
    assert_eq!(served, [(true, false), (true, true), (false, true)], "{name}");
}

#[tokio::test]
async fn the_secret_of_the_first_client() {
    rotated("admin_client_secret", &[], async |sandbox, app, secret| {
        let mut variables = sandbox.variables.clone();
        variables.insert("admin_client_secret".to_owned(), secret.to_owned());
        ToolClient::admin(&app.base_url, &variables).await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn the_token_of_the_tick() {
    rotated("tick_token", &[("public_base_url", "https://lms.example.edu")], async |_, app, token| {
        let status = Client::new(&app.base_url, Some(token)).post("/internal/tick").status().await;
        assert!([200, 401].contains(&status), "{status}");
        status == 200
    })
    .await;
}

#[tokio::test]
async fn the_token_of_who_watches() {
    rotated("status_token", &[], async |_, app, token| {
        let status = Client::new(&app.base_url, Some(token)).get("/internal/status").status().await;
        assert!([200, 401].contains(&status), "{status}");
        status == 200
    })
    .await;
}

#[tokio::test]
async fn the_token_of_bounces_from_postmark() {
    rotated("bounce_postmark_token", &[], async |_, app, token| {
        let notice = json!({ "RecordType": "Delivery", "Recipient": "ada@example.edu" });
        Client::new(&app.base_url, Some(token)).post("/internal/bounces/postmark").json(notice).status().await == 200
    })
    .await;
}

#[tokio::test]
async fn the_key_of_status_callbacks_from_twilio() {
    use hmac::{Hmac, Mac};
    let base = "https://lms.example.edu";
    rotated("sms_api_key", &[("public_base_url", base)], async |_, app, key| {
        let mac = Hmac::<sha1::Sha1>::new_from_slice(key.as_bytes()).unwrap();
        let mac = mac.chain_update(format!("{base}/internal/bounces/twilio")).chain_update("MessageStatusdelivered");
        let signature = BASE64_STANDARD.encode(mac.finalize().into_bytes());
        let callback = Client::new(&app.base_url, None).post("/internal/bounces/twilio");
        callback.header("x-twilio-signature", signature).form(&[("MessageStatus", "delivered")]).await.status == 200
    })
    .await;
}

#[tokio::test]
async fn while_the_secret_of_forwarded_reports_is_changed_both_sign() {
    let [old, new] = [OLD, NEW].map(|secret| format!("whsec_{}", BASE64_STANDARD.encode(secret)));
    let receiver = Receiver::start(|_| Reply::new(200, ""));
    let url = format!("{}/hook", receiver.url);
    let sandbox = support::sandbox(&[
        ("development", "true"),
        ("development_host", "http://127.0.0.1:*"),
        ("error_report_webhook_url", &url),
        ("error_report_webhook_secret", &new),
        ("error_report_webhook_secret_previous", &old),
    ]);
    let app = sandbox.start().await.unwrap();
    let report = json!({ "error": { "subject": "Leaf", "comments": "Please help" } });
    Client::new(&app.base_url, None).post("/api/v1/error_reports").json(report).await.is(200);
    until("the report has come", async || !receiver.received().is_empty()).await;
    let received = receiver.received();
    let signatures = received[0].header("webhook-signature").unwrap();
    let signatures: Vec<_> = signatures.split(' ').collect();
    let expected = [NEW, OLD].map(|key| signature(key.as_bytes(), &received[0]));
    assert_eq!(signatures, expected);
    app.stop().await.unwrap();
}
