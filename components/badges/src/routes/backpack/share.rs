//! Ways to tell others of an award or a collection.

use http::StatusCode;
use serde_json::json;
use shared::{Context, Error, Path, Reply, Result, endpoint, endpoints};

use crate::model::entity::EntityPath;
use crate::paging::given;
use crate::store;

endpoints![share_assertion, share_collection];

/// Leads to where an award can be shared.
#[endpoint(
    GET "/v2/backpack/share/assertion/:id",
    public,
    nobody(400, "an award is public; it asks for the provider"),
)]
async fn share_assertion(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let known = store::public::assertion(&cx.db, &at.id).await?.filter(|award| award.revoked_at.is_none());
    known.ok_or_else(Error::not_found)?;
    let address = format!("{}/public/assertions/{}", cx.base_url().await?, at.id);
    share(&cx, &address)
}

/// Leads to where a published collection can be shared.
#[endpoint(
    GET "/v2/backpack/share/collection/:id",
    public,
    nobody(400, "what is published is public; it asks for the provider"),
)]
async fn share_collection(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let hash = store::collections::share_hash(&cx.db, &at.id).await?.ok_or_else(Error::not_found)?;
    let address = format!("{}/public/collections/{hash}", cx.base_url().await?);
    share(&cx, &address)
}

fn share(cx: &Context, address: &str) -> Result<Reply> {
    let to = |place: &str, name: &str| {
        let query = form_urlencoded::Serializer::new(String::new()).append_pair(name, address).finish();
        format!("{place}?{query}")
    };
    let place = match given(cx, "provider").as_deref() {
        Some("facebook") => to("https://www.facebook.com/sharer/sharer.php", "u"),
        Some("linkedin") => to("https://www.linkedin.com/sharing/share-offsite/", "url"),
        _ => {
            let body = json!({"error": "unspecified or unsupported provider"});
            return Err(Error::own(StatusCode::BAD_REQUEST, body));
        }
    };
    match given(cx, "redirect").as_deref() {
        Some("0") => Ok(Reply::bytes("application/json", json!({ "url": place }).to_string())),
        _ => Ok(Reply::redirect(&place)),
    }
}
