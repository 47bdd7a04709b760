//! Ways to tell others of an award or a collection.

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use shared::{Context, Error, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::entity::EntityPath;
use crate::model::sharing;
use crate::query::{self, Last};
use crate::store;

/// The place where something is to be shared.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ShareQuery {
    /// `facebook` or `linkedin`; of an award also `linkedin_profile`, which adds it to the certifications of one's profile.
    #[schemars(with = "String")]
    provider: Last,
    /// `0`: the address is answered, and nobody sent there.
    #[schemars(with = "String")]
    redirect: Last,
}

endpoints![share_assertion, share_collection];

/// Leads to where an award can be shared.
#[endpoint(
    GET "/v2/backpack/share/assertion/:id",
    public,
    nobody(400, "an award is public; it asks for the provider"),
    sends(&["application/json"]),
    answers(302, "The page of the service that it is shared on."),
)]
async fn share_assertion(cx: Context, Path(at): Path<EntityPath>, query: Query<ShareQuery>) -> Result<Reply> {
    let known = store::public::assertion(&cx.db, &at.id).await?.filter(|assertion| assertion.revoked_at.is_none());
    let assertion = known.ok_or_else(Error::not_found)?;
    let (base, query): (_, ShareQuery) = (cx.base_url().await?, query::read(&cx, &query)?);
    if query.provider.0.as_deref() == Some("linkedin_profile") {
        return Ok(lead(&sharing::add_to_profile(&base, &assertion), &query));
    }
    share(&format!("{base}/public/assertions/{}", at.id), &query, &OF_AWARDS)
}

/// Leads to where a published collection can be shared.
#[endpoint(
    GET "/v2/backpack/share/collection/:id",
    public,
    nobody(400, "what is published is public; it asks for the provider"),
    sends(&["application/json"]),
    answers(302, "The page of the service that it is shared on."),
)]
async fn share_collection(cx: Context, Path(at): Path<EntityPath>, query: Query<ShareQuery>) -> Result<Reply> {
    let hash = store::collections::share_hash(&cx.db, &at.id).await?.ok_or_else(Error::not_found)?;
    let address = format!("{}/public/collections/{hash}", cx.base_url().await?);
    share(&address, &query::read(&cx, &query)?, &OF_COLLECTIONS)
}

/// Where an award can be shared, and where a collection.
const OF_AWARDS: [&str; 3] = ["facebook", "linkedin", "linkedin_profile"];
const OF_COLLECTIONS: [&str; 2] = ["facebook", "linkedin"];

/// Leads to one of these providers, or names them.
fn share(address: &str, query: &ShareQuery, providers: &[&str]) -> Result<Reply> {
    let place = match query.provider.0.as_deref() {
        Some("facebook") => sharing::facebook(address),
        Some("linkedin") => sharing::linkedin(address),
        _ => {
            let body = json!({"error": "unspecified or unsupported provider", "providers": providers});
            return Err(Error::own(StatusCode::BAD_REQUEST, body));
        }
    };
    Ok(lead(&place, query))
}

/// The way to that place, or its address where the query asks for that.
fn lead(place: &str, query: &ShareQuery) -> Reply {
    match query.redirect.0.as_deref() {
        Some("0") => Reply::bytes("application/json", json!({ "url": place }).to_string()),
        _ => Reply::redirect(place),
    }
}
