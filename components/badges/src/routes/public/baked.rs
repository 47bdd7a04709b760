//! Images with their assertions in them.

use http::StatusCode;
use http::header::ETAG;
use serde::Deserialize;
use shared::{Context, Error, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::images::{self, Image, ImageFormat, png, svg};
use crate::model::documents::Writer;
use crate::model::entity::{EntityPath, unchanged};
use crate::query;
use crate::routes::public::image::{file_name, living, shown, text, to_baked};
use crate::routes::public::{VersionQuery, version};

endpoints![get_baked_assertion, get_baked_assertion_file];

const A_WHILE: &str = "public, max-age=300";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct BakedPath {
    id: String,
    file: String,
}

/// Leads to the image with the award baked in.
#[endpoint(
    GET "/public/assertions/:id/baked",
    public,
    nobody(301, "an award whose address nobody can guess"),
    redirects(301),
)]
pub(crate) async fn get_baked_assertion(
    cx: Context,
    Path(at): Path<EntityPath>,
    query: Query<VersionQuery>,
) -> Result<Reply> {
    let VersionQuery { v } = query::read(&cx, &query)?;
    version(&v)?;
    to_baked(&cx, &at.id, &v, StatusCode::MOVED_PERMANENTLY).await
}

/// The image with the award baked in.
#[endpoint(
    GET "/public/assertions/:id/baked/:file",
    public,
    nobody(302, "an award whose address nobody can guess; an older image"),
    sends(&["image/png", "image/svg+xml"]),
    entity_tag,
    answers(302, "The image has another address now."),
)]
pub(crate) async fn get_baked_assertion_file(
    cx: Context,
    Path(at): Path<BakedPath>,
    query: Query<VersionQuery>,
) -> Result<Reply> {
    let assertion = living(&cx, &at.id).await?;
    let query = query::read(&cx, &query)?;
    let (base, version) = (cx.base_url().await?, version(&query.v)?);
    if Some(&at.file) != file_name(&base, version, &assertion).as_ref() {
        return to_baked(&cx, &at.id, &query.v, StatusCode::FOUND).await;
    }
    // The name tells what is in the file.
    let tag = format!("\"{}\"", at.file);
    if cx.has_entity_tag(&tag) {
        return Ok(unchanged(&tag, A_WHILE));
    }
    let image = images::load(&cx, &assertion.class.0.image).await?;
    let writer = Writer { base: &base, version };
    let text = text(&base, version, &assertion);
    let baked = match image.form {
        ImageFormat::Png => png::bake(&image.bytes, &text),
        ImageFormat::Svg => svg::bake(&image.bytes, &writer.assertion_address(&assertion.entity_id), &text),
    };
    let bytes = baked.map_err(|error| Error::internal(std::io::Error::other(error)))?;
    Ok(shown(Image { form: image.form, bytes }, A_WHILE).header(ETAG, &tag))
}
