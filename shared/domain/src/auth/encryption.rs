//! Secrets of others that we must be able to read again, because we sign with them: sealed (XChaCha20-Poly1305) with a
//! key that is derived from the service's own secret.
//!
//! A sealed text names its key, so that what an older key has sealed can be found and sealed again before that key is
//! taken away.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use hmac::Mac;
use uuid::Uuid;
use web::config::{self, Secret};
use web::error::{Error, Result};
use web::secrets;

/// The secret with which a tool signs its assertions.
pub const TOOL_SECRET: &str = "tool secret";
/// The secret with which the deliveries of a webhook subscription are signed.
pub const SIGNING_SECRET: &str = "signing secret";

const NONCE: usize = 24;
const KEY_NAME: usize = 8;

/// Seals the secret. A secret that is sealed for one purpose cannot be opened for another.
pub async fn seal(purpose: &str, secret: &str) -> Result<String> {
    key(&config::required_secret("token_secret").await?, purpose)?.seal(purpose, secret)
}

/// Opens what was sealed with the current key or the one before it.
pub async fn open(purpose: &str, sealed: &str) -> Result<Secret> {
    open_if_known(purpose, sealed).await?.ok_or_else(|| Error::internal(Lost(purpose.to_owned())))
}

/// The same; `None` of what neither key has sealed.
pub async fn open_if_known(purpose: &str, sealed: &str) -> Result<Option<Secret>> {
    let current = key(&config::required_secret("token_secret").await?, purpose)?;
    if let Some(secret) = current.open(purpose, sealed) {
        return Ok(Some(secret));
    }
    Ok(previous(purpose).await?.and_then(|previous| previous.open(purpose, sealed)))
}

/// A secret that nobody can open any more: it was sealed for that purpose with a key that is gone.
#[derive(Debug)]
pub struct Lost(pub String);

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a secret ({}) was sealed with neither token_secret nor token_secret_previous", self.0)
    }
}

impl std::error::Error for Lost {}

/// The beginning of every text that the current key has sealed for that purpose.
pub async fn current_prefix(purpose: &str) -> Result<String> {
    Ok(key(&config::required_secret("token_secret").await?, purpose)?.prefix())
}

/// The beginning of every text that the key before it has sealed for that purpose; `None` where there is no such key.
pub async fn previous_prefix(purpose: &str) -> Result<Option<String>> {
    Ok(previous(purpose).await?.map(|previous| previous.prefix()))
}

async fn previous(purpose: &str) -> Result<Option<SealKey>> {
    config::secret("token_secret_previous").await?.map(|previous| key(&previous, purpose)).transpose()
}

struct SealKey {
    name: String,
    cipher: XChaCha20Poly1305,
}

fn key(secret: &Secret, purpose: &str) -> Result<SealKey> {
    let bytes = secrets::mac(secret, "seal", purpose)?.finalize().into_bytes();
    let name = secrets::hash(bytes).chars().take(KEY_NAME).collect();
    Ok(SealKey { name, cipher: XChaCha20Poly1305::new(Key::from_slice(&bytes)) })
}

impl SealKey {
    fn prefix(&self) -> String {
        format!("{}.", self.name)
    }

    fn seal(&self, purpose: &str, secret: &str) -> Result<String> {
        let random = [Uuid::new_v4().into_bytes(), Uuid::new_v4().into_bytes()].concat();
        let nonce = random.get(..NONCE).unwrap_or_default();
        let payload = Payload { msg: secret.as_bytes(), aad: purpose.as_bytes() };
        let sealed = self.cipher.encrypt(XNonce::from_slice(nonce), payload);
        let sealed = sealed.map_err(|_no_reason| Error::internal(anyhow::anyhow!("a secret cannot be sealed")))?;
        Ok(format!("{}{}", self.prefix(), BASE64_URL_SAFE_NO_PAD.encode([nonce, &sealed].concat())))
    }

    fn open(&self, purpose: &str, sealed: &str) -> Option<Secret> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(sealed.strip_prefix(&self.prefix())?).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE)?;
        let payload = Payload { msg: sealed, aad: purpose.as_bytes() };
        let secret = self.cipher.decrypt(XNonce::from_slice(nonce), payload).ok()?;
        String::from_utf8(secret).ok().map(Secret::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_key(secret: &str) -> SealKey {
        key(&Secret::new(secret.to_owned()), "hooks").unwrap()
    }

    #[test]
    fn what_is_sealed_can_be_opened_with_its_key_for_its_purpose_alone() {
        let sealed = a_key("one").seal("hooks", "whsec_x").unwrap();
        let opened =
            |key: &str, purpose: &str| a_key(key).open(purpose, &sealed).map(|secret| secret.expose().to_owned());
        assert_eq!(opened("one", "hooks").as_deref(), Some("whsec_x"));
        assert_eq!(opened("other", "hooks"), None);
        assert_eq!(opened("one", "else"), None);
        assert!(!sealed.contains("whsec_x") && sealed.starts_with(&a_key("one").prefix()));
    }

    #[test]
    fn the_same_secret_is_never_sealed_alike_and_a_changed_seal_is_none() {
        let (one, other) = (a_key("one").seal("hooks", "x").unwrap(), a_key("one").seal("hooks", "x").unwrap());
        assert_ne!(one, other);
        let mut changed = one.clone();
        changed.replace_range(12..13, if one.chars().nth(12) == Some('A') { "B" } else { "A" });
        for text in [changed.as_str(), "", "x.y", &a_key("one").prefix()] {
            assert!(a_key("one").open("hooks", text).is_none(), "{text}");
        }
    }
}
