//! The keys that verify credentials: all of them, those of a tenant, and how administrators replace theirs.

use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use serde::Serialize;
use serde_json::{Value, json};
use shared::auth;
use shared::error::OrNotFound;
use shared::ids::Named;
use shared::throttle::{self, Limit, Turn};
use shared::{Context, Created, Error, JsonSchema, NoContent, Path, Reply, Result, endpoint, endpoints};

use crate::model::entity::{Answer, EntityPath, Moment, lasting_base};
use crate::signing::{Signature, kid};
use crate::store;
use crate::store::keys::KeyRow;

/// How often a tenant replaces its key.
const REPLACEMENTS: Limit = Limit { most: 10, seconds: 24 * 3600 };

endpoints![
    get_public_key,
    get_key_set,
    get_did_document,
    get_jwks_json,
    get_did_json,
    list_signing_keys,
    create_signing_key,
    delete_signing_key
];

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Key {
    entity_type: &'static str,
    /// The thumbprint (RFC 7638).
    entity_id: String,
    /// Its address, which signatures name.
    kid: String,
    created_at: Moment,
    /// Since when another signs in its place.
    retired_at: Option<Moment>,
    /// Since when it is published no more.
    withdrawn_at: Option<Moment>,
}

impl Key {
    fn of(base: &str, row: KeyRow) -> Self {
        Self {
            entity_type: "SigningKey",
            kid: kid(base, &row.thumbprint),
            entity_id: row.thumbprint,
            created_at: Moment(row.created_at),
            retired_at: row.retired_at.map(Moment),
            withdrawn_at: row.withdrawn_at.map(Moment),
        }
    }
}

/// Refuses who does not administer the whole tenant.
async fn require_administrator(cx: &Context) -> Result<()> {
    let caller = cx.caller()?;
    auth::account(&cx.db, caller, &Named::Id(caller.root_account)).await?.must_administer()
}

/// Lists the keys by which credentials of the caller's account are signed.
#[endpoint(GET "/v2/signing_keys", foreigners(200, "lists those of the caller's own account"))]
async fn list_signing_keys(cx: Context) -> Result<Reply<Answer<Key>>> {
    require_administrator(&cx).await?;
    let base = lasting_base(&cx).await?;
    let keys = store::keys::of_tenant(&cx.db, cx.caller()?.root_account).await?;
    Ok(Reply::ok(Answer::of(&cx, keys.into_iter().map(|row| Key::of(&base, row)).collect())))
}

/// Lets a new key sign; the one before it still verifies.
#[endpoint(POST "/v2/signing_keys", foreigners(201, "replaces that of the caller's own account"))]
async fn create_signing_key(cx: Context) -> Result<Created<Answer<Key>>> {
    require_administrator(&cx).await?;
    let tenant = cx.caller()?.root_account;
    let turn = throttle::take(&cx.db, &format!("badge-keys/{tenant}"), REPLACEMENTS, cx.now).await?;
    if let Turn::Wait { seconds } = turn {
        return Err(Error::throttled(seconds));
    }
    let new = Signature::generate();
    let before = store::keys::current(&cx.db, tenant).await?.map(|row| row.id);
    if !new.replace(&cx.db, tenant, before, cx.now).await? {
        return Err(Error::conflict("Somebody else has just replaced the key."));
    }
    let row = store::keys::find(&cx.db, &new.thumbprint).await?.or_not_found()?;
    Ok(Answer::created(&cx, Key::of(&lasting_base(&cx).await?, row)))
}

/// Takes a key back: what it has signed verifies no more.
#[endpoint(DELETE "/v2/signing_keys/:id")]
async fn delete_signing_key(cx: Context, Path(at): Path<EntityPath>) -> Result<NoContent> {
    require_administrator(&cx).await?;
    let caller = cx.caller()?;
    match store::keys::withdraw(&cx.db, caller.root_account, caller.site_admin, &at.id, cx.now).await? {
        true => Ok(Reply::no_content()),
        false => Err(Error::not_found()),
    }
}

fn public_json(content_type: &str, body: &Value) -> Reply {
    Reply::bytes(content_type, body.to_string())
        .header(CONTENT_TYPE, content_type)
        .header(CACHE_CONTROL, "public, max-age=300")
        .header(ACCESS_CONTROL_ALLOW_ORIGIN, "*")
}

fn jwk(base: &str, row: &KeyRow) -> Value {
    json!({
        "kty": "OKP", "crv": "Ed25519", "x": row.public_key, "alg": "EdDSA", "use": "sig",
        "kid": kid(base, &row.thumbprint),
    })
}

fn key_set(base: &str, keys: &[KeyRow]) -> Reply {
    let keys: Vec<_> = keys.iter().map(|row| jwk(base, row)).collect();
    public_json("application/jwk-set+json", &json!({ "keys": keys }))
}

/// The DID of the installation, or of one account.
fn did_of(base: &str, account: Option<&str>) -> String {
    let host = base.split_once("://").map_or(base, |(_, host)| host);
    let own = format!("did:web:{}", host.replace(':', "%3A").replace('/', ":"));
    account.map_or(own.clone(), |account| format!("{own}:public:accounts:{account}"))
}

/// A document of that subject. A key belongs to its account, also where all are listed: nobody else signs with it.
fn did_document(base: &str, subject: &str, keys: &[KeyRow]) -> Reply {
    let id = |row: &KeyRow| format!("{subject}#{}", row.thumbprint);
    let methods: Vec<_> = keys
        .iter()
        .map(|row| {
            let controller = did_of(base, row.account.as_deref());
            json!({ "id": id(row), "type": "JsonWebKey2020", "controller": controller, "publicKeyJwk": jwk(base, row) })
        })
        .collect();
    let names: Vec<_> = keys.iter().map(id).collect();
    public_json(
        "application/did+json",
        &json!({
            "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
            "id": subject,
            "verificationMethod": methods,
            "assertionMethod": names,
        }),
    )
}

/// A key that verifies credentials.
#[endpoint(
    GET "/public/keys/:id",
    public,
    nobody(404, "keys are public; there is none of that name"),
)]
async fn get_public_key(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let row = store::keys::find(&cx.db, &at.id).await?.or_not_found()?;
    Ok(public_json("application/jwk+json", &jwk(&lasting_base(&cx).await?, &row)))
}

/// The keys that verify credentials.
#[endpoint(
    GET "/.well-known/jwks.json",
    public,
    nobody(200, "keys are public"),
)]
async fn get_key_set(cx: Context) -> Result<Reply> {
    Ok(key_set(&lasting_base(&cx).await?, &store::keys::published(&cx.db).await?))
}

/// The keys that verify credentials, as a DID document.
#[endpoint(
    GET "/.well-known/did.json",
    public,
    nobody(200, "keys are public"),
)]
async fn get_did_document(cx: Context) -> Result<Reply> {
    let base = lasting_base(&cx).await?;
    Ok(did_document(&base, &did_of(&base, None), &store::keys::published(&cx.db).await?))
}

/// The keys of an account, which is known by its uuid; 404 where none was ever needed.
async fn keys_of(cx: &Context, account: &str) -> Result<Vec<KeyRow>> {
    let keys = store::keys::published_of(&cx.db, account).await?;
    let is_known = keys.iter().any(|row| row.account.is_some());
    Some(keys).filter(|_| is_known).or_not_found()
}

/// The keys that verify credentials of the issuers of an account.
#[endpoint(
    GET "/public/accounts/:id/jwks.json",
    public,
    nobody(404, "keys are public; there is no such account"),
)]
async fn get_jwks_json(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    Ok(key_set(&lasting_base(&cx).await?, &keys_of(&cx, &at.id).await?))
}

/// The keys that verify credentials of the issuers of an account, as a DID document.
#[endpoint(
    GET "/public/accounts/:id/did.json",
    public,
    nobody(404, "keys are public; there is no such account"),
)]
async fn get_did_json(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let (base, keys) = (lasting_base(&cx).await?, keys_of(&cx, &at.id).await?);
    Ok(did_document(&base, &did_of(&base, Some(&at.id)), &keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_did_leads_to_its_document() {
        assert_eq!(did_of("https://a.test", None), "did:web:a.test");
        assert_eq!(did_of("http://127.0.0.1:80/b", Some("u")), "did:web:127.0.0.1%3A80:b:public:accounts:u");
    }
}
