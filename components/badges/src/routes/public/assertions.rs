//! Assertions, for everybody.

use http::StatusCode;
use shared::{Context, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::documents::Writer;
use crate::model::entity::EntityPath;
use crate::model::pages;
use crate::query;
use crate::routes::public::{
    DocumentQuery, ImageFormat, depth, document, find_assertion, image_asked_for, page, version,
};

endpoints![get_public_assertion];

/// The document of an award, or a page for people.
#[endpoint(
    GET "/public/assertions/:id",
    public,
    nobody(200, "an award whose address nobody can guess"),
    sends(&["application/ld+json", "text/html"]),
    answers(302, "Its image, or its page, is elsewhere."),
    answers(410, "The badge was revoked."),
)]
async fn get_public_assertion(cx: Context, Path(at): Path<EntityPath>, query: Query<DocumentQuery>) -> Result<Reply> {
    let (id, form) = image_asked_for(&cx, &at.id);
    let assertion = find_assertion(&cx, &id).await?;
    let query = query::read(&cx, &query)?;
    let (base, version) = (cx.base_url().await?, version(&query.v)?);
    // A revoked assertion is gone, and its document says so and why.
    let status = if assertion.revoked_at.is_some() { StatusCode::GONE } else { StatusCode::OK };
    if form == ImageFormat::Document {
        let writer = Writer { base: &base, version };
        return Ok(
            document(&writer.assertion(&assertion, depth(&query.expand, "badge", "badge.issuer"))).with_status(status)
        );
    }
    page(&cx, form, &id, || pages::assertion(&base, &assertion, cx.now).with_status(status)).await
}
