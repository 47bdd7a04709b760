//! The forms in which a credential is signed: by which algorithm, and under which names of the issuer and the key.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::auth::secrets;
use shared::db::{Bind, Value as Bound};
use shared::{Error, JsonSchema, Result};

use crate::model::did;

/// The exponent of all our RSA keys, 65,537, as a key of JSON has it.
const RSA_EXPONENT: &str = "AQAB";

/// The algorithm of a signature, as JOSE calls it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Algorithm {
    #[default]
    #[serde(rename = "EdDSA")]
    EdDsa,
    #[serde(rename = "RS256")]
    Rs256,
}

/// How issuer and key are named: by addresses of the web, or by the issuer's DID.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Naming {
    #[default]
    Address,
    Did,
}

/// A form of a credential.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CredentialForm {
    pub(crate) algorithm: Algorithm,
    pub(crate) naming: Naming,
}

impl Algorithm {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
        }
    }

    /// The algorithm of that name, which is `EdDSA` where none is given.
    pub(crate) fn named(field: &str, name: Option<&str>) -> Result<Self> {
        match name {
            None | Some("" | "EdDSA") => Ok(Self::EdDsa),
            Some("RS256") => Ok(Self::Rs256),
            Some(_) => Err(Error::invalid(field, "inclusion", "Must be EdDSA or RS256.")),
        }
    }

    /// The type of a token. The JWT profile of Open Badges, which knows RS256 alone, wants another one than the
    /// specification of credentials as JWTs.
    pub(crate) fn token_type(self) -> &'static str {
        match self {
            Self::EdDsa => "vc+jwt",
            Self::Rs256 => "JWT",
        }
    }

    /// The members of a public key that say what it is.
    pub(crate) fn key_members(self, public: &str) -> Value {
        match self {
            Self::EdDsa => json!({ "crv": "Ed25519", "kty": "OKP", "x": public }),
            Self::Rs256 => json!({ "e": RSA_EXPONENT, "kty": "RSA", "n": public }),
        }
    }

    /// RFC 7638: the hash of these members in the order of their names.
    pub(crate) fn thumbprint(self, public: &str) -> String {
        secrets::hash(match self {
            Self::EdDsa => format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{public}"}}"#),
            Self::Rs256 => format!(r#"{{"e":"{RSA_EXPONENT}","kty":"RSA","n":"{public}"}}"#),
        })
    }
}

impl Bind for Algorithm {
    fn value(self) -> Bound {
        Bound::Text(self.as_str().to_owned())
    }
}

impl CredentialForm {
    /// The name of the form, under which a signed list is kept.
    pub(crate) fn name(self) -> &'static str {
        match (self.algorithm, self.naming) {
            (Algorithm::EdDsa, Naming::Address) => "EdDSA",
            (Algorithm::EdDsa, Naming::Did) => "EdDSA did",
            (Algorithm::Rs256, Naming::Address) => "RS256",
            (Algorithm::Rs256, Naming::Did) => "RS256 did",
        }
    }

    /// The query by which a credential is asked for in this form; empty for the form that is answered without one.
    pub(crate) fn query(self) -> &'static str {
        match (self.algorithm, self.naming) {
            (Algorithm::EdDsa, Naming::Address) => "",
            (Algorithm::EdDsa, Naming::Did) => "?iss=did",
            (Algorithm::Rs256, Naming::Address) => "?alg=RS256",
            (Algorithm::Rs256, Naming::Did) => "?alg=RS256&iss=did",
        }
    }

    /// The name of the issuer of that entity id.
    pub(crate) fn issuer(self, base: &str, entity_id: &str) -> String {
        match self.naming {
            Naming::Address => format!("{base}/public/issuers/{entity_id}"),
            Naming::Did => did::issuer(base, entity_id),
        }
    }

    /// The name of the key of that thumbprint, by which a verifier finds it.
    pub(crate) fn key_name(self, base: &str, issuer: &str, thumbprint: &str) -> String {
        match self.naming {
            Naming::Address => key_address(base, thumbprint),
            Naming::Did => did::key(&did::issuer(base, issuer), thumbprint),
        }
    }
}

/// The address of a key.
pub(crate) fn key_address(base: &str, thumbprint: &str) -> String {
    format!("{base}/public/keys/{thumbprint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thumbprint_is_that_of_the_specification() {
        // RFC 8037, A.3.
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        assert_eq!(Algorithm::EdDsa.thumbprint(x), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        // RFC 7638, 3.1.
        let n = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiF\
                 V4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9\
                 c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1\
                 jF44-csFCur-kEgU8awapJzKnqDKgw";
        assert_eq!(Algorithm::Rs256.thumbprint(n), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
    }
}
