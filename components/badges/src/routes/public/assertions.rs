//! Assertions, for everybody.

use http::StatusCode;
use serde::Deserialize;
use shared::people::is_email;
use shared::{Context, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::documents::Writer;
use crate::model::entity::EntityPath;
use crate::model::pages::award::{Earner, View, award};
use crate::model::public::PublicAssertion;
use crate::query;
use crate::routes::public::{
    DocumentQuery, ImageFormat, depth, document, find_assertion, image_asked_for, page, version,
};

endpoints![get_public_assertion, verify_assertion_earner];

/// The most characters that an e-mail address has.
const MAX_EMAIL_CHARS: usize = 254;

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
    let status = status(&assertion);
    if form == ImageFormat::Document {
        let writer = Writer { base: &base, version };
        return Ok(
            document(&writer.assertion(&assertion, depth(&query.expand, "badge", "badge.issuer"))).with_status(status)
        );
    }
    let view = View { language: cx.language(), base: &base, now: cx.now };
    page(&cx, form, &id, || award(&view, &assertion, None).with_status(status)).await
}

/// A revoked award is gone, and what stands in its place says so and why.
fn status(assertion: &PublicAssertion) -> StatusCode {
    if assertion.revoked_at.is_some() { StatusCode::GONE } else { StatusCode::OK }
}

/// The e-mail address of which somebody says that it is the earner's.
#[derive(Deserialize, JsonSchema)]
struct EarnerForm {
    #[serde(default)]
    email: String,
}

/// The page of an award, which says whether it was made to an e-mail address.
#[endpoint(
    POST "/public/assertions/:id/earner",
    public,
    page,
    nobody(400, "everybody may check whose an award is; it asks for an address"),
    answers(410, "The badge was revoked."),
)]
async fn verify_assertion_earner(cx: Context, Path(at): Path<EntityPath>, body: Form<EarnerForm>) -> Result<Reply> {
    let email = body.decode()?.email;
    let email = email.trim();
    let assertion = find_assertion(&cx, &at.id).await?;
    let is_readable = email.chars().nth(MAX_EMAIL_CHARS).is_none() && is_email(email);
    let (earner, status) = if !is_readable {
        (Earner::Unreadable, StatusCode::BAD_REQUEST)
    } else if assertion.recipient.0.has_email(email) {
        (Earner::Same, status(&assertion))
    } else {
        (Earner::Other, status(&assertion))
    };
    let view = View { language: cx.language(), base: &cx.base_url().await?, now: cx.now };
    Ok(award(&view, &assertion, Some(&earner)).with_status(status))
}
