//! Issuers, for everybody.

use serde_json::json;
use shared::{Context, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::documents::{Version, Writer};
use crate::model::entity::EntityPath;
use crate::model::pages;
use crate::query;
use crate::routes::public::{ImageFormat, VersionQuery, document, find_issuer, image_asked_for, page, version};
use crate::store;

endpoints![get_public_issuer, get_revocation_list];

/// The document of an issuer, or a page for people.
#[endpoint(
    GET "/public/issuers/:id",
    public,
    nobody(200, "issuers are public"),
    sends(&["application/ld+json", "text/html"]),
)]
async fn get_public_issuer(cx: Context, Path(at): Path<EntityPath>, query: Query<VersionQuery>) -> Result<Reply> {
    let (id, form) = image_asked_for(&cx, &at.id);
    let issuer = find_issuer(&cx, &id).await?;
    let query = query::read(&cx, &query)?;
    let (base, version) = (cx.base_url().await?, version(&query.v)?);
    if form == ImageFormat::Document {
        return Ok(document(&Writer { base: &base, version }.issuer(&issuer)));
    }
    let classes = store::public::classes_of(&cx.db, issuer.id).await?;
    page(&cx, form, &id, || pages::issuer(cx.language(), &base, &issuer, &classes)).await
}

/// The list of an issuer's revoked awards.
#[endpoint(
    GET "/public/issuers/:id/revocations",
    public,
    nobody(200, "what is revoked is public"),
    sends(&["application/ld+json"]),
)]
async fn get_revocation_list(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let issuer = find_issuer(&cx, &at.id).await?;
    let base = cx.base_url().await?;
    let writer = Writer { base: &base, version: Version::Two };
    let revoked = store::public::revoked(&cx.db, issuer.id).await?;
    let revoked = revoked.into_iter().map(|revoked| {
        json!({
            "id": writer.assertion_address(&revoked.entity_id),
            "revocationReason": revoked.revocation_reason,
        })
    });
    let address = writer.issuer_address(&issuer.entity_id);
    Ok(document(&json!({
        "@context": "https://w3id.org/openbadges/v2",
        "type": "RevocationList",
        "id": format!("{address}/revocations"),
        "issuer": address,
        "revokedAssertions": revoked.collect::<Vec<_>>(),
    })))
}
