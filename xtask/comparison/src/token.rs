//! Access tokens: JSON Web Tokens signed with HS256.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::Deserialize;
use sha2::Sha256;

#[derive(Deserialize)]
pub(crate) struct Claims {
    pub(crate) jti: String,
    pub(crate) sub: String,
    pub(crate) exp: Option<i64>,
}

/// The claims of a token that was signed with that key and has not ended.
pub(crate) fn verify(token: &str, key: &[u8]) -> Option<Claims> {
    let (signed, signature) = token.rsplit_once('.')?;
    let mac = Hmac::<Sha256>::new_from_slice(key).ok()?.chain_update(signed);
    mac.verify_slice(&BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
    let (_, claims) = signed.split_once('.')?;
    let claims: Claims = serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    let is_over = claims.exp.is_some_and(|end| end <= chrono::Utc::now().timestamp());
    (!is_over).then_some(claims)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(claims: &str, key: &[u8]) -> String {
        let signed =
            [r#"{"alg":"HS256","typ":"JWT"}"#, claims].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part)).join(".");
        let mac = Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(&signed);
        format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
    }

    #[test]
    fn only_what_was_signed_with_the_key_is_a_token() {
        let good = token(r#"{"sub":"3","jti":"7","tenant":1}"#, b"key");
        let claims = verify(&good, b"key").unwrap();
        assert_eq!((claims.sub.as_str(), claims.jti.as_str()), ("3", "7"));
        let other = token(r#"{"sub":"4","jti":"7","tenant":1}"#, b"key");
        let forged = format!("{}.{}", other.rsplit_once('.').unwrap().0, good.rsplit_once('.').unwrap().1);
        assert!(verify(&forged, b"key").is_none());
        assert!(verify(&good, b"other").is_none());
        assert!(["", ".", "..", "a.b.c"].iter().all(|text| verify(text, b"key").is_none()));
    }

    #[test]
    fn a_token_that_has_ended_is_none() {
        assert!(verify(&token(r#"{"sub":"3","jti":"7","exp":1}"#, b"key"), b"key").is_none());
        assert!(verify(&token(r#"{"sub":"3","jti":"7","exp":32503680000}"#, b"key"), b"key").is_some());
    }
}
