//! Sets of public keys.

use serde_json::json;
use shared::{Context, Path, Reply, Result, endpoint, endpoints};

use crate::model::entity::{EntityPath, lasting_base};
use crate::routes::signing_keys::{jwk, keys_of, public_json};
use crate::store;
use crate::store::keys::KeyRow;

endpoints![get_key_set, get_jwks_json];

fn key_set(base: &str, keys: &[KeyRow]) -> Reply {
    let keys: Vec<_> = keys.iter().map(|row| jwk(base, row)).collect();
    public_json("application/jwk-set+json", &json!({ "keys": keys }))
}

/// The keys that verify credentials.
#[endpoint(
    GET "/.well-known/jwks.json",
    public,
    nobody(200, "keys are public"),
    sends(&["application/jwk-set+json"]),
)]
async fn get_key_set(cx: Context) -> Result<Reply> {
    Ok(key_set(&lasting_base(&cx).await?, &store::keys::published(&cx.db).await?))
}

/// The keys that verify credentials of the issuers of an account.
#[endpoint(
    GET "/public/accounts/:id/jwks.json",
    public,
    nobody(404, "keys are public; there is no such account"),
    sends(&["application/jwk-set+json"]),
)]
async fn get_jwks_json(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    Ok(key_set(&lasting_base(&cx).await?, &keys_of(&cx, &at.id).await?))
}
