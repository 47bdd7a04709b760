//! Images: where they are, and the award that is baked into them when they are asked for.

use http::StatusCode;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use serde::Deserialize;
use shared::auth::secrets;
use shared::error::OrNotFound;
use shared::{Context, Error, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::images::Image;
use crate::model::documents::{Depth, Version, Writer};
use crate::model::entity::EntityPath;
use crate::model::public::PublicAssertion;
use crate::query::{self, Last};
use crate::routes::public::{find_assertion, find_class, find_issuer, version};
use crate::store;

endpoints![get_issuer_image, get_badge_class_image, get_public_import_image, get_public_assertion_image];

/// A picture shows itself and can do nothing, even where it is opened as a page.
const HARMLESS: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";

/// Leads to the image of an issuer.
#[endpoint(
    GET "/public/issuers/:id/image",
    public,
    nobody(404, "an image that is public; there is none"),
    redirects(302),
)]
pub(crate) async fn get_issuer_image(
    cx: Context,
    Path(at): Path<EntityPath>,
    query: Query<ImageQuery>,
) -> Result<Reply> {
    require_known_form(&query::read(&cx, &query)?)?;
    let image = find_issuer(&cx, &at.id).await?.image.or_not_found()?;
    to_stored(&cx, &image).await
}

/// Leads to the image of a class of badges.
#[endpoint(
    GET "/public/badges/:id/image",
    public,
    nobody(302, "images are public"),
    redirects(302),
)]
pub(crate) async fn get_badge_class_image(
    cx: Context,
    Path(at): Path<EntityPath>,
    query: Query<ImageQuery>,
) -> Result<Reply> {
    require_known_form(&query::read(&cx, &query)?)?;
    let image = find_class(&cx, &at.id).await?.image;
    to_stored(&cx, &image).await
}

/// Leads to the image of an imported award.
#[endpoint(
    GET "/public/imports/:id/image",
    public,
    nobody(404, "an import that its owner has published; there is none"),
    redirects(302),
)]
pub(crate) async fn get_public_import_image(
    cx: Context,
    Path(at): Path<EntityPath>,
    query: Query<ImageQuery>,
) -> Result<Reply> {
    require_known_form(&query::read(&cx, &query)?)?;
    let image = store::imports::image_of(&cx.db, &at.id).await?.or_not_found()?;
    to_stored(&cx, &image).await
}

/// Leads to the image with the award baked in.
#[endpoint(
    GET "/public/assertions/:id/image",
    public,
    nobody(302, "an award whose address nobody can guess"),
    redirects(302),
)]
pub(crate) async fn get_public_assertion_image(
    cx: Context,
    Path(at): Path<EntityPath>,
    query: Query<BakedQuery>,
) -> Result<Reply> {
    let query = query::read(&cx, &query)?;
    require_known_form(&query.image)?;
    to_baked(&cx, &at.id, &query.v, StatusCode::FOUND).await
}

/// In which form an image is asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct ImageQuery {
    /// `original` or `png`; an image is served as it was uploaded.
    #[schemars(with = "String")]
    r#type: Last,
    /// `square` or `wide`; an image is served as it was uploaded.
    #[schemars(with = "String")]
    fmt: Last,
}

/// The same of an image with the award baked in.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct BakedQuery {
    #[serde(flatten)]
    image: ImageQuery,
    /// The version of Open Badges: `2_0`, which is the default, or `1_1`.
    #[schemars(with = "String")]
    v: Last,
}

/// Forms that the older API could make are known by name; an image is served as it was uploaded.
pub(crate) fn require_known_form(query: &ImageQuery) -> Result<()> {
    for (name, given, known) in [("type", &query.r#type, ["original", "png"]), ("fmt", &query.fmt, ["square", "wide"])]
    {
        if given.0.as_deref().is_some_and(|text| !known.contains(&text)) {
            return Err(Error::invalid(name, "invalid", format!("Must be {} or {}.", known[0], known[1])));
        }
    }
    Ok(())
}

async fn to_stored(cx: &Context, name: &str) -> Result<Reply> {
    Ok(Reply::redirect(&format!("{}/public/images/{name}", cx.base_url().await?)))
}

pub(crate) async fn to_baked(cx: &Context, id: &str, v: &Last, status: StatusCode) -> Result<Reply> {
    let assertion = living(cx, id).await?;
    let (base, version) = (cx.base_url().await?, version(v)?);
    let name = file_name(&base, version, &assertion).or_not_found()?;
    let query = if version == Version::OnePointOne { "?v=1_1" } else { "" };
    let address = format!("{base}/public/assertions/{id}/baked/{name}{query}");
    // The next change gives the file another name, so that no cache may keep the way to this one.
    Ok(Reply::redirect(&address).with_status(status).header(CACHE_CONTROL, "no-store"))
}

pub(crate) async fn living(cx: &Context, id: &str) -> Result<PublicAssertion> {
    let assertion = find_assertion(cx, id).await?;
    if assertion.revoked_at.is_none() { Ok(assertion) } else { Err(Error::not_found()) }
}

/// The text that is baked in.
pub(crate) fn text(base: &str, version: Version, assertion: &PublicAssertion) -> String {
    let depth = if version == Version::Two { Depth::Address } else { Depth::Issuer };
    format!("{:#}", Writer { base, version }.assertion(assertion, depth))
}

/// The name changes with what is baked in and with the image, so that no cache serves the old one.
pub(crate) fn file_name(base: &str, version: Version, assertion: &PublicAssertion) -> Option<String> {
    let image = &assertion.class.0.image;
    let (_, extension) = image.rsplit_once('.')?;
    let seed = format!("{image} {}", text(base, version, assertion));
    let mark: String = secrets::hash(seed).chars().take(16).collect();
    Some(format!("{mark}.{extension}"))
}

pub(crate) fn shown(image: Image, cached: &str) -> Reply {
    Reply::bytes(image.form.content_type(), image.bytes)
        .header(CACHE_CONTROL, cached)
        .header(CONTENT_SECURITY_POLICY, HARMLESS)
        .header(ACCESS_CONTROL_ALLOW_ORIGIN, "*")
}
