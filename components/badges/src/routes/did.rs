//! DID documents.

use serde_json::json;
use shared::{Context, Path, Reply, Result, endpoint, endpoints};

use crate::model::entity::{EntityPath, lasting_base};
use crate::routes::signing_keys::{did_of, jwk, keys_of, public_json};
use crate::store;
use crate::store::keys::KeyRow;

endpoints![get_did_document, get_did_json];

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
