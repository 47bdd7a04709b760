//! Collections that their earners share.

use shared::error::OrNotFound;
use shared::{Context, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::documents::{Depth, Writer};
use crate::model::entity::EntityPath;
use crate::model::pages;
use crate::query;
use crate::routes::public::{ImageFormat, Room, VersionQuery, document, image_asked_for, page, version};
use crate::store;

endpoints![get_public_collection];

/// The document of a published collection, or a page.
#[endpoint(
    GET "/public/collections/:id",
    public,
    nobody(200, "a collection that its owner has published"),
    sends(&["application/ld+json", "text/html"]),
)]
async fn get_public_collection(cx: Context, Path(at): Path<EntityPath>, query: Query<VersionQuery>) -> Result<Reply> {
    let (hash, form) = image_asked_for(&cx, &at.id);
    let collection = store::public::collection(&cx.db, &hash).await?.or_not_found()?;
    let query = query::read(&cx, &query)?;
    let (base, version) = (cx.base_url().await?, version(&query.v)?);
    let assertions = store::public::assertions_in(&cx.db, collection.id).await?;
    let imports = store::public::imports_in(&cx.db, collection.id).await?;
    if form != ImageFormat::Document {
        return page(&cx, form, &hash, || {
            pages::collection(cx.language(), &base, &hash, &collection, &assertions, &imports)
        })
        .await;
    }
    let writer = Writer { base: &base, version };
    let assertions = assertions
        .into_iter()
        .map(|assertion| (assertion.entity_id.clone(), writer.assertion_address(&assertion.entity_id)));
    let fetch_assertions = async |ids: &[String]| {
        let assertions = store::public::these_assertions(&cx.db, ids).await?;
        Ok(assertions
            .iter()
            .map(|assertion| (assertion.entity_id.clone(), writer.assertion(assertion, Depth::Issuer)))
            .collect())
    };
    let imports = imports.into_iter().map(|import| (import.entity_id, import.open_badge_id));
    let fetch_imports = async |ids: &[String]| {
        let imports = store::backpack::any_imports(&cx.db, ids).await?;
        Ok(imports.iter().map(|import| (import.entity_id.clone(), import.document())).collect())
    };
    let mut room = Room::default();
    let mut badges = room.embed(assertions.collect(), fetch_assertions).await?;
    badges.extend(room.embed(imports.collect(), fetch_imports).await?);
    let address = format!("{base}/public/collections/{hash}");
    Ok(document(&writer.collection(&address, &collection.name, &collection.description, badges)))
}
