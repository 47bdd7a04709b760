//! The public key of `SendGrid`'s events: what is refused before it is changed comes again, and is taken.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use p256::PublicKey;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::EncodePublicKey;
use serde_json::json;
use support::{Client, Response, admin_of};

/// The key as `SendGrid` shows it.
fn shown(key: &SigningKey) -> String {
    BASE64_STANDARD.encode(PublicKey::from(key.verifying_key()).to_public_key_der().unwrap())
}

/// A batch of events as `SendGrid` sends it, signed with that key.
async fn send(nobody: &Client, key: &SigningKey, batch: &str) -> Response {
    let now = shared::clock::now().unix().to_string();
    let signature: Signature = key.sign(format!("{now}{batch}").as_bytes());
    let call = nobody.post("/internal/bounces/sendgrid").body("application/json", batch);
    let call = call.header("x-twilio-email-event-webhook-signature", BASE64_STANDARD.encode(signature.to_der()));
    call.header("x-twilio-email-event-webhook-timestamp", now).await
}

#[tokio::test]
async fn the_key_of_events_from_sendgrid() {
    let [old, new] = [[1; 32], [2; 32]].map(|secret| SigningKey::from_slice(&secret).unwrap());
    let mut sandbox = support::sandbox(&[("bounce_sendgrid_key", &shown(&old))]);
    let app = sandbox.start().await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    for address in ["ada@school.test", "bob@school.test"] {
        let channel = json!({ "type": "email", "address": address });
        let body = json!({ "communication_channel": channel, "skip_confirmation": true });
        admin.post("/api/v1/users/self/communication_channels").json(body).await.is(200);
    }
    let bounce = |address: &str, hours_ago: i64| {
        let at = shared::clock::now().plus_seconds(-hours_ago * 60 * 60).unix();
        json!([{ "email": address, "event": "bounce", "type": "bounce", "timestamp": at }]).to_string()
    };
    assert_eq!(send(&admin.without_token(), &old, &bounce("ada@school.test", 0)).await.is(200)["bounces"], 1);
    // SendGrid sends again, for a day, what is not answered with success.
    let late = bounce("bob@school.test", 23);
    send(&admin.without_token(), &new, &late).await.is(401);
    app.stop().await.unwrap();

    sandbox.set("bounce_sendgrid_key", &shown(&new));
    let app = sandbox.start().await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    assert_eq!(send(&admin.without_token(), &new, &late).await.is(200)["bounces"], 1);
    let channels = admin.get("/api/v1/users/self/communication_channels").await.is(200);
    let channels: Vec<_> = channels.json.as_array().unwrap().iter().collect();
    assert_eq!(channels.len(), 2, "{channels:?}");
    assert!(channels.iter().all(|channel| channel["last_bounce_at"].is_string()), "{channels:?}");
    // Of the first the number is 0 again where the notice of the second has left since.
    let late = channels.iter().find(|channel| channel["address"] == "bob@school.test").unwrap();
    assert_eq!(late["bounce_count"], 1, "{late}");
    send(&admin.without_token(), &old, &bounce("ada@school.test", 0)).await.is(401);
    app.stop().await.unwrap();
}
