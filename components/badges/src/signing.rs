//! Open Badges 3.0: awards as credentials that we sign, the keys to verify them, and the lists of those that were revoked.
//!
//! Each tenant signs with a key of its own, which is made once and kept sealed. Where the seal cannot be opened any more, a
//! new key signs, and the old one's public half goes on to verify what it has signed.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer, SigningKey};
use http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::auth::{encryption, secrets};
use shared::ids::AccountId;
use shared::{Context, Db, Error, Reply, Result, Timestamp};

use crate::model::documents::{Writer, set};
use crate::model::public::PublicIssuer;
use crate::store;
use crate::store::keys::KeyRow;

const CREDENTIAL: &str = "application/vc+jwt";
const SEALED_FOR: &str = "badge signing key";
pub(crate) const CONTEXTS: [&str; 2] =
    ["https://www.w3.org/ns/credentials/v2", "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"];
/// The number of times that somebody else may replace the key while we look for it.
const TRIES: usize = 3;

/// The key that signs, and the name by which it is found.
pub(crate) struct Signature {
    key: SigningKey,
    pub(crate) thumbprint: String,
}

impl Signature {
    /// The key of the tenant. The first is made with the tenant's first issuer; where it is lacking, or its seal cannot be
    /// opened, it is made when it is needed. Of several who need it at once all get the same.
    pub(crate) async fn of_tenant(cx: &Context, tenant: AccountId) -> Result<Self> {
        for _ in 0..TRIES {
            let current = store::keys::current(&cx.db, tenant).await?;
            if let Some(row) = &current
                && let Some(own) = Self::opened(row).await?
            {
                return Ok(own);
            }
            let own = Self::generate();
            let replaced = current.map(|row| row.id);
            if own.replace(&cx.db, tenant, replaced, cx.now).await? {
                return Ok(own);
            }
        }
        Err(Error::internal(std::io::Error::other("the signing key of a tenant is replaced again and again")))
    }

    pub(crate) fn generate() -> Self {
        Self::new(Sha256::digest(secrets::generate()).into())
    }

    fn new(seed: [u8; 32]) -> Self {
        let key = SigningKey::from_bytes(&seed);
        let thumbprint = thumbprint(&BASE64_URL_SAFE_NO_PAD.encode(key.verifying_key().as_bytes()));
        Self { key, thumbprint }
    }

    /// The key of a row; `None` where nobody can open its seal any more.
    async fn opened(row: &KeyRow) -> Result<Option<Self>> {
        let Ok(seed) = encryption::open(SEALED_FOR, &row.sealed_seed).await else { return Ok(None) };
        let seed = BASE64_URL_SAFE_NO_PAD.decode(seed.expose()).ok().and_then(|seed| seed.try_into().ok());
        Ok(seed.map(Self::new))
    }

    /// Lets this key sign from now on, in the place of `before`; false where that is not the tenant's key any more.
    pub(crate) async fn replace(
        &self,
        db: &Db,
        tenant: AccountId,
        before: Option<i64>,
        now: Timestamp,
    ) -> Result<bool> {
        let sealed = encryption::seal(SEALED_FOR, &self.seed()).await?;
        db.transaction(async |db| {
            if store::keys::current(db, tenant).await?.map(|row| row.id) != before {
                return Ok(false);
            }
            store::keys::retire(db, tenant, now).await?;
            store::keys::insert(db, tenant, &self.thumbprint, &self.x(), &sealed, now).await?;
            Ok(true)
        })
        .await
    }

    fn seed(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.key.to_bytes())
    }

    fn x(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.key.verifying_key().as_bytes())
    }

    /// The claims as a JWT.
    pub(crate) fn sign(&self, base: &str, claims: &Value) -> String {
        let header = json!({ "alg": "EdDSA", "typ": "vc+jwt", "kid": kid(base, &self.thumbprint) });
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&header), part(claims));
        let signature = self.key.sign(text.as_bytes());
        format!("{text}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }
}

/// Sees to it that the tenant has a key that signs, so that whoever reads what is signed writes nothing.
pub(crate) async fn have_key(cx: &Context, tenant: AccountId) -> Result<()> {
    Signature::of_tenant(cx, tenant).await.map(drop)
}

/// Seals with the current secret what an older one has sealed, so that the older one can be taken away.
pub(crate) async fn seal_anew(cx: &Context) -> Result<()> {
    let current = encryption::current_prefix(SEALED_FOR).await?;
    for row in store::keys::sealed_otherwise(&cx.db, &current).await? {
        if let Some(key) = Signature::opened(&row).await? {
            let sealed = encryption::seal(SEALED_FOR, &key.seed()).await?;
            store::keys::seal_anew(&cx.db, row.id, &row.sealed_seed, &sealed).await?;
        }
    }
    Ok(())
}

/// The address of the key, which is its name as well.
pub(crate) fn kid(base: &str, thumbprint: &str) -> String {
    format!("{base}/public/keys/{thumbprint}")
}

/// RFC 7638: the hash of the key's members in their order.
fn thumbprint(x: &str) -> String {
    secrets::hash(format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#))
}

pub(crate) fn answer(signed: String) -> Reply {
    Reply::bytes(CREDENTIAL, signed).header(ACCESS_CONTROL_ALLOW_ORIGIN, "*")
}

pub(crate) fn profile(writer: &Writer<'_>, issuer: &PublicIssuer) -> Value {
    let id = writer.issuer_address(&issuer.entity_id);
    let mut profile = json!({
        "id": id, "type": ["Profile"], "name": issuer.name, "url": issuer.url, "email": issuer.email,
    });
    set(&mut profile, "description", Some(&issuer.description).filter(|text| !text.is_empty()));
    let image = issuer.image.as_ref().map(|_| json!({ "id": format!("{id}/image"), "type": "Image" }));
    set(&mut profile, "image", image);
    profile
}

pub(crate) fn status_list(base: &str, issuer: &str, list: i64) -> String {
    format!("{base}/public/issuers/{issuer}/status/{list}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thumbprint_is_that_of_the_specification() {
        // RFC 8037, A.3.
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        assert_eq!(thumbprint(x), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }
}
