//! Assertions of tools that sign with keys of their own (RS256), by which they are known at the token endpoint (RFC 7523).
//! The public keys are read at the address that the tool has registered.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::StatusCode;
use http::header::ACCEPT;
use rsa::pkcs1v15::Pkcs1v15Sign;
use rsa::sha2::{Digest, Sha256};
use rsa::traits::PublicKeyParts;
use rsa::{BigUint, RsaPublicKey};
use serde::Deserialize;
use serde_json::json;
use shared::auth::jwt;
use shared::outbound::{self, Limits, address};
use shared::{Error, Result, background, config};

use crate::model::assertions::{Audience, whole_seconds};

const LIMITS: Limits = Limits {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(10),
    between_bytes: Duration::from_secs(5),
    total: Duration::from_secs(15),
    body_bytes: 64 * 1024,
};
/// The time for which keys that were read are believed.
const FRESH: Duration = Duration::from_secs(300);
const MAX_KEYS: usize = 50;
const MIN_KEY_BYTES: usize = 256;
const MAX_ASSERTION_BYTES: usize = 8 * 1024;

thread_local! {
    /// The keys that were read last, their address, and when that was.
    static KEYS: RefCell<Option<(String, Instant, KeySet)>> = RefCell::default();
}

#[derive(Deserialize, Clone)]
pub(crate) struct KeySet {
    keys: Vec<PublicKey>,
}

#[derive(Deserialize, Clone, Default)]
#[serde(default)]
struct PublicKey {
    kty: String,
    kid: Option<String>,
    n: String,
    e: String,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
}

/// The claims of an assertion for a token.
#[derive(Deserialize)]
pub(crate) struct Claims {
    pub(crate) iss: String,
    pub(crate) sub: String,
    pub(crate) aud: Audience,
    #[serde(deserialize_with = "whole_seconds")]
    pub(crate) exp: i64,
    #[serde(deserialize_with = "whole_seconds")]
    pub(crate) iat: i64,
    pub(crate) jti: String,
}

/// The claims of an assertion, whoever has signed it: only good for finding the tool whose keys are to check it.
pub(crate) fn unverified(assertion: &str) -> Option<Claims> {
    jwt::unverified(assertion).filter(|_| assertion.len() <= MAX_ASSERTION_BYTES)
}

/// The keys at that address that were read some minutes ago at most. Whoever gets none here has to read them.
pub(crate) fn known_keys(address: &str) -> Option<KeySet> {
    KEYS.with_borrow(|known| {
        let (own, read, keys) = known.as_ref()?;
        (own == address && read.elapsed() < FRESH).then(|| keys.clone())
    })
}

/// Reads the keys at that address. Why it fails is for the log alone: tools are not told what there is at addresses.
pub(crate) async fn read_keys(named: &str) -> Result<Option<KeySet>> {
    let development = config::flag("development").await?;
    let Ok(target) = address::check(named, development) else { return Ok(None) };
    let request = http::Request::get(target).header(ACCEPT, "application/json").body(Bytes::new());
    let answer = match outbound::send(request.map_err(Error::internal)?, &LIMITS).await {
        Ok(answer) => answer,
        Err(failure) => {
            background::log(&json!({ "jwks_uri": named, "failure": failure.detail() }));
            return Ok(None);
        }
    };
    let keys = serde_json::from_slice::<KeySet>(answer.body()).ok();
    let keys = keys.filter(|keys| answer.status() == StatusCode::OK && keys.keys.len() <= MAX_KEYS);
    if let Some(keys) = &keys {
        KEYS.set(Some((named.to_owned(), Instant::now(), keys.clone())));
    }
    Ok(keys)
}

impl KeySet {
    /// True if one of the keys has signed the assertion.
    pub(crate) fn have_signed(&self, assertion: &str) -> bool {
        self.verify(assertion).is_some()
    }

    fn verify(&self, assertion: &str) -> Option<()> {
        let (signed, signature) = assertion.rsplit_once('.')?;
        let header = BASE64_URL_SAFE_NO_PAD.decode(signed.split('.').next()?).ok()?;
        let header: Header = serde_json::from_slice(&header).ok().filter(|header: &Header| header.alg == "RS256")?;
        let key = self.key(header.kid.as_deref())?.rsa()?;
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
        key.verify(Pkcs1v15Sign::new::<Sha256>(), &Sha256::digest(signed), &signature).ok()
    }

    /// The key of that name; where the assertion names none, the only one.
    fn key(&self, name: Option<&str>) -> Option<&PublicKey> {
        match (name, self.keys.as_slice()) {
            (Some(name), keys) => keys.iter().find(|key| key.kid.as_deref() == Some(name)),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }
}

impl PublicKey {
    /// A key of 2048 to 4096 bits.
    fn rsa(&self) -> Option<RsaPublicKey> {
        let number = |text: &str| Some(BigUint::from_bytes_be(&BASE64_URL_SAFE_NO_PAD.decode(text).ok()?));
        let key = RsaPublicKey::new(number(&self.n)?, number(&self.e)?).ok()?;
        (self.kty == "RSA" && key.size() >= MIN_KEY_BYTES).then_some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: &str = "oWTFLq_Fs0tOLN6xO6oMcuFAd5essw_gLRM9m8KE0xfvyl33f7HUfzaraQvVbXlZewJaGiAsOQxxT0Y3KSFBGkRP15BdZe54k-3AG_PGRnrGQgfOk_s3kqE3t9AWjVTgAlcNk7_sIC4mcHgxWE-iKPX75Lm7LvyRiIjT7Uxr56ped7xRHvEAecPZBCleql3MpslYW6tA0JRD6-IoLVvO6UBB3N6Y3ga7wpkW5Y5cz4C2HoIt8aaV_nw3QSNKZi7yYhPFCcDp9QmGuIfTWx8Qap5-HhjqQ76H0WSdJ9oZOCEGnMWQf1Up-dM20RP4P40THtUoRXQjAIh3deuzxzfQ8Q";
    const ASSERTION: &str = "eyJhbGciOiJSUzI1NiIsImtpZCI6Im9uZSIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJ0b29sIiwic3ViIjoidG9vbCIsImF1ZCI6Imh0dHBzOi8vbG1zLnRlc3QvYXBpL2x0aS90b2tlbiIsImlhdCI6MTAwMCwiZXhwIjoxMDYwLCJqdGkiOiJhIn0.dqlUzU6fU7W_7bLIfteZvlv9gKSBRm1cG4Iy9AOrXPJWQ8EaZuWDd69VXlBRceKi1zDK6DlNYOdyoUU3kKdZPwabhKd3H0t3YtBp7bqaW5TukXFD0iz5Oc19hILwszSFchSfndafgblbh1YsqZKtPAwgkG9NwTAHXzZXWmQah3bCyJzkaXF5YuHtU2p12bjUCzk6Ew1K23bhBUMHoIVESNbqDJQ9cctc7PZNA-a2tFTs4rSyt1k0OUQFotQDk_8pZedgM9oknH9h_RouxlJnTsqYSft7swq0hrytd3Ik66Fzp52XzANpH1lIvIc6TX5sI2UUVaRg7mVKnZyWFQnuoA";

    fn keys(keys: serde_json::Value) -> KeySet {
        serde_json::from_value(json!({ "keys": keys })).unwrap()
    }

    #[test]
    fn what_others_have_signed_is_verified() {
        let key = json!({ "kty": "RSA", "kid": "one", "alg": "RS256", "n": N, "e": "AQAB" });
        assert!(keys(json!([key])).have_signed(ASSERTION));
        assert_eq!(unverified(ASSERTION).unwrap().sub, "tool");
        let mut other = key.clone();
        other["kid"] = json!("two");
        assert!(!keys(json!([other])).have_signed(ASSERTION), "the key has another name");
        assert!(!keys(json!([])).have_signed(ASSERTION));
        let mut weak = key.clone();
        weak["n"] = json!("AQAB");
        assert!(!keys(json!([weak])).have_signed(ASSERTION), "the key is too short");
    }

    #[test]
    fn a_changed_assertion_and_one_of_another_algorithm_are_none() {
        let key = keys(json!([{ "kty": "RSA", "kid": "one", "n": N, "e": "AQAB" }]));
        let parts: Vec<_> = ASSERTION.split('.').collect();
        let claims = BASE64_URL_SAFE_NO_PAD.encode(r#"{"iss":"other"}"#);
        let none = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"none","kid":"one"}"#);
        for assertion in [
            format!("{}.{claims}.{}", parts[0], parts[2]),
            format!("{none}.{}.{}", parts[1], parts[2]),
            format!("{}.{}.", parts[0], parts[1]),
            "nonsense".to_owned(),
            String::new(),
        ] {
            assert!(!key.have_signed(&assertion), "{assertion}");
        }
    }

    #[test]
    fn an_assertion_may_be_for_several() {
        assert!(Audience::Several(vec!["a".to_owned(), "b".to_owned()]).is("b"));
        assert!(Audience::One("a".to_owned()).is("a") && !Audience::One("a".to_owned()).is("b"));
    }
}
