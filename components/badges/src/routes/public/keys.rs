//! The public half of a key.

use shared::error::OrNotFound;
use shared::{Context, Path, Reply, Result, endpoint, endpoints};

use crate::model::entity::{EntityPath, lasting_base};
use crate::routes::signing_keys::{jwk, public_json};
use crate::store;

endpoints![get_public_key];

/// A key that verifies credentials.
#[endpoint(
    GET "/public/keys/:id",
    public,
    nobody(404, "keys are public; there is none of that name"),
    sends(&["application/jwk+json"]),
)]
async fn get_public_key(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let row = store::keys::find(&cx.db, &at.id).await?.or_not_found()?;
    Ok(public_json("application/jwk+json", &jwk(&lasting_base(&cx).await?, &row)))
}
