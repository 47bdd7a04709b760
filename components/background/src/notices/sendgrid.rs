//! Events of `SendGrid`, which signs a batch with ECDSA on the curve P-256.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::pkcs8::DecodePublicKey;
use serde::Deserialize;
use shared::{Context, Error, Result, Timestamp, config};

use crate::model::bounces::{BounceNotice, Severity};
use crate::notices::{json, unproven};

const KEY_VARIABLE: &str = "bounce_sendgrid_key";

#[derive(Deserialize, Default)]
#[serde(default)]
struct Event {
    email: String,
    event: String,
    r#type: String,
    reason: String,
    timestamp: i64,
}

/// The bounces of a batch.
pub(crate) async fn read(cx: &Context) -> Result<Vec<BounceNotice>> {
    let key = config::get(KEY_VARIABLE).await?.ok_or_else(unproven)?;
    let wrong = || Error::internal(anyhow::anyhow!("variable {KEY_VARIABLE} is no public key"));
    let key = public_key(&key).ok_or_else(wrong)?;
    let header = |name: &str| cx.header(name).ok_or_else(unproven);
    let signature = header("x-twilio-email-event-webhook-signature")?;
    let timestamp = header("x-twilio-email-event-webhook-timestamp")?;
    if !is_signed(&key, signature, timestamp, &cx.bytes()) {
        return Err(unproven());
    }
    Ok(json::<Vec<Event>>(cx)?.iter().filter_map(Event::bounce).collect())
}

/// The key as `SendGrid` shows it: DER in base64.
fn public_key(text: &str) -> Option<VerifyingKey> {
    VerifyingKey::from_public_key_der(&BASE64_STANDARD.decode(text.trim()).ok()?).ok()
}

/// Whether the time and the body were signed together.
fn is_signed(key: &VerifyingKey, signature: &str, timestamp: &str, body: &[u8]) -> bool {
    let signature = BASE64_STANDARD.decode(signature).ok().and_then(|bytes| Signature::from_der(&bytes).ok());
    signature.is_some_and(|signature| key.verify(&[timestamp.as_bytes(), body].concat(), &signature).is_ok())
}

impl Event {
    fn bounce(&self) -> Option<BounceNotice> {
        let severity = match (self.event.as_str(), self.r#type.as_str()) {
            ("bounce", "blocked") => Severity::Transient,
            ("bounce", _) => Severity::Permanent,
            // It sends nothing there any more, because of an earlier bounce or a complaint.
            ("dropped" | "spamreport", _) => Severity::Suppression,
            _ => return None,
        };
        Some(BounceNotice::new(&self.email, severity, Timestamp::from_unix(self.timestamp)?, &self.reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvrR9pgmii2xHFCDNNGQ+o2vLN/sw9SRbLphrMj9/PABFYWS5XAsznRPVq3xyxvYOHi01yyZ+9bJsYqB6wwp80Q==";
    const SIGNATURE: &str =
        "MEUCIQDNXqZLBj0dy4mr1ObZ9ypgfv25MBWKrqVdwff4+JH01QIgSAMbR0SamNd8sc+/or1NtjbGSdodCh8bhBYEFoWNMLI=";
    const BODY: &str = r#"[{"email":"a@b.test","event":"bounce","type":"bounce","timestamp":1772600767}]"#;

    #[test]
    fn a_batch_is_signed_with_its_time() {
        let key = public_key(KEY).unwrap();
        assert!(is_signed(&key, SIGNATURE, "1772600767", BODY.as_bytes()));
        assert!(!is_signed(&key, SIGNATURE, "1772600768", BODY.as_bytes()));
        assert!(!is_signed(&key, SIGNATURE, "1772600767", BODY.replace("a@b", "c@d").as_bytes()));
        assert!(!is_signed(&key, "", "1772600767", BODY.as_bytes()));
        assert!(public_key("AAAA").is_none());
    }

    #[test]
    fn only_what_does_not_arrive_is_a_bounce() {
        let severity = |event: &str, kind: &str| {
            let event = Event { event: event.to_owned(), r#type: kind.to_owned(), ..Event::default() };
            event.bounce().map(|notice| notice.bounce.severity)
        };
        assert_eq!(severity("bounce", "bounce"), Some(Severity::Permanent));
        assert_eq!(severity("bounce", "blocked"), Some(Severity::Transient));
        assert_eq!(severity("dropped", ""), Some(Severity::Suppression));
        assert_eq!(severity("spamreport", ""), Some(Severity::Suppression));
        assert_eq!(severity("deferred", ""), None);
        assert_eq!(severity("delivered", ""), None);
    }
}
