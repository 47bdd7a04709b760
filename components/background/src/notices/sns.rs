//! Notices of Amazon SES, which come by SNS and are signed with RSA by a certificate of Amazon.

use std::cell::RefCell;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::uri::{Authority, Uri};
use http::{Request, StatusCode};
use rsa::RsaPublicKey;
use rsa::pkcs1v15::Pkcs1v15Sign;
use rsa::pkcs8::DecodePublicKey;
use rsa::sha2::{Digest, Sha256};
use serde::Deserialize;
use sha1::Sha1;
use shared::outbound::{self, Limits};
use shared::{Context, Error, Result, Timestamp, config};
use x509_cert::Certificate;
use x509_cert::der::{DecodePem, Encode};

use crate::model::bounces::{BounceNotice, is_fresh};
use crate::notices::{ses, unproven};

const MAX_CERTIFICATE_BYTES: usize = 64 * 1024;

thread_local! {
    /// The key of the certificate that was read last, and its address.
    static KEY: RefCell<Option<(String, RsaPublicKey)>> = RefCell::default();
}

/// What SNS sends, whatever it is about.
#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase")]
struct Envelope {
    r#type: String,
    message_id: String,
    topic_arn: String,
    subject: Option<String>,
    message: String,
    timestamp: String,
    signature_version: String,
    signature: String,
    #[serde(rename = "SigningCertURL")]
    signing_cert_url: String,
    #[serde(rename = "SubscribeURL")]
    subscribe_url: Option<String>,
    token: Option<String>,
}

/// The bounces of a notice. The subscription of a topic of ours is confirmed.
pub(crate) async fn read(cx: &Context) -> Result<Vec<BounceNotice>> {
    let envelope: Envelope = serde_json::from_slice(&cx.bytes()).map_err(|_no_notice| unproven())?;
    let topics = config::get("bounce_sns_topics").await?.unwrap_or_default();
    if !topics.split(',').any(|topic| topic.trim() == envelope.topic_arn) {
        return Err(unproven());
    }
    let key = key(&envelope.signing_cert_url).await?;
    if !envelope.is_signed(&key) {
        return Err(unproven());
    }
    if !Timestamp::parse(&envelope.timestamp).is_some_and(|at| is_fresh(at, cx.now)) {
        return Ok(Vec::new());
    }
    match envelope.r#type.as_str() {
        "SubscriptionConfirmation" => confirm(envelope.subscribe_url.as_deref().unwrap_or_default()).await,
        "Notification" => Ok(ses::bounces(&envelope.message, cx.now)),
        _ => Ok(Vec::new()),
    }
}

impl Envelope {
    fn is_signed(&self, key: &RsaPublicKey) -> bool {
        let Ok(signature) = BASE64_STANDARD.decode(&self.signature) else { return false };
        let Some(text) = self.signed_text() else { return false };
        let verified = match self.signature_version.as_str() {
            "1" => key.verify(Pkcs1v15Sign::new::<Sha1>(), &Sha1::digest(text), &signature),
            "2" => key.verify(Pkcs1v15Sign::new::<Sha256>(), &Sha256::digest(text), &signature),
            _ => return false,
        };
        verified.is_ok()
    }

    /// Names and values of the fields that are signed, each on a line.
    fn signed_text(&self) -> Option<String> {
        let mut fields = vec![("Message", self.message.as_str()), ("MessageId", &self.message_id)];
        match self.r#type.as_str() {
            "Notification" => fields.extend(self.subject.as_deref().map(|subject| ("Subject", subject))),
            _ => fields.push(("SubscribeURL", self.subscribe_url.as_deref()?)),
        }
        fields.push(("Timestamp", &self.timestamp));
        if self.r#type != "Notification" {
            fields.push(("Token", self.token.as_deref()?));
        }
        fields.extend([("TopicArn", self.topic_arn.as_str()), ("Type", &self.r#type)]);
        Some(fields.into_iter().map(|(name, value)| format!("{name}\n{value}\n")).collect())
    }
}

/// The key of the certificate at an address of Amazon's.
async fn key(address: &str) -> Result<RsaPublicKey> {
    if let Some((_, key)) = KEY.with_borrow(|known| known.clone().filter(|(own, _)| own == address)) {
        return Ok(key);
    }
    if !is_of_amazon(address).await? {
        return Err(unproven());
    }
    let key = public_key(&get(address).await?).ok_or_else(unproven)?;
    KEY.set(Some((address.to_owned(), key.clone())));
    Ok(key)
}

fn public_key(certificate: &[u8]) -> Option<RsaPublicKey> {
    let certificate = Certificate::from_pem(certificate).ok()?;
    let key = certificate.tbs_certificate.subject_public_key_info.to_der().ok()?;
    RsaPublicKey::from_public_key_der(&key).ok()
}

async fn confirm(address: &str) -> Result<Vec<BounceNotice>> {
    if !is_of_amazon(address).await? {
        return Err(unproven());
    }
    get(address).await.map(|_| Vec::new())
}

async fn get(address: &str) -> Result<Bytes> {
    let request = Request::get(address).body(Bytes::new()).map_err(|_no_address| unproven())?;
    let limits = Limits { body_bytes: MAX_CERTIFICATE_BYTES, ..Limits::default() };
    let answer = outbound::send(request, &limits).await;
    let answer = answer.map_err(|failure| Error::unavailable(format!("Amazon SNS: {failure}")))?;
    match answer.status() {
        StatusCode::OK => Ok(answer.into_body()),
        status => Err(Error::unavailable(format!("Amazon SNS answered {}", status.as_u16()))),
    }
}

/// Whether the address is one of SNS itself, or of the emulator that the operator has set.
async fn is_of_amazon(address: &str) -> Result<bool> {
    let emulator = config::get("aws_endpoint_url").await?;
    let is_emulated = emulator.is_some_and(|own| address.starts_with(&format!("{}/", own.trim_end_matches('/'))));
    Ok(is_emulated || is_sns(address))
}

fn is_sns(address: &str) -> bool {
    let Ok(uri) = address.parse::<Uri>() else { return false };
    let host = uri.authority().map(Authority::as_str).unwrap_or_default();
    let region = host
        .strip_prefix("sns.")
        .and_then(|rest| rest.strip_suffix(".amazonaws.com").or_else(|| rest.strip_suffix(".amazonaws.com.cn")));
    let is_of_region = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    uri.scheme_str() == Some("https") && region.is_some_and(|own| !own.is_empty() && own.bytes().all(is_of_region))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &str = include_str!("sns_test_certificate.pem");

    fn envelope(version: &str, signature: &str) -> Envelope {
        Envelope {
            r#type: "Notification".to_owned(),
            message_id: "m-1".to_owned(),
            topic_arn: "arn:aws:sns:eu-central-1:1:bounces".to_owned(),
            message: "{\"notificationType\":\"Bounce\"}".to_owned(),
            timestamp: "2026-03-04T05:06:07.000Z".to_owned(),
            signature_version: version.to_owned(),
            signature: signature.to_owned(),
            ..Envelope::default()
        }
    }

    #[test]
    fn both_versions_of_the_signature_are_known() {
        let key = public_key(CERTIFICATE.as_bytes()).unwrap();
        let [one, two] = [
            "hY42XCfJn0OcePu1q+1JkEFzZkhLyLDabF4nVx/DGXs/jfcqm84KauTNRh3/GWcyUyS1kcwetp9Br3712OalLvArdQd4r31iG9+XI1BRdqU5r9VR8WmrTdv/FFaPS/ZYsND7VOiRq4mX9ciWLtJog666guMdCvfNczw59GbcdR/yHMvMYFfvCU7hqORHcVkfth+ezbtSnjTRDC/ohmRgQdnFZCNhSgh49oqnnFzXBm1A/ftO15m7c1cDcQXtN71C0721RLGtYur92MNchMi1Slt78/i5OJXZVYhOQWZHyrnUrdY53gCAlqR6Bw7w6WERCgUFgV/690UvpyQt5hNw9Q==",
            "eLxrBB3dVMUof6hw5oHgX1k8Qq8p0NTdSVUKEyMdHowKz04FyilfooG5ONWTJUQuYOtBSyAoyaxj4SwOWokopnF+HMmQDbcWfSTMQaa4QNbKexb7gCzSYNHIze9vVx+2k6yy5qR9WySquE3dlNCoFTIARx5vhLx10+UCTsc92ovvQxUsxo/TMxpmhbvGz3KYqzlLwIqhuNycP3CYh5cRIV93Od3gARX9S/mdPhV2jS9GrAuq2f/dGo1XD3nHG98+54b7iJ62H5MrJASzEbEZYDPAUJ1KT0SnUwL592sGIwjHsOZ0l3suilKc5Kjfqce8cyjyUj2xm8vnoQMqqFadXA==",
        ];
        assert!(envelope("1", one).is_signed(&key) && envelope("2", two).is_signed(&key));
        assert!(!envelope("2", one).is_signed(&key) && !envelope("1", two).is_signed(&key));
        assert!(!envelope("3", two).is_signed(&key) && !envelope("2", "").is_signed(&key));
        let changed = Envelope { timestamp: "2026-03-05T05:06:07.000Z".to_owned(), ..envelope("2", two) };
        assert!(!changed.is_signed(&key));
        let confirmation = Envelope { r#type: "SubscriptionConfirmation".to_owned(), ..envelope("2", two) };
        assert!(!confirmation.is_signed(&key));
        assert!(public_key(b"no certificate").is_none());
    }

    #[test]
    fn only_addresses_of_sns_are_called() {
        for address in [
            "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem",
            "https://sns.cn-north-1.amazonaws.com.cn/?Action=ConfirmSubscription",
        ] {
            assert!(is_sns(address), "{address}");
        }
        for address in [
            "http://sns.eu-central-1.amazonaws.com/x.pem",
            "https://sns.amazonaws.com/x.pem",
            "https://sns.eu-central-1.amazonaws.com.evil.test/x.pem",
            "https://sns.eu-central-1.amazonaws.com@evil.test/x.pem",
            "https://user@sns.eu-central-1.amazonaws.com/x.pem",
            "https://sns.eu-central-1.amazonaws.com:8443/x.pem",
            "https://sns.a.b.amazonaws.com/x.pem",
            "https://bucket.s3.amazonaws.com/x.pem",
            "https://evil.test/sns.eu-central-1.amazonaws.com",
            "",
        ] {
            assert!(!is_sns(address), "{address}");
        }
    }
}
