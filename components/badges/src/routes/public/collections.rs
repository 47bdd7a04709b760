//! Collections that their earners share.

use shared::error::OrNotFound;
use shared::{Context, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::documents::{Depth, Writer};
use crate::model::entity::EntityPath;
use crate::model::pages;
use crate::query;
use crate::routes::public::{ImageFormat, Room, VersionQuery, asked, document, page, version};
use crate::store;

endpoints![get_public_collection];

/// The document of a published collection, or a page.
#[endpoint(
    GET "/public/collections/:id",
    public,
    nobody(200, "a collection that its owner has published"),
)]
async fn get_public_collection(cx: Context, Path(at): Path<EntityPath>, query: Query<VersionQuery>) -> Result<Reply> {
    let (hash, form) = asked(&cx, &at.id);
    let collection = store::public::collection(&cx.db, &hash).await?.or_not_found()?;
    let query = query::read(&cx, &query)?;
    let (base, version) = (cx.base_url().await?, version(&query.v)?);
    let awards = store::public::awards_in(&cx.db, collection.id).await?;
    let imports = store::public::imports_in(&cx.db, collection.id).await?;
    if form != ImageFormat::Document {
        return page(&cx, form, &hash, || pages::collection(&base, &hash, &collection, &awards, &imports)).await;
    }
    let writer = Writer { base: &base, version };
    let awards = awards.into_iter().map(|award| (award.entity_id.clone(), writer.assertion_address(&award.entity_id)));
    let fetch_awards = async |ids: &[String]| {
        let awards = store::public::these_assertions(&cx.db, ids).await?;
        Ok(awards.iter().map(|award| (award.entity_id.clone(), writer.assertion(award, Depth::Issuer))).collect())
    };
    let imports = imports.into_iter().map(|import| (import.entity_id, import.open_badge_id));
    let fetch_imports = async |ids: &[String]| {
        let imports = store::backpack::any_imports(&cx.db, ids).await?;
        Ok(imports.iter().map(|import| (import.entity_id.clone(), import.document())).collect())
    };
    let mut room = Room::default();
    let mut badges = room.embed(awards.collect(), fetch_awards).await?;
    badges.extend(room.embed(imports.collect(), fetch_imports).await?);
    let address = format!("{base}/public/collections/{hash}");
    Ok(document(&writer.collection(&address, &collection.name, &collection.description, badges)))
}
