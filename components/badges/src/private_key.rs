//! Private keys: of Ed25519, and of RSA for verifiers that know RS256 alone.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer, SigningKey};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rsa::RsaPrivateKey;
use rsa::pkcs1v15;
use rsa::pkcs8::{DecodePrivateKey, EncodePrivateKey};
use rsa::signature::{RandomizedSigner, SignatureEncoding};
use rsa::traits::PublicKeyParts;
use sha2::{Digest, Sha256};
use shared::auth::secrets;
use shared::{Error, Result};

use crate::model::credential_form::Algorithm;

const RSA_BITS: usize = 2048;

/// A key that signs.
pub(crate) enum PrivateKey {
    Ed25519(Box<SigningKey>),
    Rsa(Box<RsaPrivateKey>),
}

impl PrivateKey {
    /// A new key. One of RSA takes seconds, since its primes are looked for.
    pub(crate) fn generate(algorithm: Algorithm) -> Result<Self> {
        match algorithm {
            Algorithm::EdDsa => Ok(Self::Ed25519(Box::new(SigningKey::from_bytes(&random())))),
            Algorithm::Rs256 => Self::generate_rsa(RSA_BITS),
        }
    }

    fn generate_rsa(bits: usize) -> Result<Self> {
        let key = RsaPrivateKey::new(&mut random_numbers(), bits).map_err(broken)?;
        Ok(Self::Rsa(Box::new(key)))
    }

    /// The key that [`PrivateKey::to_text`] wrote.
    pub(crate) fn from_text(algorithm: Algorithm, text: &str) -> Option<Self> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        match algorithm {
            Algorithm::EdDsa => Some(Self::Ed25519(Box::new(SigningKey::from_bytes(&bytes.try_into().ok()?)))),
            Algorithm::Rs256 => RsaPrivateKey::from_pkcs8_der(&bytes).ok().map(|key| Self::Rsa(Box::new(key))),
        }
    }

    /// The key as a text, which must be sealed: the seed of an Ed25519 key, PKCS #8 of an RSA key.
    pub(crate) fn to_text(&self) -> Result<String> {
        Ok(match self {
            Self::Ed25519(key) => BASE64_URL_SAFE_NO_PAD.encode(key.to_bytes()),
            Self::Rsa(key) => {
                let document = key.to_pkcs8_der().map_err(broken)?;
                BASE64_URL_SAFE_NO_PAD.encode(document.as_bytes())
            }
        })
    }

    pub(crate) fn algorithm(&self) -> Algorithm {
        match self {
            Self::Ed25519(_) => Algorithm::EdDsa,
            Self::Rsa(_) => Algorithm::Rs256,
        }
    }

    /// The public half, as a key of JSON has it: the point of Ed25519, the modulus of RSA.
    pub(crate) fn public(&self) -> String {
        match self {
            Self::Ed25519(key) => BASE64_URL_SAFE_NO_PAD.encode(key.verifying_key().as_bytes()),
            Self::Rsa(key) => BASE64_URL_SAFE_NO_PAD.encode(key.n().to_bytes_be()),
        }
    }

    /// The signature of the text. With an RSA key the computation is blinded, so that its time tells nothing of the key.
    pub(crate) fn sign(&self, text: &[u8]) -> Result<Vec<u8>> {
        match self {
            Self::Ed25519(key) => Ok(key.sign(text).to_bytes().to_vec()),
            Self::Rsa(key) => {
                let key = pkcs1v15::SigningKey::<Sha256>::new(RsaPrivateKey::clone(key));
                let signature = key.try_sign_with_rng(&mut random_numbers(), text).map_err(Error::internal)?;
                Ok(signature.to_vec())
            }
        }
    }
}

fn broken(error: impl std::fmt::Display) -> Error {
    Error::internal(std::io::Error::other(format!("an RSA key cannot be used: {error}")))
}

fn random() -> [u8; 32] {
    Sha256::digest(secrets::generate()).into()
}

fn random_numbers() -> ChaCha20Rng {
    ChaCha20Rng::from_seed(random())
}

#[cfg(test)]
mod tests {
    use rsa::signature::Verifier;

    use super::*;

    #[test]
    fn a_key_of_either_algorithm_signs_and_is_read_again() {
        // As small as a signature allows, because looking for primes takes long.
        let rsa = PrivateKey::generate_rsa(512).unwrap();
        for key in [PrivateKey::generate(Algorithm::EdDsa).unwrap(), rsa] {
            let again = PrivateKey::from_text(key.algorithm(), &key.to_text().unwrap()).unwrap();
            assert_eq!((again.algorithm(), again.public()), (key.algorithm(), key.public()));
            // Either signature is determined by the key and the text, however it is computed.
            assert_eq!(again.sign(b"text").unwrap(), key.sign(b"text").unwrap());
            assert_ne!(key.sign(b"text").unwrap(), key.sign(b"next").unwrap());
            assert!(PrivateKey::from_text(key.algorithm(), "AAAA").is_none());
        }
    }

    #[test]
    fn others_verify_what_rsa_has_signed() {
        let PrivateKey::Rsa(key) = PrivateKey::generate_rsa(512).unwrap() else { panic!("another key") };
        let public = pkcs1v15::VerifyingKey::<Sha256>::new(key.to_public_key());
        let signature = PrivateKey::Rsa(key).sign(b"text").unwrap();
        let signature = pkcs1v15::Signature::try_from(signature.as_slice()).unwrap();
        assert!(public.verify(b"text", &signature).is_ok());
        assert!(public.verify(b"next", &signature).is_err());
    }
}
