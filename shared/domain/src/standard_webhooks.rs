//! Standard Webhooks: the headers by which a receiver knows that a delivery is ours, is fresh, and is no other than it was.
//!
//! Source: the specification of Standard Webhooks, scheme `v1` (HMAC-SHA256).

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, Mac};
use http::HeaderName;
use sha2::Sha256;
use types::clock::Timestamp;
use uuid::Uuid;
use web::config::Secret;
#[cfg(not(target_arch = "wasm32"))]
use web::openapi::Webhook;

/// The same for every attempt to deliver a message.
pub const ID: HeaderName = HeaderName::from_static("webhook-id");
/// When this attempt was made, in seconds since 1970.
pub const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
/// A signature for each secret that is good at the moment, with spaces between.
pub const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

const PREFIX: &str = "whsec_";

/// The webhook with these headers.
#[cfg(not(target_arch = "wasm32"))]
pub fn described(webhook: Webhook) -> Webhook {
    webhook
        .header(&ID, "The same for every attempt to deliver the message: a repetition is known by it.")
        .header(&TIMESTAMP, "When this attempt was made, in seconds since the beginning of 1970 in UTC.")
        .header(
            &SIGNATURE,
            "`v1,` and the HMAC-SHA256 in base64 of `webhook-id`, `webhook-timestamp` and the body, with full stops between, \
             by the secret, which is `whsec_` and base64 of the key. While a secret is being changed there are two, with a \
             space between. See <https://www.standardwebhooks.com>.",
        )
}

/// A new secret of 32 bytes, as receivers take it: `whsec_` and base64.
pub fn new_secret() -> Secret {
    let bytes = [Uuid::new_v4().into_bytes(), Uuid::new_v4().into_bytes()].concat();
    Secret::new(format!("{PREFIX}{}", BASE64_STANDARD.encode(bytes)))
}

/// The signatures of a message with each of the secrets; `None` where one is no signing secret.
pub fn signatures(secrets: &[Secret], id: &str, now: Timestamp, body: &[u8]) -> Option<String> {
    let signatures = secrets.iter().map(|secret| signature(secret, id, now, body));
    signatures.collect::<Option<Vec<_>>>().map(|signatures| signatures.join(" "))
}

fn signature(secret: &Secret, id: &str, now: Timestamp, body: &[u8]) -> Option<String> {
    let key = BASE64_STANDARD.decode(secret.expose().strip_prefix(PREFIX)?).ok()?;
    let mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    let mac = mac.chain_update(format!("{id}.{}.", now.unix())).chain_update(body);
    Some(format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const SIGNED: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn signed(secrets: &[&str]) -> Option<String> {
        let secrets: Vec<_> = secrets.iter().map(|secret| Secret::new((*secret).to_owned())).collect();
        signatures(&secrets, MESSAGE, Timestamp::from_unix(1_614_265_330).unwrap(), br#"{"test": 2432232314}"#)
    }

    #[test]
    fn a_message_is_signed_as_the_published_vector_is() {
        assert_eq!(signed(&["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).as_deref(), Some(SIGNED));
    }

    #[test]
    fn while_a_secret_is_changed_both_sign() {
        let both =
            signed(&["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]).unwrap();
        assert_eq!(both.split(' ').map(|signature| signature == SIGNED).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_secret_has_the_form_that_verifiers_take() {
        let secret = new_secret();
        let bytes = BASE64_STANDARD.decode(secret.expose().strip_prefix("whsec_").unwrap()).unwrap();
        assert_eq!(bytes.len(), 32);
        assert_ne!(secret.expose(), new_secret().expose());
        for other in ["", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_?"] {
            assert_eq!(signed(&[other]), None, "{other}");
        }
    }
}
