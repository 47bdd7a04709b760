//! Tools of LTI 2 that sign their registration as OAuth 1.0 has it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use sha1::{Digest, Sha1};
use support::{Response, School, unique};

use crate::tool_registrations::InvitedProxy;

const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// The header of a request with that body, signed at that moment.
fn signature(invited: &InvitedProxy, body: &str, password: &str, signed_at: i64, nonce: &str) -> String {
    let mut parameters = vec![
        ("oauth_body_hash", BASE64_STANDARD.encode(Sha1::digest(body))),
        ("oauth_consumer_key", invited.key.clone()),
        ("oauth_nonce", nonce.to_owned()),
        ("oauth_signature_method", "HMAC-SHA1".to_owned()),
        ("oauth_timestamp", signed_at.to_string()),
        ("oauth_version", "1.0".to_owned()),
    ];
    let pairs: Vec<_> = parameters.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    let address = format!("{}/api/lti/tool_proxy", invited.client.base_url());
    let base = format!("POST&{}&{}", encoded(&address), encoded(&pairs.join("&")));
    let key = format!("{}&", encoded(password));
    let mac = Hmac::<Sha1>::new_from_slice(key.as_bytes()).unwrap().chain_update(base);
    parameters.push(("oauth_signature", BASE64_STANDARD.encode(mac.finalize().into_bytes())));
    let list: Vec<_> = parameters.iter().map(|(name, value)| format!("{name}=\"{}\"", encoded(value))).collect();
    format!("OAuth realm=\"\", {}", list.join(", "))
}

async fn register(invited: &InvitedProxy, body: &str, header: &str) -> Response {
    let media_type = "application/vnd.ims.lti.v2.toolproxy+json";
    let call = invited.client.without_token().post("/api/lti/tool_proxy").body(media_type, body.to_owned());
    call.header("authorization", header).await
}

#[tokio::test]
async fn a_tool_registers_with_a_signature_and_no_token() {
    let school = School::start().await;
    let invited = InvitedProxy::new(&school).await;
    let now = shared::clock::now().unix();
    let good = invited.proxy(invited.contract(&["POST"])).to_string();
    let header = signature(&invited, &good, &invited.password, now, &unique("nonce"));
    let made = register(&invited, &good, &header).await.is(201);
    assert!(made["tool_proxy_guid"].is_string() && made["tc_half_shared_secret"].is_string(), "{made}");
    // The key is good for one registration.
    let header = signature(&invited, &good, &invited.password, now, &unique("nonce"));
    register(&invited, &good, &header).await.is_unauthenticated("user authorization required");
}

#[tokio::test]
async fn a_signature_is_of_one_body_by_one_password_about_now() {
    let school = School::start().await;
    let invited = InvitedProxy::new(&school).await;
    let now = shared::clock::now().unix();
    let good = invited.proxy(invited.contract(&["POST"])).to_string();
    let sign = |password: &str, signed_at: i64| signature(&invited, &good, password, signed_at, &unique("nonce"));
    for header in [
        sign("wrong", now),
        sign(&invited.password, now - 600),
        sign(&invited.password, now + 600),
        sign(&invited.password, now).replace("HMAC-SHA1", "PLAINTEXT"),
        sign(&invited.password, now).replace(&invited.key, &unique("key")),
        signature(&invited, "{}", &invited.password, now, &unique("nonce")),
        "OAuth".to_owned(),
        "OAuth ,".to_owned(),
        format!("OAuth {}", "x".repeat(5000)),
    ] {
        register(&invited, &good, &header).await.is_unauthenticated("user authorization required");
    }
    register(&invited, &good, &sign(&invited.password, now)).await.is(201);
}

#[tokio::test]
async fn a_signature_is_good_once() {
    let school = School::start().await;
    let invited = InvitedProxy::new(&school).await;
    let now = shared::clock::now().unix();
    let bad = invited.proxy(json!({})).to_string();
    let header = signature(&invited, &bad, &invited.password, now, "once");
    register(&invited, &bad, &header).await.is_refused(400, "security_contract");
    register(&invited, &bad, &header).await.is_unauthenticated("user authorization required");
    let header = signature(&invited, &bad, &invited.password, now, "twice");
    register(&invited, &bad, &header).await.is_refused(400, "security_contract");
}
