//! Secrets that we give out: long, random, and kept only as a hash.

use std::cell::RefCell;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::config::{self, Secret};
use crate::error::{Error, Result};

/// A new secret of 244 random bits, in 43 characters that need no escaping.
pub fn generate() -> String {
    let (a, b) = (Uuid::new_v4(), Uuid::new_v4());
    BASE64_URL_SAFE_NO_PAD.encode([a.into_bytes(), b.into_bytes()].concat())
}

/// The stored form of a secret. A plain hash is enough, because nobody can guess the secret itself.
pub fn hash(secret: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(secret))
}

/// True if two texts are the same, in a time that does not tell how much of them is.
pub fn same(one: &str, other: &str) -> bool {
    let mac = |text: &str| Hmac::<Sha256>::new_from_slice(b"compare").map(|mac| mac.chain_update(text));
    match (mac(one), mac(other)) {
        (Ok(one), Ok(other)) => one.verify(&other.finalize().into_bytes()).is_ok(),
        _ => false,
    }
}

/// Whether a text is the operator's secret in the variable of that name, or the one before it; `None` where there is no such
/// secret.
pub async fn is_own(name: &str, shown: &str) -> Result<Option<bool>> {
    let secrets = config::own_secrets(name).await?;
    Ok((!secrets.is_empty()).then(|| secrets.iter().any(|secret| same(shown, secret.expose()))))
}

/// Signs a text of ours, for links that carry their own right. `purpose` keeps the signature of one kind of link from
/// being good for another.
pub async fn sign(purpose: &str, text: &str) -> Result<String> {
    let secret = config::required_secret("token_secret").await?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(mac(&secret, purpose, text)?.finalize().into_bytes()))
}

/// True if we signed that text for that purpose, with the current secret or the one before it.
pub async fn verify(purpose: &str, text: &str, signature: &str) -> Result<bool> {
    let Ok(signature) = BASE64_URL_SAFE_NO_PAD.decode(signature) else {
        return Ok(false);
    };
    let current = config::required_secret("token_secret").await?;
    if mac(&current, purpose, text)?.verify_slice(&signature).is_ok() {
        return Ok(true);
    }
    match config::secret("token_secret_previous").await? {
        Some(previous) => Ok(mac(&previous, purpose, text)?.verify_slice(&signature).is_ok()),
        None => Ok(false),
    }
}

thread_local! {
    /// The keys that the instance has derived: nearly every request checks a token with one.
    static DERIVED: RefCell<Vec<DerivedKey>> = const { RefCell::new(Vec::new()) };
}

/// More keys than an instance needs at one time.
const MAX_DERIVED: usize = 8;

/// A key with what it was derived from.
struct DerivedKey {
    purpose: &'static str,
    secret: Secret,
    key: Secret,
}

/// Keys for signatures of another form, derived from the current secret and the one before it, in this order.
pub async fn derived_keys(purpose: &'static str) -> Result<Vec<Secret>> {
    let current = config::required_secret("token_secret").await?;
    let previous = config::secret("token_secret_previous").await?;
    std::iter::once(current).chain(previous).map(|secret| derived_key(purpose, secret)).collect()
}

fn derived_key(purpose: &'static str, secret: Secret) -> Result<Secret> {
    let is_same = |known: &&DerivedKey| known.purpose == purpose && known.secret.expose() == secret.expose();
    let known = DERIVED.with_borrow(|keys| keys.iter().find(is_same).map(|known| known.key.clone()));
    if let Some(key) = known {
        return Ok(key);
    }
    let key = Secret::new(BASE64_URL_SAFE_NO_PAD.encode(mac(&secret, purpose, "key")?.finalize().into_bytes()));
    DERIVED.with_borrow_mut(|keys| {
        // Others are left of secrets that were changed.
        if keys.len() >= MAX_DERIVED {
            keys.clear();
        }
        keys.push(DerivedKey { purpose, secret, key: key.clone() });
    });
    Ok(key)
}

/// The signature of a text before it is ended, keyed with that secret for that purpose.
pub fn mac(secret: &Secret, purpose: &str, text: &str) -> Result<Hmac<Sha256>> {
    let mac = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()).map_err(Error::internal)?;
    Ok(mac.chain_update(purpose).chain_update([0]).chain_update(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_long_and_differ() {
        let (one, other) = (generate(), generate());
        assert_eq!(one.len(), 43);
        assert_ne!(one, other);
        assert!(same(&hash(&one), &hash(&one)));
        assert!(!same(&hash(&one), &hash(&other)));
    }

    #[test]
    fn a_key_is_of_its_purpose_and_of_its_secret() {
        let key =
            |purpose, secret: &str| derived_key(purpose, Secret::new(secret.to_owned())).unwrap().expose().to_owned();
        let first = key("tokens", "one");
        assert_eq!(key("tokens", "one"), first);
        assert_ne!(key("links", "one"), first);
        for number in 0..2 * MAX_DERIVED {
            assert_ne!(key("tokens", &number.to_string()), first);
        }
        assert_eq!(key("tokens", "one"), first);
        assert!(DERIVED.with_borrow(Vec::len) <= MAX_DERIVED);
    }
}
