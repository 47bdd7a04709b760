//! Badge classes, for everybody.

use shared::error::OrNotFound;
use shared::{Context, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::documents::{Depth, Writer};
use crate::model::entity::EntityPath;
use crate::model::pages;
use crate::query;
use crate::routes::public::{
    DocumentQuery, ImageFormat, Room, VersionQuery, depth, document, find_class, image_asked_for, page, version,
};
use crate::store;

endpoints![list_public_badge_classes, get_public_badge_class, get_badge_class_criteria];

/// The documents of an issuer's classes.
#[endpoint(
    GET "/public/issuers/:id/badges",
    public,
    nobody(200, "classes are public"),
    sends(&["application/ld+json"]),
)]
async fn list_public_badge_classes(
    cx: Context,
    Path(at): Path<EntityPath>,
    query: Query<VersionQuery>,
) -> Result<Reply> {
    let names = store::public::classes_of_named(&cx.db, &at.id).await?.or_not_found()?;
    let query = query::read(&cx, &query)?;
    let (base, version) = (cx.base_url().await?, version(&query.v)?);
    let writer = Writer { base: &base, version };
    let names = names.into_iter().map(|class| (class.entity_id.clone(), writer.class_address(&class.entity_id)));
    let fetch = async |ids: &[String]| {
        let classes = store::public::these_classes(&cx.db, ids).await?;
        Ok(classes.iter().map(|class| (class.entity_id.clone(), writer.class(class, Depth::Address))).collect())
    };
    let mut room = Room::default();
    Ok(document(&room.embed(names.collect(), fetch).await?.into()))
}

/// The document of a class of badges, or a page for people.
#[endpoint(
    GET "/public/badges/:id",
    public,
    nobody(200, "classes are public"),
    sends(&["application/ld+json", "text/html"]),
)]
async fn get_public_badge_class(cx: Context, Path(at): Path<EntityPath>, query: Query<DocumentQuery>) -> Result<Reply> {
    let (id, form) = image_asked_for(&cx, &at.id);
    let class = find_class(&cx, &id).await?;
    let query = query::read(&cx, &query)?;
    let (base, version) = (cx.base_url().await?, version(&query.v)?);
    if form == ImageFormat::Document {
        // `issuer` is the only one that can be expanded here.
        return Ok(document(&Writer { base: &base, version }.class(&class, depth(&query.expand, "", "issuer"))));
    }
    page(&cx, form, &id, || pages::class(cx.language(), &base, &class)).await
}

/// Leads to what a badge is awarded for.
#[endpoint(
    GET "/public/badges/:id/criteria",
    public,
    nobody(302, "criteria are public"),
    redirects(302),
)]
async fn get_badge_class_criteria(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let class = find_class(&cx, &at.id).await?;
    Ok(Reply::redirect(&format!("{}/public/badges/{}.html", cx.base_url().await?, class.entity_id)))
}
