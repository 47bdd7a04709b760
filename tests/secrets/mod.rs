//! Changes of secrets, each as the table "Changing them" in docs/OPERATIONS.md tells it: nothing is lost meanwhile.
//!
//! What only one area knows is tested there: the secrets of tools in `webhooks`, those of subscriptions in
//! `webhook_deliveries`, and the relay's own tokens in its crate.

mod amazon;
mod bounces;
mod clients;
mod operators;
mod relay;
mod sealed;
mod services;
mod stores;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use support::Received;

const OLD: &str = "an-old-secret-of-more-than-thirty-two-characters";
const NEW: &str = "a-new-secret-of-more-than-thirty-two-characters";

/// The signature that a webhook has with that key.
fn signature(key: &[u8], received: &Received) -> String {
    use hmac::{Hmac, Mac};
    let header = |name| received.header(name).unwrap();
    let message = format!("{}.{}.{}", header("webhook-id"), header("webhook-timestamp"), received.text());
    let mac = Hmac::<sha2::Sha256>::new_from_slice(key).unwrap().chain_update(message);
    format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}
