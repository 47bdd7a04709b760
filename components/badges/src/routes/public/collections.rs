//! Collections that their earners share.

use shared::db::Json;
use shared::error::OrNotFound;
use shared::{Context, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::documents::{Depth, Writer};
use crate::model::entity::EntityPath;
use crate::model::pages;
use crate::query;
use crate::routes::public::{ImageFormat, Room, VersionQuery, document, image_asked_for, page, version};
use crate::store;
use crate::store::public::Badges;

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
    if form != ImageFormat::Document {
        return page(&cx, form, &hash, || pages::collection(cx.language(), &base, &hash, &collection)).await;
    }
    let writer = Writer { base: &base, version };
    let named = collection.badges.0.into_iter().map(|badge| {
        let address = badge.source.unwrap_or_else(|| writer.assertion_address(&badge.entity_id));
        (badge.entity_id, address)
    });
    let fetch = async |ids: &[String]| {
        let Badges { assertions: Json(assertions), imports: Json(imports) } =
            store::public::these_badges(&cx.db, ids).await?;
        let assertions = assertions.iter().map(|one| (one.entity_id.clone(), writer.assertion(one, Depth::Issuer)));
        let imports = imports.iter().map(|one| (one.entity_id.clone(), one.document()));
        Ok(assertions.chain(imports).collect())
    };
    let badges = Room::default().embed(named.collect(), fetch).await?;
    let address = format!("{base}/public/collections/{hash}");
    Ok(document(&writer.collection(&address, &collection.name, &collection.description, badges)))
}
