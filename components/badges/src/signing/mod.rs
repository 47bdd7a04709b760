//! Open Badges 3.0: awards as credentials that we sign, the keys to verify them, and the lists of those that were revoked.
//!
//! The key is made once and kept sealed. Where the seal cannot be opened any more, a new key signs, and the old one's public
//! half goes on to verify what it has signed.

use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer, SigningKey};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::StatusCode;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::auth::{seal, secrets};
use shared::error::OrNotFound;
use shared::{Context, Endpoint, Error, Reply, Result, get};

use crate::entity::EntityPath;
use crate::public::documents::{Version, Writer, set};
use crate::public::find_assertion;
use crate::store;
use crate::store::keys::KeyRow;
use crate::store::public::{PublicAssertion, PublicIssuer};

const CREDENTIAL: &str = "application/vc+jwt";
const SEALED_FOR: &str = "badge signing key";
const CONTEXTS: [&str; 2] =
    ["https://www.w3.org/ns/credentials/v2", "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"];
/// The bits of a status list: so many that one alone tells nobody which credential is asked for.
const LIST: i64 = 131_072;
/// How long a status list may be kept, in seconds.
const KEPT: i64 = 300;

pub(crate) fn endpoints() -> [Endpoint; 5] {
    [
        get("/public/assertions/:id/credential", credential).public().about("An award as a signed credential"),
        get("/public/issuers/:id/status/:list", status)
            .public()
            .about("The signed list of which credentials are revoked"),
        get("/public/keys/:id", key).public().about("A key that verifies credentials"),
        get("/.well-known/jwks.json", jwks).public().about("The keys that verify credentials"),
        get("/.well-known/did.json", did).public().about("The keys that verify credentials, as a DID document"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct ListPath {
    id: String,
    list: i64,
}

/// The key that signs, and the name by which it is found.
struct Signature {
    key: SigningKey,
    thumbprint: String,
}

impl Signature {
    /// The newest key; the first is made when it is needed.
    async fn own(cx: &Context) -> Result<Self> {
        if let Some(row) = store::keys::newest(&cx.db).await?
            && let Some(own) = Self::opened(cx, &row).await?
        {
            return Ok(own);
        }
        let own = Self::new(Sha256::digest(secrets::generate()).into());
        let sealed = seal::seal(SEALED_FOR, &own.seed()).await?;
        store::keys::insert(&cx.db, &own.thumbprint, &own.x(), &sealed, cx.now).await?;
        Ok(own)
    }

    fn new(seed: [u8; 32]) -> Self {
        let key = SigningKey::from_bytes(&seed);
        let thumbprint = thumbprint(&BASE64_URL_SAFE_NO_PAD.encode(key.verifying_key().as_bytes()));
        Self { key, thumbprint }
    }

    /// The key of a row. What an older secret has sealed is sealed anew; what nobody can open signs no more.
    async fn opened(cx: &Context, row: &KeyRow) -> Result<Option<Self>> {
        let Ok(seed) = seal::open(SEALED_FOR, &row.sealed_seed).await else { return Ok(None) };
        let seed = BASE64_URL_SAFE_NO_PAD.decode(seed.expose()).ok().and_then(|seed| seed.try_into().ok());
        let Some(own) = seed.map(Self::new) else { return Ok(None) };
        if !row.sealed_seed.starts_with(&seal::current_prefix(SEALED_FOR).await?) {
            let sealed = seal::seal(SEALED_FOR, &own.seed()).await?;
            store::keys::seal_anew(&cx.db, row.id, &sealed).await?;
        }
        Ok(Some(own))
    }

    fn seed(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.key.to_bytes())
    }

    fn x(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.key.verifying_key().as_bytes())
    }

    /// The claims as a JWT.
    fn sign(&self, base: &str, claims: &Value) -> String {
        let header = json!({ "alg": "EdDSA", "typ": "vc+jwt", "kid": kid(base, &self.thumbprint) });
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&header), part(claims));
        let signature = self.key.sign(text.as_bytes());
        format!("{text}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }
}

/// The address of the key, which is its name as well.
fn kid(base: &str, thumbprint: &str) -> String {
    format!("{base}/public/keys/{thumbprint}")
}

/// RFC 7638: the hash of the key's members in their order.
fn thumbprint(x: &str) -> String {
    secrets::hash(format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#))
}

fn jwk(base: &str, row: &KeyRow) -> Value {
    json!({
        "kty": "OKP", "crv": "Ed25519", "x": row.public_key, "alg": "EdDSA", "use": "sig",
        "kid": kid(base, &row.thumbprint),
    })
}

async fn credential(cx: Context, at: EntityPath) -> Result<Reply> {
    let assertion = find_assertion(&cx, &at.id).await?;
    if assertion.revoked_at.is_some() {
        let body = shared::badges_error("the award was revoked", serde_json::Map::new(), Vec::new());
        return Err(Error::own(StatusCode::GONE, body));
    }
    let base = cx.base_url().await?;
    let signed = Signature::own(&cx).await?.sign(&base, &claims(&base, &assertion));
    Ok(answer(signed))
}

fn answer(signed: String) -> Reply {
    Reply::bytes(CREDENTIAL, signed).header(ACCESS_CONTROL_ALLOW_ORIGIN, "*")
}

/// The credential itself, with the claims that a JWT has beside it.
fn claims(base: &str, assertion: &PublicAssertion) -> Value {
    let (class, recipient) = (&assertion.class.0, &assertion.recipient.0);
    let writer = Writer { base, version: Version::Two };
    let id = writer.assertion_address(&assertion.entity_id);
    let class_id = writer.class_address(&class.entity_id);
    let issuer = profile(&writer, &class.issuer.0);
    let mut criteria = json!({});
    set(&mut criteria, "id", class.criteria_url.as_ref());
    set(&mut criteria, "narrative", class.criteria_narrative.as_ref());
    let mut image = json!({ "id": format!("{class_id}/image"), "type": "Image" });
    set(&mut image, "caption", class.image_alt_text.as_ref());
    let mut achievement = json!({
        "id": class_id,
        "type": ["Achievement"],
        "name": class.name,
        "description": class.description,
        "criteria": criteria,
        "image": image,
        "creator": issuer,
    });
    set(&mut achievement, "achievementType", class.achievement_type.as_ref());
    let tags = Some(&class.tags.0).filter(|tags| !tags.is_empty());
    set(&mut achievement, "tag", tags);
    let alignments: Vec<_> = class
        .alignments
        .0
        .iter()
        .map(|alignment| {
            let mut shown = json!(alignment);
            set(&mut shown, "type", Some(["Alignment"]));
            shown
        })
        .collect();
    set(&mut achievement, "alignment", Some(alignments).filter(|list| !list.is_empty()));
    let kind = match recipient.r#type.as_str() {
        "email" => "emailAddress",
        "telephone" => "ext:telephone",
        _ => "identifier",
    };
    let mut identity = json!({
        "type": "IdentityObject",
        "hashed": recipient.hashed,
        "identityHash": recipient.public_identity(),
        "identityType": kind,
    });
    set(&mut identity, "salt", recipient.hashed.then_some(&recipient.salt));
    let mut subject = json!({ "type": ["AchievementSubject"], "identifier": [identity], "achievement": achievement });
    set(&mut subject, "narrative", assertion.narrative.as_ref());
    let list = status_list(base, &class.issuer.0.entity_id, assertion.status_index.div_euclid(LIST));
    let mut claims = json!({
        "@context": CONTEXTS,
        "id": id,
        "type": ["VerifiableCredential", "OpenBadgeCredential"],
        "issuer": issuer,
        "validFrom": assertion.issued_on,
        "name": class.name,
        "credentialSubject": subject,
        "credentialStatus": {
            "id": format!("{list}#{}", assertion.status_index.rem_euclid(LIST)),
            "type": "BitstringStatusListEntry",
            "statusPurpose": "revocation",
            "statusListIndex": assertion.status_index.rem_euclid(LIST).to_string(),
            "statusListCredential": list,
        },
        "iss": writer.issuer_address(&class.issuer.0.entity_id),
        "jti": id,
        "nbf": assertion.issued_on.unix(),
    });
    let evidence: Vec<_> = assertion
        .evidence
        .0
        .iter()
        .map(|evidence| {
            let mut shown = json!({ "type": ["Evidence"] });
            set(&mut shown, "id", evidence.url.as_ref().filter(|url| !url.is_empty()));
            for (name, value) in [
                ("narrative", &evidence.narrative),
                ("name", &evidence.name),
                ("description", &evidence.description),
                ("genre", &evidence.genre),
                ("audience", &evidence.audience),
            ] {
                set(&mut shown, name, value.as_ref());
            }
            shown
        })
        .collect();
    set(&mut claims, "evidence", Some(evidence).filter(|list| !list.is_empty()));
    set(&mut claims, "validUntil", assertion.expires);
    set(&mut claims, "exp", assertion.expires.map(shared::Timestamp::unix));
    if !recipient.hashed && recipient.r#type != "email" && recipient.r#type != "telephone" {
        set(&mut claims, "sub", Some(&recipient.identity));
    }
    claims
}

fn profile(writer: &Writer<'_>, issuer: &PublicIssuer) -> Value {
    let id = writer.issuer_address(&issuer.entity_id);
    let mut profile = json!({
        "id": id, "type": ["Profile"], "name": issuer.name, "url": issuer.url, "email": issuer.email,
    });
    set(&mut profile, "description", Some(&issuer.description).filter(|text| !text.is_empty()));
    let image = issuer.image.as_ref().map(|_| json!({ "id": format!("{id}/image"), "type": "Image" }));
    set(&mut profile, "image", image);
    profile
}

fn status_list(base: &str, issuer: &str, list: i64) -> String {
    format!("{base}/public/issuers/{issuer}/status/{list}")
}

/// A bit says that a credential is not good: that of an award that was revoked, or that is gone.
async fn status(cx: Context, at: ListPath) -> Result<Reply> {
    let issuer = store::public::issuer(&cx.db, &at.id).await?.or_not_found()?;
    let first = at.list.checked_mul(LIST).filter(|first| *first >= 0).or_not_found()?;
    if at.list > 0 && first >= issuer.next_status_index {
        return Err(Error::not_found());
    }
    let last = first.saturating_add(LIST);
    let good = store::public::good_places(&cx.db, issuer.id, first, last).await?;
    let used = issuer.next_status_index.min(last).saturating_sub(first);
    let good: Vec<_> = good.into_iter().map(|place| place.saturating_sub(first)).collect();
    let encoded = bits(used, &good).map_err(Error::internal)?;
    let base = cx.base_url().await?;
    let id = status_list(&base, &issuer.entity_id, at.list);
    let claims = json!({
        "@context": [CONTEXTS[0]],
        "id": id,
        "type": ["VerifiableCredential", "BitstringStatusListCredential"],
        "issuer": profile(&Writer { base: &base, version: Version::Two }, &issuer),
        "validFrom": cx.now,
        "credentialSubject": {
            "id": format!("{id}#list"),
            "type": "BitstringStatusList",
            "statusPurpose": "revocation",
            "encodedList": encoded,
            "ttl": KEPT * 1000,
        },
        "iss": format!("{base}/public/issuers/{}", issuer.entity_id),
        "jti": id,
        "nbf": cx.now.unix(),
    });
    let signed = Signature::own(&cx).await?.sign(&base, &claims);
    Ok(answer(signed).header(CACHE_CONTROL, &format!("public, max-age={KEPT}")))
}

/// The list as a compressed string of bits, of which the first is the highest of the first byte.
fn bits(used: i64, good: &[i64]) -> std::io::Result<String> {
    let place = |index: i64| {
        let byte = usize::try_from(index.div_euclid(8)).ok()?;
        let shift = u32::try_from(index.rem_euclid(8)).ok()?;
        Some((byte, 0x80_u8.checked_shr(shift)?))
    };
    let mut bytes = vec![0_u8; usize::try_from(LIST / 8).unwrap_or_default()];
    for (byte, bit) in (0..used).filter_map(place) {
        if let Some(byte) = bytes.get_mut(byte) {
            *byte |= bit;
        }
    }
    for (byte, bit) in good.iter().copied().filter_map(place) {
        if let Some(byte) = bytes.get_mut(byte) {
            *byte &= !bit;
        }
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes)?;
    Ok(format!("u{}", BASE64_URL_SAFE_NO_PAD.encode(encoder.finish()?)))
}

fn public_json(content_type: &str, body: &Value) -> Reply {
    Reply::bytes(content_type, body.to_string())
        .header(CONTENT_TYPE, content_type)
        .header(CACHE_CONTROL, "public, max-age=300")
        .header(ACCESS_CONTROL_ALLOW_ORIGIN, "*")
}

/// All keys; the first is made when somebody asks for it.
async fn keys(cx: &Context) -> Result<Vec<KeyRow>> {
    Signature::own(cx).await?;
    Ok(store::keys::all(&cx.db).await?)
}

async fn jwks(cx: Context) -> Result<Reply> {
    let base = cx.base_url().await?;
    let keys: Vec<_> = keys(&cx).await?.iter().map(|row| jwk(&base, row)).collect();
    Ok(public_json("application/jwk-set+json", &json!({ "keys": keys })))
}

async fn key(cx: Context, at: EntityPath) -> Result<Reply> {
    let base = cx.base_url().await?;
    let keys = store::keys::all(&cx.db).await?;
    let row = keys.iter().find(|row| row.thumbprint == at.id).or_not_found()?;
    Ok(public_json("application/jwk+json", &jwk(&base, row)))
}

async fn did(cx: Context) -> Result<Reply> {
    let base = cx.base_url().await?;
    let host = base.split_once("://").map_or(base.as_str(), |(_, host)| host);
    let did = format!("did:web:{}", host.replace(':', "%3A").replace('/', ":"));
    let keys = keys(&cx).await?;
    let id = |row: &KeyRow| format!("{did}#{}", row.thumbprint);
    let methods: Vec<_> = keys
        .iter()
        .map(|row| {
            json!({ "id": id(row), "type": "JsonWebKey2020", "controller": did, "publicKeyJwk": jwk(&base, row) })
        })
        .collect();
    let names: Vec<_> = keys.iter().map(id).collect();
    Ok(public_json(
        "application/did+json",
        &json!({
            "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
            "id": did,
            "verificationMethod": methods,
            "assertionMethod": names,
        }),
    ))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_thumbprint_is_that_of_the_specification() {
        // RFC 8037, A.3.
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        assert_eq!(thumbprint(x), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }

    #[test]
    fn a_bit_is_set_for_what_is_not_good() {
        let encoded = bits(10, &[0, 3, 9]).unwrap();
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(encoded.strip_prefix('u').unwrap()).unwrap();
        let mut list = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut list).unwrap();
        assert_eq!(list.len(), 16_384);
        assert_eq!(list[..3], [0b0110_1111, 0b1000_0000, 0]);
    }
}
