//! The assertion by which a tool asks for a token: a JSON Web Token that the tool signs with its secret.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

/// Signs the claims (HS256).
pub fn sign(claims: &Value, secret: &str) -> String {
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&json!({ "alg": "HS256", "typ": "JWT" })), part(claims));
    // A key may have any length.
    let signature = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
        .map(|mac| mac.chain_update(&signed).finalize().into_bytes().to_vec())
        .unwrap_or_default();
    format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}
