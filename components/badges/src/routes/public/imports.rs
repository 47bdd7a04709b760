//! Imported badges that their earners share.

use serde::Deserialize;
use shared::error::OrNotFound;
use shared::{Context, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::routes::public::document;
use crate::store;

endpoints![get_public_import];

#[derive(Deserialize, JsonSchema)]
struct ImportPath {
    id: String,
}

/// The document of an imported award, as it was verified.
///
/// Only an import that stands in a published collection is anybody else's business.
#[endpoint(
    GET "/public/imports/:id",
    public,
    nobody(404, "an import that its owner has published; there is none"),
    sends(&["application/ld+json", "text/html"]),
)]
async fn get_public_import(cx: Context, Path(at): Path<ImportPath>) -> Result<Reply> {
    let id = at.id.strip_suffix(".json").unwrap_or(&at.id);
    let import = store::imports::published_import(&cx.db, id).await?.or_not_found()?;
    Ok(document(&import.document()))
}
