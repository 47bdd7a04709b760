//! DID documents.

use serde_json::{Value, json};
use shared::{Context, Path, Reply, Result, endpoint, endpoints};

use crate::model::did;
use crate::model::documents::set;
use crate::model::entity::{EntityPath, lasting_base};
use crate::routes::public::find_issuer;
use crate::routes::signing_keys::{jwk, keys_of, public_json};
use crate::store;
use crate::store::keys::KeyRow;

endpoints![get_did_document, get_did_json, get_issuer_did_json];

/// A document of that subject, in which each key has a controller.
fn did_document(base: &str, subject: &str, keys: &[KeyRow], controller: impl Fn(&KeyRow) -> String) -> Value {
    let id = |row: &KeyRow| did::key(subject, &row.thumbprint);
    let method = |row: &KeyRow| json!({ "id": id(row), "type": "JsonWebKey2020", "controller": controller(row), "publicKeyJwk": jwk(base, row) });
    json!({
        "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
        "id": subject,
        "verificationMethod": keys.iter().map(method).collect::<Vec<_>>(),
        "assertionMethod": keys.iter().map(id).collect::<Vec<_>>(),
    })
}

/// The DID of the account to which a key belongs, also where the keys of all are listed: nobody else signs with it.
fn account_of(base: &str, row: &KeyRow) -> String {
    row.account.as_deref().map_or_else(|| did::installation(base), |account| did::account(base, account))
}

fn answer(document: &Value) -> Reply {
    public_json("application/did+json", document)
}

/// The keys that verify credentials, as a DID document.
#[endpoint(
    GET "/.well-known/did.json",
    public,
    nobody(200, "keys are public"),
    sends(&["application/did+json"]),
)]
async fn get_did_document(cx: Context) -> Result<Reply> {
    let (base, keys) = (lasting_base(&cx).await?, store::keys::published(&cx.db).await?);
    Ok(answer(&did_document(&base, &did::installation(&base), &keys, |row| account_of(&base, row))))
}

/// The keys that verify credentials of the issuers of an account, as a DID document.
#[endpoint(
    GET "/public/accounts/:id/did.json",
    public,
    nobody(404, "keys are public; there is no such account"),
    sends(&["application/did+json"]),
)]
async fn get_did_json(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let (base, keys) = (lasting_base(&cx).await?, keys_of(&cx, &at.id).await?);
    Ok(answer(&did_document(&base, &did::account(&base, &at.id), &keys, |row| account_of(&base, row))))
}

/// The keys that verify credentials of an issuer, as the document of its DID.
#[endpoint(
    GET "/public/issuers/:id/did.json",
    public,
    nobody(200, "keys are public"),
    sends(&["application/did+json"]),
)]
async fn get_issuer_did_json(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let (base, issuer) = (lasting_base(&cx).await?, find_issuer(&cx, &at.id).await?);
    let keys = store::keys::published_for(&cx.db, issuer.root_account_id).await?;
    let subject = did::issuer(&base, &issuer.entity_id);
    // What an issuer has signed verifies only where the issuer is the one who may use the key.
    let mut document = did_document(&base, &subject, &keys, |_| subject.clone());
    set(&mut document, "alsoKnownAs", Some([format!("{base}/public/issuers/{}", issuer.entity_id)]));
    Ok(answer(&document))
}
