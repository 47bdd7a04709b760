//! Subscriptions of topics of Amazon SNS, by which bounces come: those that are confirmed, and those that are refused.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rsa::RsaPrivateKey;
use rsa::pkcs1v15::Pkcs1v15Sign;
use rsa::pkcs8::DecodePrivateKey;
use rsa::sha2::{Digest, Sha256};
use serde_json::{Value, json};
use support::{Receiver, Reply, Response, Running};

const NOTICES: &str = "/internal/bounces/ses";
const TOPIC: &str = "arn:aws:sns:eu-central-1:1:bounces";
const CERTIFICATE: &str = include_str!("keys/certificate.pem");
const KEY: &[u8] = include_bytes!("keys/rsa.der");

/// An emulator of SNS: it shows its certificate, and fails to confirm the token `late`.
fn emulator() -> Receiver {
    Receiver::start(|request| match request.path.as_str() {
        "/certificate.pem" => Reply::new(200, CERTIFICATE),
        path if path.ends_with("Token=late") => Reply::new(500, ""),
        _ => Reply::new(200, "<ConfirmSubscriptionResponse/>"),
    })
}

/// A request of SNS to confirm a subscription, with those addresses.
fn confirmation(certificate: &str, subscribe: &str, topic: &str, at: &str) -> Value {
    signed(json!({
        "Type": "SubscriptionConfirmation", "MessageId": "m-1", "Token": "t", "TopicArn": topic, "Message": "Confirm",
        "SubscribeURL": subscribe, "Timestamp": at, "SignatureVersion": "2",
        "SigningCertURL": format!("{certificate}/certificate.pem"),
    }))
}

fn signed(mut notice: Value) -> Value {
    let names = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
    let text: String = names.iter().map(|name| format!("{name}\n{}\n", notice[name].as_str().unwrap())).collect();
    let key = RsaPrivateKey::from_pkcs8_der(KEY).unwrap();
    let signature = key.sign(Pkcs1v15Sign::new::<Sha256>(), &Sha256::digest(text)).unwrap();
    notice["Signature"] = json!(BASE64_STANDARD.encode(signature));
    notice
}

fn confirmed(receiver: &Receiver) -> usize {
    receiver.received().iter().filter(|received| received.path.contains("Action=ConfirmSubscription")).count()
}

#[tokio::test]
async fn only_a_topic_of_ours_is_confirmed_and_only_at_sns() {
    let (sns, other) = (emulator(), emulator());
    let settings = [("bounce_sns_topics", TOPIC), ("aws_endpoint_url", sns.url.as_str())];
    let site = Running::own("sns-confirmation", &settings);
    let send = async |notice: Value| -> Response {
        // SNS calls JSON so.
        site.nobody().post(NOTICES).body("text/plain; charset=UTF-8", notice.to_string()).await
    };
    let now = shared::clock::now().to_string();
    let confirm = |host: &str, token: &str| format!("{host}/?Action=ConfirmSubscription&Token={token}");
    let (here, elsewhere) = (confirm(&sns.url, "t"), confirm(&other.url, "t"));

    let mut changed = confirmation(&sns.url, &here, TOPIC, &now);
    changed["SubscribeURL"] = json!(confirm(&sns.url, "another"));
    let mut unsigned = confirmation(&sns.url, &here, TOPIC, &now);
    unsigned["Signature"] = json!("");
    let refused = [
        confirmation(&sns.url, &here, "arn:aws:sns:eu-central-1:1:others", &now),
        confirmation(&other.url, &here, TOPIC, &now),
        confirmation(&sns.url, &elsewhere, TOPIC, &now),
        confirmation(&sns.url, "https://sns.eu-central-1.amazonaws.com.evil.test/?Action=x", TOPIC, &now),
        changed,
        unsigned,
        json!({}),
    ];
    for notice in refused {
        let answer = send(notice.clone()).await;
        assert_eq!(answer.status, 401, "{notice}: {answer}");
    }
    assert_eq!((confirmed(&sns), other.received().len()), (0, 0));

    // One that is too old is taken, and nothing follows.
    let old = shared::clock::now().plus_seconds(-30 * 24 * 3600).to_string();
    assert_eq!(send(confirmation(&sns.url, &here, TOPIC, &old)).await.is(200)["bounces"], 0);
    assert_eq!(confirmed(&sns), 0);

    // SNS sends it again where confirming has failed.
    send(confirmation(&sns.url, &confirm(&sns.url, "late"), TOPIC, &now)).await.is(503);
    assert_eq!(send(confirmation(&sns.url, &here, TOPIC, &now)).await.is(200)["bounces"], 0);
    let last = sns.received().pop().unwrap();
    assert_eq!((last.method.as_str(), last.path.as_str()), ("GET", "/?Action=ConfirmSubscription&Token=t"));
    assert!(other.received().is_empty());
}
