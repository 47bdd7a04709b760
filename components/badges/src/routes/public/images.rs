//! Images by their names.

use http::header::ETAG;
use serde::Deserialize;
use shared::{Context, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::model::entity::unchanged;
use crate::routes::public::image::shown;
use crate::{images, store};

endpoints![get_public_image];

/// An image that is stored under a name never changes; but it may be taken away.
const A_DAY: &str = "public, max-age=86400";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct FilePath {
    file: String,
}

/// An image as it was uploaded.
#[endpoint(
    GET "/public/images/:file",
    public,
    nobody(404, "an image that is public; there is none"),
    sends(&["image/png", "image/svg+xml"]),
    entity_tag,
)]
pub(crate) async fn get_public_image(cx: Context, Path(at): Path<FilePath>) -> Result<Reply> {
    let tag = format!("\"{}\"", at.file);
    if cx.has_entity_tag(&tag) && store::images::find(&cx.db, &at.file).await?.is_some() {
        return Ok(unchanged(&tag, A_DAY));
    }
    Ok(shown(images::load(&cx, &at.file).await?, A_DAY).header(ETAG, &tag))
}
