//! Access tokens: JSON Web Tokens signed with HS256 and a secret of the service, and nothing else.
//!
//! The library gets its cryptography from here. Its own provider brings RSA and elliptic curves along, which double the
//! size of every component that only checks tokens.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{LazyLock, Once};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result as JwtResult, new_error};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use signature::{Signer, Verifier};
use web::config::{self, Secret};
use web::error::{Error, Result};
use web::secrets;

/// The claims of a token.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub struct Claims {
    /// The user's id.
    pub sub: String,
    /// The id of the user's root account.
    pub tenant: i64,
    /// The token's own id.
    pub jti: String,
    /// When it was made, in seconds since 1970.
    pub iat: i64,
    /// When it ends, in seconds since 1970; a token without it lasts until it is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exp: Option<i64>,
    /// The scopes that it may call; a token without them may call everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
}

/// The purpose for which the key that signs tokens is derived.
const PURPOSE: &str = "access token";

/// The version of keys by which the rows of sessions on our pages are told from those of tokens.
pub const OF_PAGES: i64 = 2;

/// The way from the service's secret to the key of a token. It stands in the token's row, so that whoever has learnt a key
/// of the one kind makes no token of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyVersion {
    /// The secret itself: so tokens were signed at first.
    Secret,
    /// Derived from the secret for this purpose alone.
    Derived,
    /// None: it is a session on our pages, whose cookie is signed for that, and no token of the API.
    OfPages,
}

impl KeyVersion {
    /// As it is stored.
    pub(super) fn number(self) -> i64 {
        match self {
            Self::Secret => 0,
            Self::Derived => 1,
            Self::OfPages => OF_PAGES,
        }
    }
}

/// Signs the claims with the key of [`KeyVersion::Derived`].
pub(super) async fn sign(claims: &Claims) -> Result<String> {
    let keys = secrets::derived_keys(PURPOSE).await?;
    let key = keys.first().ok_or_else(|| Error::internal(anyhow::anyhow!("there is no key")))?;
    encode(claims, key.expose().as_bytes())
}

/// Signs claims of any kind with that key.
pub fn encode(claims: &impl Serialize, key: &[u8]) -> Result<String> {
    install();
    let key = EncodingKey::from_secret(key);
    jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &key).map_err(Error::internal)
}

/// The claims of a token that was signed with that key. The claims are for the caller to check, time included.
pub fn decode<T: DeserializeOwned>(token: &str, key: &[u8]) -> Option<T> {
    /// The signature alone is checked.
    static SIGNATURE: LazyLock<Validation> = LazyLock::new(|| {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.validate_exp = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        validation
    });
    install();
    jsonwebtoken::decode(token, &DecodingKey::from_secret(key), &SIGNATURE).ok().map(|token| token.claims)
}

/// The claims of a token, whoever signed it: only good for finding the key by which it is to be checked.
pub fn unverified<T: DeserializeOwned>(token: &str) -> Option<T> {
    let mut parts = token.split('.');
    let claims = parts.nth(1).filter(|_| parts.count() == 1)?;
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
}

thread_local! {
    /// The tokens that the instance has found to be ours: clients show theirs again and again, and to check a signature takes
    /// a twentieth of what a read does.
    static VERIFIED: RefCell<HashMap<String, Rc<Verified>>> = RefCell::default();
}

/// So many are remembered; then all are forgotten, because few instances see more in their life.
const MAX_VERIFIED: usize = 256;
/// Longer ones, with many scopes, are checked each time: so many of them would fill the instance's memory.
const MAX_REMEMBERED_BYTES: usize = 4096;

/// A token that we signed.
pub(super) struct Verified {
    pub(super) claims: Claims,
    pub(super) version: KeyVersion,
    /// The key of its signature.
    key: Secret,
}

/// A token that we signed, with a key of the current secret or of the one before it. Time is for the caller to check, and
/// whether the token with that id was signed so.
pub(super) async fn verify(token: &str) -> Result<Option<Rc<Verified>>> {
    let derived = secrets::derived_keys(PURPOSE).await?;
    if let Some(found) = verified(token, &derived, KeyVersion::Derived) {
        return Ok(Some(found));
    }
    let plain = [Some(config::required_secret("token_secret").await?), config::secret("token_secret_previous").await?];
    Ok(verified(token, &plain.into_iter().flatten().collect::<Vec<_>>(), KeyVersion::Secret))
}

/// The token, if it was signed with one of these keys, which are of that version.
fn verified(token: &str, keys: &[Secret], version: KeyVersion) -> Option<Rc<Verified>> {
    // The secret may have been changed since.
    let is_good =
        |known: &Rc<Verified>| known.version == version && keys.iter().any(|key| key.expose() == known.key.expose());
    let known = VERIFIED.with_borrow(|all| all.get(token).cloned());
    known.filter(is_good).or_else(|| {
        let checked = keys.iter().find_map(|key| {
            let claims = decode(token, key.expose().as_bytes())?;
            Some(Rc::new(Verified { claims, version, key: key.clone() }))
        })?;
        remember(token, &checked);
        Some(checked)
    })
}

fn remember(token: &str, checked: &Rc<Verified>) {
    if token.len() > MAX_REMEMBERED_BYTES {
        return;
    }
    VERIFIED.with_borrow_mut(|all| {
        if all.len() >= MAX_VERIFIED {
            all.clear();
        }
        all.insert(token.to_owned(), checked.clone());
    });
}

fn install() {
    static ONCE: Once = Once::new();
    static PROVIDER: CryptoProvider = CryptoProvider {
        signer_factory: |algorithm, key| {
            hs256(algorithm, key.as_bytes()).map(|mac| -> Box<dyn JwtSigner> { Box::new(mac) })
        },
        verifier_factory: |algorithm, key| {
            hs256(algorithm, key.try_get_as_bytes()?).map(|mac| -> Box<dyn JwtVerifier> { Box::new(mac) })
        },
        key_utils: KeyUtils::new_unimplemented(),
    };
    ONCE.call_once(|| {
        // It fails only where one is installed already.
        let _ = PROVIDER.install_default();
    });
}

struct Hs256(Hmac<Sha256>);

fn hs256(algorithm: &Algorithm, key: &[u8]) -> JwtResult<Hs256> {
    match algorithm {
        Algorithm::HS256 => {
            Hmac::new_from_slice(key).map(Hs256).map_err(|_length| new_error(ErrorKind::InvalidKeyFormat))
        }
        _ => Err(new_error(ErrorKind::InvalidAlgorithm)),
    }
}

impl Hs256 {
    fn over(&self, message: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(message);
        mac
    }
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        Ok(self.over(message).finalize().into_bytes().to_vec())
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        self.over(message).verify_slice(signature).map_err(signature::Error::from_source)
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derived(token: &str, texts: &[&str]) -> Option<Rc<Verified>> {
        verified(token, &keys(texts), KeyVersion::Derived)
    }

    fn keys(texts: &[&str]) -> Vec<Secret> {
        texts.iter().map(|text| Secret::new((*text).to_owned())).collect()
    }

    fn token(id: usize, key: &str) -> String {
        token_with(id, key, None)
    }

    fn token_with(id: usize, key: &str, scopes: Option<Vec<String>>) -> String {
        let claims = Claims { sub: "1".to_owned(), tenant: 1, jti: id.to_string(), iat: 0, exp: None, scopes };
        encode(&claims, key.as_bytes()).unwrap()
    }

    #[test]
    fn a_token_is_remembered_as_long_as_its_key_is_one_of_ours() {
        let (first, second) = (token(1, "first"), token(2, "second"));
        let known = derived(&first, &["second", "first"]).unwrap();
        assert_eq!((known.claims.jti.as_str(), known.version), ("1", KeyVersion::Derived));
        assert!(Rc::ptr_eq(&known, &derived(&first, &["first"]).unwrap()));
        assert!(derived(&first, &["second"]).is_none());
        assert_eq!(derived(&second, &["second"]).unwrap().claims.jti, "2");
        assert!(derived(&format!("{first}x"), &["first"]).is_none());
        let plain = verified(&first, &keys(&["first"]), KeyVersion::Secret).unwrap();
        assert_eq!(plain.version, KeyVersion::Secret);
    }

    #[test]
    fn memory_for_tokens_is_bounded_in_number_and_length() {
        for id in 0..=MAX_VERIFIED {
            assert!(derived(&token(id, "key"), &["key"]).is_some());
        }
        assert!(VERIFIED.with_borrow(HashMap::len) <= MAX_VERIFIED);
        let long = token_with(1, "key", Some(vec!["url:GET|/api/v1/courses/:id".to_owned(); 200]));
        let [one, other] = [(); 2].map(|()| derived(&long, &["key"]).unwrap());
        assert!(!Rc::ptr_eq(&one, &other));
    }
}
