//! Open Badges 3.0: awards as credentials that we sign, the keys to verify them, and the lists of those that were revoked.
//!
//! Each tenant signs with keys of its own, one for each algorithm, which are made once and kept sealed. Where the seal cannot be opened any more, a
//! new key signs, and the old one's public half goes on to verify what it has signed.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
use serde_json::{Value, json};
use shared::auth::encryption;
use shared::background;
use shared::ids::AccountId;
use shared::{Context, Db, Error, Reply, Result, Timestamp};

use crate::model::credential_form::{Algorithm, CredentialForm, Naming};
use crate::model::documents::set;
use crate::model::public::PublicIssuer;
use crate::private_key::PrivateKey;
use crate::store;
use crate::store::keys::{KeyRow, NewKey};

const CREDENTIAL: &str = "application/vc+jwt";
const SEALED_FOR: &str = "badge signing key";
pub(crate) const CONTEXTS: [&str; 2] =
    ["https://www.w3.org/ns/credentials/v2", "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"];
/// The bits of a status list: so many that one alone tells nobody which credential is asked for.
pub(crate) const LIST: i64 = 131_072;
/// The number of times that somebody else may replace the key while we look for it.
const TRIES: usize = 3;

/// The key that signs, and the name by which it is found.
pub(crate) struct Signature {
    key: PrivateKey,
    pub(crate) thumbprint: String,
}

impl Signature {
    /// The tenant's key of that algorithm. The first of Ed25519 is made with the tenant's first issuer, one of RSA when
    /// somebody asks for it; where it is lacking, or its seal cannot be opened, it is made when it is needed. Of several who
    /// need it at once all get the same.
    pub(crate) async fn of_tenant(cx: &Context, tenant: AccountId, algorithm: Algorithm) -> Result<Self> {
        let current = store::keys::current(&cx.db, tenant, algorithm).await?;
        Self::of_known(cx, tenant, algorithm, current).await
    }

    /// The same where the row of the key was looked up already.
    pub(crate) async fn of_known(
        cx: &Context,
        tenant: AccountId,
        algorithm: Algorithm,
        mut current: Option<KeyRow>,
    ) -> Result<Self> {
        for _ in 0..TRIES {
            if let Some(row) = &current
                && let Some(own) = Self::opened(row).await?
            {
                return Ok(own);
            }
            let own = Self::generate(algorithm)?;
            let replaced = current.map(|row| row.id);
            if own.replace(&cx.db, tenant, replaced, cx.now).await? {
                return Ok(own);
            }
            current = store::keys::current(&cx.db, tenant, algorithm).await?;
        }
        Err(Error::internal(std::io::Error::other("the signing key of a tenant is replaced again and again")))
    }

    pub(crate) fn generate(algorithm: Algorithm) -> Result<Self> {
        PrivateKey::generate(algorithm).map(Self::new)
    }

    fn new(key: PrivateKey) -> Self {
        let thumbprint = key.algorithm().thumbprint(&key.public());
        Self { key, thumbprint }
    }

    /// The key of a row; `None` where nobody can open its seal any more.
    async fn opened(row: &KeyRow) -> Result<Option<Self>> {
        let Some(text) = encryption::open_if_known(SEALED_FOR, &row.sealed_seed).await? else {
            background::log_failure(&Error::internal(encryption::Lost(SEALED_FOR.to_owned())));
            return Ok(None);
        };
        Ok(PrivateKey::from_text(row.algorithm, text.expose()).map(Self::new))
    }

    /// Lets this key sign from now on, in the place of `before`; false where that is not the tenant's key any more.
    pub(crate) async fn replace(
        &self,
        db: &Db,
        tenant: AccountId,
        before: Option<i64>,
        now: Timestamp,
    ) -> Result<bool> {
        let algorithm = self.key.algorithm();
        let sealed_seed = encryption::seal(SEALED_FOR, &self.key.to_text()?).await?;
        let public_key = self.key.public();
        let new =
            NewKey { algorithm, thumbprint: &self.thumbprint, public_key: &public_key, sealed_seed: &sealed_seed };
        db.transaction(async |db| {
            if store::keys::current(db, tenant, algorithm).await?.map(|row| row.id) != before {
                return Ok(false);
            }
            store::keys::retire(db, tenant, algorithm, now).await?;
            store::keys::insert(db, tenant, &new, now).await?;
            Ok(true)
        })
        .await
    }

    /// The claims of the issuer of that entity id as a JWT.
    pub(crate) fn sign(&self, base: &str, issuer: &str, naming: Naming, claims: &Value) -> Result<String> {
        let algorithm = self.key.algorithm();
        let kid = CredentialForm { algorithm, naming }.key_name(base, issuer, &self.thumbprint);
        let header = json!({ "alg": algorithm, "typ": algorithm.token_type(), "kid": kid });
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&header), part(claims));
        let signature = self.key.sign(text.as_bytes())?;
        Ok(format!("{text}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// Sees to it that the tenant has a key that signs, so that whoever reads what is signed writes nothing.
pub(crate) async fn have_key(cx: &Context, tenant: AccountId) -> Result<()> {
    Signature::of_tenant(cx, tenant, Algorithm::EdDsa).await.map(drop)
}

/// Seals with the current secret what an older one has sealed, so that the older one can be taken away.
pub(crate) async fn seal_anew(cx: &Context) -> Result<()> {
    let current = encryption::current_prefix(SEALED_FOR).await?;
    for row in store::keys::sealed_otherwise(&cx.db, &current).await? {
        if let Some(key) = Signature::opened(&row).await? {
            let sealed = encryption::seal(SEALED_FOR, &key.key.to_text()?).await?;
            store::keys::seal_anew(&cx.db, row.id, &row.sealed_seed, &sealed).await?;
        }
    }
    Ok(())
}

pub(crate) fn answer(signed: String) -> Reply {
    Reply::bytes(CREDENTIAL, signed).header(ACCESS_CONTROL_ALLOW_ORIGIN, "*")
}

pub(crate) fn profile(base: &str, issuer: &PublicIssuer, form: CredentialForm) -> Value {
    let mut profile = json!({
        "id": form.issuer(base, &issuer.entity_id), "type": ["Profile"], "name": issuer.name, "url": issuer.url, "email": issuer.email,
    });
    set(&mut profile, "description", Some(&issuer.description).filter(|text| !text.is_empty()));
    let image = issuer
        .image
        .as_ref()
        .map(|_| json!({ "id": format!("{base}/public/issuers/{}/image", issuer.entity_id), "type": "Image" }));
    set(&mut profile, "image", image);
    profile
}

/// The address of a status list, in the form of the credentials that refer to it.
pub(crate) fn status_list(base: &str, issuer: &str, list: i64, form: CredentialForm) -> String {
    format!("{base}/public/issuers/{issuer}/status/{list}{}", form.query())
}
